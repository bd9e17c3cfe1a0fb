import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The receiver of a measurement, in a process of its own. */
export interface BenchReceiver extends AsyncDisposable {
  readonly url: string
  readonly authority: string
  received(): Promise<number>
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const child: ChildProcess = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)))
  const [{ url, authority }] = await once(child, 'message')
  return {
    url,
    authority,
    async received() {
      child.send('count')
      const [answer] = await once(child, 'message')
      return answer.received
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
