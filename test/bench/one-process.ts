import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { monotonicMs, percentile } from './figures.ts'
import { DATA } from './fill.ts'
import { measureLatencies, spread } from './latency.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'
import { perEventUs, startUsage, type Usage } from './usage.ts'

/** M: the memory, the CPU time and the latency of one process that publishes and delivers to one webhook. */
export async function reportOneProcess(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'stamp')
  const { token } = tenant
  await database.settle()
  {
    await using server = await startPosthornServer(bench, database.url, 'all')
    const rest = await reportRest(bench, server)
    await reportLoad(bench, server, { token, type })
    for (const rate of RATES) await reportRate(bench, server, { ...rate, token, type, rest })
    await reportRestAfterwards(bench, server)
  }
  await reportStart(bench, database.url)
}

async function reportRest(bench: Bench, server: PosthornServer): Promise<Usage> {
  await sleep(bench.sizes.settleMs)
  bench.report('M', 'memory at rest', await memoryMib(server), 'MiB', { atMost: 180 })
  const endUsage = await startUsage(bench, server)
  await sleep(bench.sizes.restMs)
  const rest = await endUsage()
  bench.report('M', 'CPU time at rest', msPerSecond(rest), 'ms/s', { atMost: 11.5 })
  return rest
}

interface Stream {
  readonly token: string
  readonly type: string
}

/** The events of a tenth and a half warm the process up. */
const WARM_UP_SHARE = 0.15

async function reportLoad(bench: Bench, server: PosthornServer, stream: Stream): Promise<void> {
  const { count } = bench.sizes
  await using publisher = startScript('publisher-main.ts')
  const target = { ...stream, url: server.url, connections: CONNECTIONS, data: DATA }
  /** Publishes events one after the other on each connection. Resolves with the ms until the last one arrives. */
  async function deliver(events: number, batch: number | null): Promise<number> {
    await bench.receiver.reset()
    const startedAt = monotonicMs()
    const [arrivedAt] = await Promise.all([
      bench.receiver.waitUntilReceived('stamp', events),
      publisher.call('publishBackToBack', { ...target, batch, count: events }),
    ])
    return arrivedAt - startedAt
  }
  await deliver(count * WARM_UP_SHARE, null)
  for (const batch of [null, 100]) {
    const endUsage = await startUsage(bench, server)
    const tookMs = await deliver(count, batch)
    const { processUs, postgresUs } = perEventUs(await endUsage(), count)
    const how = batch === null ? 'singly' : `in batches of ${batch}`
    const name = `published ${how} on ${CONNECTIONS} connections, delivered`
    const also = { 'process µs': processUs, 'Postgres µs': postgresUs }
    bench.report('M', name, count / (tookMs / 1_000), '/s', { also })
  }
  const also = { peak: toMib(await server.peakMemoryMb()) }
  bench.report('M', 'memory after that', await memoryMib(server), 'MiB', { atMost: 260, also })
}

const CONNECTIONS = 50

/** The first ones follow the load at once. */
const RATES = [
  { perSecond: 50, p50: 3, p99: 10 },
  { perSecond: 500, p50: 4, p99: 20 },
  { perSecond: 1 },
]

async function reportRate(
  bench: Bench,
  server: PosthornServer,
  rate: Stream & (typeof RATES)[number] & { readonly rest: Usage },
): Promise<void> {
  const { token, type, perSecond, p50, p99, rest } = rate
  const { publishWarmUpMs, steadyMs } = bench.sizes
  const endUsage = await startUsage(bench, server)
  const stream = { token, type, perSecond, measureMs: steadyMs }
  const { receipt } = await measureLatencies(bench, server, stream)
  const count = (perSecond * (publishWarmUpMs + steadyMs)) / 1_000
  const { processUs, postgresUs } = perEventUs(await endUsage(), count, rest)
  const name = `publish to receipt at ${perSecond}/s`
  bench.report('M', `${name}, p50`, percentile(receipt, 0.5), 'ms', { atMost: p50 })
  const also = spread(receipt)
  bench.report('M', `${name}, p99`, percentile(receipt, 0.99), 'ms', { atMost: p99, also })
  const used = { 'Postgres µs': postgresUs }
  bench.report('M', `CPU time per event at ${perSecond}/s`, processUs, 'µs', { also: used })
}

async function reportRestAfterwards(bench: Bench, server: PosthornServer): Promise<void> {
  const endUsage = await startUsage(bench, server)
  await sleep(bench.sizes.settleMs + bench.sizes.restMs)
  const rest = await endUsage()
  const also = { 'CPU ms/s': msPerSecond(rest) }
  const name = `memory ${Math.round(rest.tookMs / 1_000)} s after the last event`
  bench.report('M', name, await memoryMib(server), 'MiB', { also })
}

const STARTS = 3

/** With the data of the load, and the modules compiled by the first start. */
async function reportStart(bench: Bench, databaseUrl: string): Promise<void> {
  const readyMs: number[] = []
  const cpuMs: number[] = []
  for (let start = 1; start <= STARTS; start++) {
    await using server = await startPosthornServer(bench, databaseUrl, 'all')
    cpuMs.push(await server.cpuTimeMs())
    readyMs.push(server.readyAfterMs)
  }
  const also = { 'CPU ms': percentile(cpuMs, 0.5) }
  bench.report('M', 'start until ready', percentile(readyMs, 0.5), 'ms', { atMost: 1_600, also })
}

const toMib = (mb: number) => (mb * 1e6) / 2 ** 20

const memoryMib = async (server: PosthornServer) => toMib(await server.memoryMb())

const msPerSecond = ({ processMs, tookMs }: Usage) => processMs / (tookMs / 1_000)
