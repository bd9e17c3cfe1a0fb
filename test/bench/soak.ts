import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { prepareDrains } from './drain.ts'
import { DATA } from './fill.ts'
import { postgresMemory } from './memory.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { startPosthornServer } from './posthorn-server.ts'
import type { Row } from './row.ts'
import { startScript } from './script-process.ts'
import { readStorage } from './storage.ts'
import { trendOf } from './trend.ts'

export interface SoakOptions {
  readonly minutes: number
  /** Events per second, each of which becomes one delivery. Null: half of what a worker delivers on this machine. */
  readonly perSecond: number | null
}

const SAMPLE_EVERY_MS = 60_000
const MIN_SAMPLES = 20
const EVENTS_PER_CALL = 20

/** What is sampled, and the largest ratio of the second half's median to that of the first. */
const SUBJECTS: Readonly<Record<string, { name: string; unit: Row['unit']; limit: number }>> = {
  apiMb: { name: 'memory of the API', unit: 'MB', limit: 1.1 },
  workerMb: { name: 'memory of the worker', unit: 'MB', limit: 1.1 },
  postgresMb: { name: 'memory of Postgres', unit: 'MB', limit: 1.25 },
  jobsMb: { name: 'tables of the queue', unit: 'MB', limit: 1.25 },
  smallTablesMb: { name: 'tables without partitions', unit: 'MB', limit: 1.25 },
  tableBytes: { name: 'table bytes per delivery', unit: 'B', limit: 1.1 },
  indexBytes: { name: 'index bytes per delivery', unit: 'B', limit: 1.1 },
  // Autovacuum and checkpoints make these rise and fall.
  deadJobRows: { name: 'dead rows of the queue', unit: 'rows', limit: 1.5 },
  deadDeliveryRows: { name: 'dead rows of deliveries', unit: 'rows', limit: 1.5 },
  walMb: { name: 'WAL on the disk', unit: 'MB', limit: 1.5 },
  unfinished: { name: 'deliveries not finished yet', unit: 'rows', limit: 1.5 },
}

/** K: whether memory and tables stay as they are while an API and a worker run for long at half their rate. */
export async function reportSoak(bench: Bench, options: SoakOptions): Promise<void> {
  await using drains = await prepareDrains(bench)
  const perSecond =
    options.perSecond ??
    Math.round((await drains.measure({ count: bench.sizes.count })).perSecond / 2)
  const { database, tenant, types } = drains
  await using api = await startPosthornServer(bench, database.url, 'api')
  await using worker = await startPosthornServer(bench, database.url, 'worker')
  await using polled = openBenchDatabase(database.url, { maxConnections: 1 })
  await using publisher = startScript('publisher-main.ts')
  const totalMs = options.minutes * 60_000
  const publishing = publisher.call<{ accepted: number; repeated: number }>(
    'publishBatchesAtRate',
    {
      ...{ url: api.url, token: tenant.token, connections: 4, types, data: DATA },
      ...{ perSecond, batch: EVENTS_PER_CALL, measureMs: totalMs },
    },
  )
  const samples: { readonly atMs: number; readonly values: Record<string, number> }[] = []
  const everyMs = Math.min(SAMPLE_EVERY_MS, totalMs / MIN_SAMPLES)
  const startedAt = performance.now()
  for (let at = everyMs; at < totalMs; at += everyMs) {
    await Promise.race([sleep(startedAt + at - performance.now()), publishing])
    const values = {
      apiMb: await api.memory.now(),
      workerMb: await worker.memory.now(),
      postgresMb: await postgresMemory(bench.server.folder),
      ...(await readStorage(polled.pool)),
    }
    samples.push({ atMs: performance.now() - startedAt, values })
    const shown = Object.entries(values).map(([name, value]) => `${name} ${Math.round(value)}`)
    console.error(`${Math.round(at / 1_000)} s: ${shown.join(', ')}`)
  }
  const { accepted, repeated } = await publishing
  const tookS = (performance.now() - startedAt) / 1_000
  bench.report({
    ...{ scenario: 'K', name: 'events published', value: accepted / tookS, unit: '/s' },
    bound: { kind: 'at least', limit: 0.95, of: { name: 'the rate', value: perSecond } },
    also: { 'calls repeated after 503': repeated },
  })
  for (const [subject, { name, unit, limit }] of Object.entries(SUBJECTS)) {
    // Of the events of one second, any number may be unfinished.
    const atLeast = (value: number) => Math.max(value, subject === 'unfinished' ? perSecond : 1)
    const { first, second, perHour } = trendOf(
      samples.map(({ atMs, values }) => ({ atMs, value: values[subject] ?? Number.NaN })),
    )
    bench.report({
      ...{ scenario: 'K', name, value: second, unit },
      bound: { kind: 'at most', limit, of: { name: 'the first half', value: atLeast(first) } },
      also: { 'slope per hour': perHour },
    })
  }
}
