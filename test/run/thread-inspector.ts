import { openInspector } from '../support/inspector.ts'
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
  using inspector = await openInspector(posthorn)
  const evaluation = { method: 'Runtime.evaluate', params: { expression: code } }
  if (thread === 'main') {
    await inspector.call(evaluation.method, evaluation.params)
    return
  }
  await inspector.call('NodeWorker.enable', { waitForDebuggerOnStart: false })
  const sessionId = () =>
    inspector.events.find(({ workerInfo }) => workerInfo?.title.endsWith(` ${thread}`))?.sessionId
  await until(sessionId, `the thread ${thread} can be inspected`)
  const message = JSON.stringify({ id: 1, ...evaluation })
  await inspector.call('NodeWorker.sendMessageToWorker', { sessionId: sessionId(), message })
}
