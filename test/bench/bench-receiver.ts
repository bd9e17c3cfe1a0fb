import { startScript } from './script-process.ts'

/** How the receiver responds; the first part of the path. */
export type Behaviour = 'ok' | 'stamp' | 'fail' | 'hang' | 'slow50' | 'slow200'

/** The TLS receiver of the benchmark, in a separate process. */
export interface BenchReceiver extends AsyncDisposable {
  /** Without a path. The path selects the behaviour, see `receiver.ts`. */
  readonly url: string
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** Resets all counters. */
  reset(): Promise<void>
  /** Resolves when `count` requests have arrived, with the time from `monotonicMs`. Rejects after `withinMs`. */
  waitUntilReceived(behaviour: Behaviour, count: number, withinMs?: number): Promise<number>
  /** For each event with a `sentAt`, the time from then to its arrival. */
  latenciesMs(): Promise<number[]>
}

/** Long enough for a million on a slow machine. */
const ARRIVE_WITHIN_MS = 900_000

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const receiver = startScript('receiver.ts')
  const address = await receiver.call<{ url: string; authority: string }>('address')
  return {
    ...address,
    reset: () => receiver.call('reset'),
    waitUntilReceived: (behaviour, count, withinMs = ARRIVE_WITHIN_MS) =>
      receiver.call('waitUntilReceived', { behaviour, count, withinMs }),
    latenciesMs: () => receiver.call('latenciesMs'),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
