import { once } from 'node:events'
import type { PosthornProcess } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

/** Settings of a process whose thread can be inspected, and soon reaches the limit of its heap. */
export const INSPECTABLE = {
  NODE_OPTIONS: '--inspect=127.0.0.1:0',
  POSTHORN_MAX_HEAP_MB: '128',
}

/** Runs code in a thread of a process, by Node's inspector. Its result is not awaited: the code may never end. */
export async function runInThread(
  posthorn: PosthornProcess,
  thread: 'main' | 'all',
  code: string,
): Promise<void> {
  const address = /ws:\/\/\S+/
  await until(() => address.test(posthorn.stderr), 'the inspector listens')
  const socket = new WebSocket(address.exec(posthorn.stderr)?.[0] as string)
  await once(socket, 'open')
  const send = (id: number, method: string, params: object) =>
    socket.send(JSON.stringify({ id, method, params }))
  let sessionId: string | undefined
  let running = false
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(data)
    if (id === RUN) running = true
    if (method !== 'NodeWorker.attachedToWorker') return
    if (params.workerInfo.title.endsWith(` ${thread}`)) sessionId = params.sessionId
  }
  const evaluation = { expression: code }
  if (thread === 'main') {
    send(RUN, 'Runtime.evaluate', evaluation)
  } else {
    send(ATTACH, 'NodeWorker.enable', { waitForDebuggerOnStart: false })
    await until(() => sessionId !== undefined, `the thread ${thread} can be inspected`)
    const message = { id: 1, method: 'Runtime.evaluate', params: evaluation }
    send(RUN, 'NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) })
  }
  await until(() => running, 'the code runs')
  socket.close()
}

const ATTACH = 1
const RUN = 2
