import type { Bench } from './bench.ts'
import { percentile } from './percentile.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { type BenchTenant, createBenchTenant, openBenchServices } from './tenant.ts'

const TYPE = 'bench.streamed'
const SUBSCRIBERS = 100
const PER_SECOND = 1_000
const PULLED = 20_000

/** X: events to subscribers and to a consumer, through one process that publishes and streams. */
export async function reportStreaming(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  await services.database.pool.query(
    `insert into posthorn.event_types (name, description) values ($1, 'Created by the bench.')`,
    [TYPE],
  )
  await services.database.pool.query('update posthorn.api_keys set scopes = scopes || $1', [
    ['events:read'],
  ])
  await using server = await startPosthornServer(bench, database.url, 'all')
  const latencies = await measureSubscribers(bench, server.url, tenant)
  bench.report({
    scenario: 'X',
    name: `publish to ${SUBSCRIBERS} subscribers with filters at ${PER_SECOND.toLocaleString('en')}/s, p99`,
    value: percentile(latencies, 0.99),
    unit: 'ms',
    bound: { kind: 'at most', limit: 100 },
    also: {
      p50: percentile(latencies, 0.5),
      max: percentile(latencies, 1),
      events: latencies.length,
    },
  })
  const perSecond = await measurePulls(bench, server.url, tenant)
  bench.report({
    scenario: 'X',
    name: 'pulled and acknowledged by one consumer',
    value: perSecond,
    unit: '/s',
    bound: { kind: 'at least', limit: 5_000 },
  })
}

/** Each subscriber gets another hundredth of the events. */
async function measureSubscribers(
  { sizes }: Bench,
  url: string,
  { token }: BenchTenant,
): Promise<number[]> {
  await using subscribers = startScript('subscriber-main.ts')
  await using publisher = startScript('publisher-main.ts')
  await subscribers.call('subscribe', { url, token, type: TYPE, count: SUBSCRIBERS })
  const { acceptedInTime } = await publisher.call<{ acceptedInTime: number }>('publishAtRate', {
    ...{ url, token, type: TYPE, perSecond: PER_SECOND, connections: 100, shares: SUBSCRIBERS },
    data: {},
    warmUpMs: sizes.publishWarmUpMs,
    measureMs: sizes.publishMs,
  })
  return await subscribers.call<number[]>('latencies', { count: acceptedInTime })
}

async function measurePulls(_bench: Bench, url: string, { token }: BenchTenant): Promise<number> {
  await using subscribers = startScript('subscriber-main.ts')
  await using publisher = startScript('publisher-main.ts')
  const target = { url, token, type: TYPE, connections: 4 }
  await subscribers.call('pull', { ...target, count: 0 })
  await publisher.call('publishNumber', {
    ...target,
    batch: 100,
    data: { note: 'x'.repeat(900) },
    count: PULLED,
  })
  const tookMs = await subscribers.call<number>('pull', { ...target, count: PULLED })
  return (PULLED * 1_000) / tookMs
}
