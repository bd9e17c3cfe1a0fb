import { startApart } from './apart.ts'
import type { Bench } from './bench.ts'
import type { Manner } from './bench-receiver.ts'
import { DATA, fillRetries } from './fill.ts'
import { percentile } from './percentile.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** From the beginning of the request that publishes an event to its arrival at the receiver, in ms. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  /** Events that had not arrived in the end. They count as never. */
  readonly missing: number
}

/** E: publish-to-receipt latency through one process that publishes and delivers, to one webhook. */
export async function reportLatency(bench: Bench): Promise<void> {
  const report = (name: string, latency: Latency, limit?: number) =>
    bench.report({
      scenario: 'E',
      name: `publish to receipt at ${name}, p99`,
      value: latency.p99,
      unit: 'ms',
      also: besides(latency, 'p50', 'p95', 'max'),
      ...(limit && { bound: { kind: 'at most', limit } }),
    })
  report('50/s', await measureLatencyAlone(bench, 50))
  const usual = await measureLatencyAlone(bench, USUAL_PER_SECOND)
  report('200/s', usual, 30)
  bench.report({
    scenario: 'E',
    name: 'publish to receipt at 200/s, p50',
    value: usual.p50,
    unit: 'ms',
    bound: { kind: 'at most', limit: 8 },
  })
  report('1,000/s', await measureLatencyAlone(bench, 1_000), 100)
  const stored = bench.sizes.stored.toLocaleString('en')
  report(
    `200/s beside ${stored} scheduled retries`,
    toLatency(await measureAlone(bench, USUAL_PER_SECOND, { retries: bench.sizes.stored })),
    30,
  )
}

export function besides(latency: Latency, ...names: (keyof Latency)[]): Record<string, number> {
  const shown = latency.missing > 0 ? [...names, 'missing' as const] : names
  return Object.fromEntries(shown.map((name) => [name, latency[name]]))
}

export const USUAL_PER_SECOND = 200

async function measureLatencyAlone(bench: Bench, perSecond: number): Promise<Latency> {
  return toLatency(await measureAlone(bench, perSecond))
}

/** How long each event took, in ms, to the only webhook that it is published to. */
export async function measureAlone(
  bench: Bench,
  perSecond: number,
  { manner = 'stamp', retries = 0 }: { manner?: Manner; retries?: number } = {},
): Promise<number[]> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const { url } = bench.receiver
  if (retries > 0) {
    const failing = await addWebhooks(services, tenant, url, 'fail', { count: 20 })
    await fillRetries(services.database.pool, tenant, failing, retries)
  }
  const [type = ''] = await addWebhooks(services, tenant, url, manner)
  await database.settle()
  await using server = await startPosthornServer(bench, database.url, 'all')
  return await measureArrivals(bench, server, { token: tenant.token, type, perSecond, manner })
}

/** How long receipts are waited for once all is published. */
const ARRIVE_WITHIN_MS = 5_000

/** How long each event took, in ms; those that did not arrive took infinitely long. */
export async function measureArrivals(
  { receiver, sizes }: Bench,
  server: PosthornServer,
  stream: {
    readonly token: string
    readonly type: string
    readonly perSecond: number
    readonly manner?: Manner
    readonly measureMs?: number
  },
): Promise<number[]> {
  await receiver.forget()
  await using publisher = startApart('publisher-main.ts')
  const { accepted, acceptedInTime } = await publisher.call<{
    accepted: number
    acceptedInTime: number
  }>('publishOnTime', {
    ...stream,
    url: server.url,
    connections: 100,
    data: DATA,
    warmUpMs: sizes.publishWarmUpMs,
    measureMs: stream.measureMs ?? sizes.publishMs,
  })
  await receiver.reached(stream.manner ?? 'stamp', accepted, ARRIVE_WITHIN_MS).catch(() => {})
  const arrived = await receiver.latenciesMs()
  const missing = Math.max(0, acceptedInTime - arrived.length)
  return [...arrived, ...new Array<number>(missing).fill(Number.POSITIVE_INFINITY)]
}

export function toLatency(arrivals: readonly number[]): Latency {
  return {
    p50: percentile(arrivals, 0.5),
    p95: percentile(arrivals, 0.95),
    p99: percentile(arrivals, 0.99),
    max: percentile(arrivals, 1),
    missing: arrivals.filter((ms) => !Number.isFinite(ms)).length,
  }
}
