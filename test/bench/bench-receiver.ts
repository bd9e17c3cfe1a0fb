import type { Behaviour } from './receiver.ts'
import { startScript } from './script-process.ts'

export type BenchReceiver = Awaited<ReturnType<typeof startBenchReceiver>>

/** Long enough for a million on a slow machine. */
const ARRIVE_WITHIN_MS = 900_000

/** The TLS receiver of the benchmark, in a separate process. */
export async function startBenchReceiver() {
  const receiver = startScript('receiver.ts')
  return {
    /** The URL without a path, which selects the behaviour, and the authority to trust, as PEM. */
    ...(await receiver.call<{ url: string; authority: string }>('address')),
    /** Resets all counters. */
    reset: () => receiver.call<void>('reset'),
    /** Resolves when `count` requests have arrived, with the time from `monotonicMs`. Rejects after `withinMs`. */
    waitUntilReceived: (behaviour: Behaviour, count: number, withinMs = ARRIVE_WITHIN_MS) =>
      receiver.call<number>('waitUntilReceived', { behaviour, count, withinMs }),
    /** For each event with a `sentAt`, the time from then to its arrival. */
    latenciesMs: () => receiver.call<number[]>('latenciesMs'),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
