import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { DATA } from './fill.ts'
import type { PosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'

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

/** Further numbers beside the p99, and how many events did not arrive or calls failed, if any did. */
export function spread(times: readonly number[]): Record<string, number> {
  const missing = times.filter((ms) => ms === NEVER).length
  return {
    ...{ p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: percentile(times, 1) },
    ...(missing > 0 && { missing }),
  }
}
