import { startApart } from './apart.ts'

/** How the receiver answers: the first part of the path. */
export type Manner = 'ok' | 'stamp' | 'fail' | 'hang' | 'slow50' | 'slow200' | 'busy'

/** The TLS receiver of the bench, in a process of its own. */
export interface BenchReceiver extends AsyncDisposable {
  /** Without a path; that says how it answers, see `receiver.ts`. */
  readonly url: string
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** Counts from zero again. */
  forget(): Promise<void>
  /** Resolves once so many requests have arrived, with the moment on the clock of `monotonicMs`; fails when late. */
  reached(manner: Manner, count: number, withinMs?: number): Promise<number>
  /** How long each event that carried a `sentAt` took from there to its arrival. */
  latenciesMs(): Promise<number[]>
  /** How many requests to `/busy` were answered, and how many of them with 503. */
  busyCounts(): Promise<{ answered: number; refused: number }>
}

/** Long enough for a million on a slow machine. */
const ARRIVE_WITHIN_MS = 900_000

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const receiver = startApart('receiver.ts')
  const address = await receiver.call<{ url: string; authority: string }>('address')
  return {
    ...address,
    forget: () => receiver.call('forget'),
    reached: (manner, count, withinMs = ARRIVE_WITHIN_MS) =>
      receiver.call('reached', { manner, count, withinMs }),
    latenciesMs: () => receiver.call('latenciesMs'),
    busyCounts: () => receiver.call('busyCounts'),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
