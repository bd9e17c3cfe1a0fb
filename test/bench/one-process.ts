import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './bench-server.ts'
import { monotonicMs, percentile } from './figures.ts'
import { DATA } from './fill.ts'
import { measureLatencies, spread } from './latency.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'
import { perEvent, startUsage, type Usage } from './usage.ts'

/** The process that is measured, and the key and the type with which events are published. */
interface Measured {
  readonly bench: Bench
  readonly database: BenchDatabase
  readonly server: PosthornServer
  readonly token: string
  readonly type: string
}

/** M: what one process costs that publishes and delivers to one webhook: at rest, under load and at each rate. */
export async function reportOneProcess(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'stamp')
  await database.settle()
  await reportStart(bench, database.url)
  await using server = await startPosthornServer(bench, database.url, 'all')
  const measured = { bench, database, server, token: tenant.token, type }
  const rest = await reportRest(measured, '', 150, 11.5)
  await reportLoad(measured)
  await reportRates(measured, rest)
  await reportRest(measured, ' after the last event')
}

async function reportRest(
  { bench, database, server }: Measured,
  when: string,
  maxMib?: number,
  maxMsPerSecond?: number,
): Promise<Usage> {
  await sleep(bench.sizes.settleMs)
  const endUsage = await startUsage(bench, server, database)
  await sleep(bench.sizes.restMs)
  const rest = await endUsage()
  const perSecond = 1_000 / rest.tookMs
  const also = { statements: rest.transactions * perSecond, 'wake-ups': rest.wakeUps * perSecond }
  bench.report('M', `memory at rest${when}`, await memoryMib(server), 'MiB', { atMost: maxMib })
  const bound = { atMost: maxMsPerSecond, also }
  bench.report('M', `CPU time at rest${when}`, rest.processMs * perSecond, 'ms/s', bound)
  return rest
}

const CONNECTIONS = 50

/** Shares of `count`; the first one warms the process up. */
const LOADS = [
  { by: 'REST', batch: null, share: 0.25 },
  { by: 'REST', batch: null, share: 1 },
  { by: 'GraphQL', batch: null, share: 0.75 },
  { by: 'REST', batch: 100, share: 1 },
]

async function reportLoad({ bench, database, server, ...stream }: Measured): Promise<void> {
  await using publisher = startScript('publisher-main.ts')
  const target = { ...stream, url: server.url, connections: CONNECTIONS, data: DATA }
  for (const [i, { by, batch, share }] of LOADS.entries()) {
    const count = bench.sizes.count * share
    await bench.receiver.reset()
    const endUsage = await startUsage(bench, server, database)
    const startedAt = monotonicMs()
    // Each connection publishes one event or batch after the other.
    const [arrivedAt] = await Promise.all([
      bench.receiver.waitUntilReceived('stamp', count),
      publisher.call('publishBackToBack', { ...target, by, batch, count }),
    ])
    const { processUs, postgresUs } = perEvent(await endUsage(), count)
    const how = batch === null ? 'singly' : `in batches of ${batch}`
    const name = `published ${how} by ${by} on ${CONNECTIONS} connections, delivered`
    const also = { 'process µs': processUs, 'Postgres µs': postgresUs }
    const perSecond = count / ((arrivedAt - startedAt) / 1_000)
    if (i > 0) bench.report('M', name, perSecond, '/s', { also })
  }
  const also = { peak: toMib(await server.peakMemoryMb()) }
  const name = `memory after ${bench.sizes.count * 3} events`
  bench.report('M', name, await memoryMib(server), 'MiB', { atMost: 220, also })
}

/** The first ones follow the load at once. */
const RATES = [
  { perSecond: 50, p50: 3, p99: 10 },
  { perSecond: 200, p50: 4, p99: 20 },
  { perSecond: 500, p50: 4, p99: 20 },
  { perSecond: 1, p50: 5, p99: 10 },
]

async function reportRates({ bench, database, ...measured }: Measured, rest: Usage) {
  const { server } = measured
  const { publishWarmUpMs, steadyMs, settleMs } = bench.sizes
  const cpuUs: number[] = []
  for (const { perSecond, p50, p99 } of RATES) {
    // After the time in which idle connections tell Postgres what they did, and long enough for some events.
    if (perSecond === 1) await sleep(settleMs)
    const measureMs = perSecond === 1 ? 3 * steadyMs : steadyMs
    const endUsage = await startUsage(bench, server, database)
    const receipt = await measureLatencies(bench, server, { ...measured, perSecond, measureMs })
    const count = (perSecond * (publishWarmUpMs + measureMs)) / 1_000
    const { processUs, postgresUs, wakeUps, statements } = perEvent(await endUsage(), count, rest)
    const name = `publish to receipt at ${perSecond}/s`
    bench.report('M', `${name}, p50`, percentile(receipt, 0.5), 'ms', { atMost: p50 })
    const also = spread(receipt)
    bench.report('M', `${name}, p99`, percentile(receipt, 0.99), 'ms', { atMost: p99, also })
    const used = { 'Postgres µs': postgresUs, 'wake-ups': wakeUps, statements }
    bench.report('M', `CPU time per event at ${perSecond}/s`, processUs, 'µs', { also: used })
    cpuUs.push(processUs)
    if (perSecond === 1)
      bench.report('M', 'statements per event at 1/s', statements, 'statements', { atMost: 4 })
  }
  const of = { name: 'the smallest', value: Math.min(...cpuUs) }
  bench.report('M', 'CPU time per event, the largest', Math.max(...cpuUs), 'µs', { atMost: 2, of })
}

/** The first start compiles the code and caches it, so the process that is measured afterwards has no compiler. */
async function reportStart(bench: Bench, databaseUrl: string): Promise<void> {
  const readyMs: number[] = []
  const cpuMs: number[] = []
  for (let start = 1; start <= 3; start++) {
    await using server = await startPosthornServer(bench, databaseUrl, 'all')
    cpuMs.push(await server.cpuTimeMs())
    readyMs.push(server.readyAfterMs)
  }
  const also = { 'CPU ms': percentile(cpuMs, 0.5) }
  bench.report('M', 'start until ready', percentile(readyMs, 0.5), 'ms', { atMost: 1_600, also })
}

const toMib = (mb: number) => (mb * 1e6) / 2 ** 20

const memoryMib = async (server: PosthornServer) => toMib(await server.memoryMb())
