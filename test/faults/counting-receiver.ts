import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SeenDelivery } from './receiver-process.ts'

export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>

/** The receiver of the suite, in its own process. `authority` is to be trusted, as PEM. */
export async function startCountingReceiver(seed: number) {
  const program = fileURLToPath(new URL('receiver-process.ts', import.meta.url))
  const child: ChildProcess = fork(program, [String(seed)], { execArgv: [] })
  const [address] = await once(child, 'message')
  return {
    ...(address as { url: string; authority: string }),
    /** All deliveries that arrived, by `wh-id`. */
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
