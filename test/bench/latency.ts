import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { DATA } from './fill.ts'
import type { PosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'

/** The time from the request that publishes an event to its arrival at the receiver, in ms. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** The number of events that did not arrive. Their latency counts as infinite. */
  readonly missing: number
}

export function selectFields(
  latency: Latency,
  ...names: (keyof Latency)[]
): Record<string, number> {
  const selected = latency.missing > 0 ? [...names, 'missing' as const] : names
  return Object.fromEntries(selected.map((name) => [name, latency[name]]))
}

/** How long to wait for arrivals after all events are published. */
const ARRIVE_WITHIN_MS = 10_000

interface Stream {
  readonly token: string
  readonly type: string
  readonly perSecond: number
  readonly measureMs?: number
  /** Also reads a page of deliveries with each event. Default: false. */
  readonly reads?: boolean
}

/** The times of each event and call, in ms; infinite if the event did not arrive, or the call failed. */
export interface Times {
  readonly publish: readonly number[]
  readonly receipt: readonly number[]
  readonly read: readonly number[]
}

export async function measureLatencies(
  { receiver, sizes }: Bench,
  server: PosthornServer,
  { measureMs = sizes.publishMs, reads = false, ...stream }: Stream,
): Promise<Times> {
  await receiver.reset()
  await using publisher = startScript('publisher-main.ts')
  const { publishMs, readMs, sent } = await publisher.call<{
    publishMs: (number | null)[]
    readMs: (number | null)[]
    sent: number
  }>('publishAtRate', {
    ...{ ...stream, reads, measureMs, warmUpMs: sizes.publishWarmUpMs },
    ...{ url: server.url, connections: 200, data: DATA },
  })
  await receiver.waitUntilReceived('stamp', sent, ARRIVE_WITHIN_MS).catch(() => {})
  const arrived = await receiver.latenciesMs()
  const missing = Math.max(0, publishMs.length - arrived.length)
  return {
    publish: publishMs.map(orNever),
    receipt: [...arrived, ...new Array<number>(missing).fill(NEVER)],
    read: readMs.map(orNever),
  }
}

const NEVER = Number.POSITIVE_INFINITY
const orNever = (ms: number | null) => ms ?? NEVER

export function toLatency(latencies: readonly number[]): Latency {
  return {
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    missing: latencies.filter((ms) => !Number.isFinite(ms)).length,
  }
}
