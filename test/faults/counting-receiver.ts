import { startScript } from '../bench/script-process.ts'
import type { SeenDelivery } from './receiver-process.ts'

export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>

/** The receiver of the suite, in its own process. `authority` is to be trusted, as PEM. */
export async function startCountingReceiver(seed: number) {
  const receiver = startScript('../faults/receiver-process.ts')
  return {
    ...(await receiver.call<{ url: string; authority: string }>('start', { seed })),
    /** All deliveries that arrived, by `wh-id`. */
    seen: async () => new Map(await receiver.call<[string, SeenDelivery][]>('seen')),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
