import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { DATA, fillRetries } from './fill.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import type { Behaviour } from './receiver.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** The time from the request that publishes an event to its arrival at the receiver, in ms. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** The number of events that did not arrive. Their latency counts as infinite. */
  readonly missing: number
}

/** E: publish-to-receipt latency through one process that publishes and delivers, to one webhook. */
export async function reportLatency(bench: Bench): Promise<void> {
  const report = (name: string, latency: Latency, atMost?: number) =>
    bench.report('E', `publish to receipt at ${name}, p99`, latency.p99, 'ms', {
      ...{ atMost, also: selectFields(latency, 'p50', 'p95', 'max') },
    })
  report('50/s', await measureOneWebhook(bench, 50))
  const usual = await measureOneWebhook(bench, 200)
  report('200/s', usual, 30)
  bench.report('E', 'publish to receipt at 200/s, p50', usual.p50, 'ms', { atMost: 8 })
  report('1,000/s', await measureOneWebhook(bench, 1_000), 100)
  const { stored: retries } = bench.sizes
  const name = `200/s with ${retries.toLocaleString('en')} scheduled retries`
  report(name, await measureOneWebhook(bench, 200, { retries }), 30)
}

export function selectFields(
  latency: Latency,
  ...names: (keyof Latency)[]
): Record<string, number> {
  const selected = latency.missing > 0 ? [...names, 'missing' as const] : names
  return Object.fromEntries(selected.map((name) => [name, latency[name]]))
}

/** The latencies of events to a single webhook. */
async function measureOneWebhook(
  bench: Bench,
  perSecond: number,
  { behaviour = 'stamp', retries = 0 }: { behaviour?: Behaviour; retries?: number } = {},
): Promise<Latency> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const { url } = bench.receiver
  if (retries > 0) {
    const failing = await addWebhooks(services, tenant, url, 'fail', { count: 20 })
    await fillRetries(services.database.pool, tenant, failing, retries)
  }
  const [type = ''] = await addWebhooks(services, tenant, url, behaviour)
  await database.settle()
  await using server = await startPosthornServer(bench, database.url, 'all')
  const stream = { token: tenant.token, type, perSecond, behaviour }
  return toLatency((await measureLatencies(bench, server, stream)).receipt)
}

/** How long to wait for arrivals after all events are published. */
const ARRIVE_WITHIN_MS = 10_000

interface Stream {
  readonly token: string
  readonly type: string
  readonly perSecond: number
  readonly behaviour?: Behaviour
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
  { behaviour = 'stamp', measureMs = sizes.publishMs, reads = false, ...stream }: Stream,
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
  await receiver.waitUntilReceived(behaviour, sent, ARRIVE_WITHIN_MS).catch(() => {})
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

const TO_SLOW_PER_SECOND = 500

/** W: single events published at a steady rate to one webhook whose endpoint is slow. */
export async function reportEndpoints(bench: Bench): Promise<void> {
  for (const behaviour of ['slow50', 'slow200'] as const) {
    const latency = await measureOneWebhook(bench, TO_SLOW_PER_SECOND, { behaviour })
    const name = `${TO_SLOW_PER_SECOND}/s to an endpoint that takes ${behaviour.slice('slow'.length)} ms`
    const also = { max: latency.max, missing: latency.missing }
    bench.report('W', `${name}, p50`, latency.p50, 'ms', { atMost: 4, also })
    bench.report('W', `${name}, p99`, latency.p99, 'ms', { atMost: 20 })
  }
}
