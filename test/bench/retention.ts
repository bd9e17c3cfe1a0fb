import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import type { Bench } from './bench.ts'
import { fillFinished } from './fill.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'
import { percentilesOf, useMeanwhile } from './use-meanwhile.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const RETENTION_MS = 30 * DAY_MS

/** R: how long retention takes to drop a day, and how long calls take meanwhile, compared with calls before. */
export async function reportRetention(bench: Bench): Promise<void> {
  const { scaleStored } = bench.sizes
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const types = await addWebhooks(services, tenant, bench.receiver.url, 'ok', { count: 20 })
  const day = Math.floor((Date.now() - RETENTION_MS) / DAY_MS - 1) * DAY_MS
  const [since, until] = [new Date(day), new Date(day + DAY_MS)]
  await fillFinished(services.database.pool, tenant, types, scaleStored, since, until)
  // As a worker would have done long ago: the first pass finds where the second one may end.
  for (let pass = 0; pass < 2; pass++) await backfillIndex(services.database.pool)
  await database.settle()
  // Without a worker, which would drop the day when it starts.
  await using api = await startPosthornServer(bench, database.url, 'api')
  const target = { url: api.url, token: tenant.token, type: types[0] ?? '' }
  const before = await useMeanwhile(bench, target, null)
  await using dropping = openBenchDatabase(database.url, { maxConnections: 1 })
  const beside = await useMeanwhile(bench, target, async () => {
    const { dropped } = await maintainPartitions(dropping.pool, RETENTION_MS)
    if (dropped === 0) throw new Error('Retention dropped nothing.')
  })
  bench.report({
    scenario: 'R',
    name: `dropping a day of ${scaleStored.toLocaleString('en')} attempts`,
    value: beside.tookMs,
    unit: 'ms',
    bound: { kind: 'at most', limit: 1_000 },
  })
  const slowestBefore = percentilesOf(before, 1)
  for (const [name, slowest] of Object.entries(percentilesOf(beside, 1))) {
    bench.report({
      scenario: 'R',
      name: `slowest call meanwhile: ${name}`,
      value: slowest,
      unit: 'ms',
      bound: { kind: 'at most', limit: 100 },
      also: { 'slowest before': slowestBefore[name] ?? Number.NaN },
    })
  }
}
