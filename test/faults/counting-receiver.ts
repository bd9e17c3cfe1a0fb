import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SeenDelivery } from './receiver-process.ts'

/** The receiver of the suite, in its own process. */
export interface CountingReceiver extends AsyncDisposable {
  readonly url: string
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** All deliveries that arrived, by `wh-id`. */
  seen(): Promise<Map<string, SeenDelivery>>
}

export async function startCountingReceiver(seed: number): Promise<CountingReceiver> {
  const program = fileURLToPath(new URL('receiver-process.ts', import.meta.url))
  const child: ChildProcess = fork(program, [String(seed)], { execArgv: [] })
  const [{ url, authority }] = await once(child, 'message')
  return {
    url,
    authority,
    async seen() {
      child.send('seen')
      const [entries] = await once(child, 'message')
      return new Map(entries as [string, SeenDelivery][])
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
