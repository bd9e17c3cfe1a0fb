import { backfillIndex } from '../../src/deliveries/backfill-index.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import type { Bench } from './bench.ts'
import { fillFinished } from './fill.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { percentile } from './percentile.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const RETENTION_MS = 30 * DAY_MS

/** The rate of publishing, and of reading pages, beside the drop. */
const PER_SECOND = 100

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
  const before = await use(bench, target, null)
  await using dropping = openBenchDatabase(database.url, { maxConnections: 1 })
  const beside = await use(bench, target, async () => {
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
  for (const [name, slowest] of Object.entries(beside.slowestMs)) {
    bench.report({
      scenario: 'R',
      name: `slowest call meanwhile: ${name}`,
      value: slowest,
      unit: 'ms',
      bound: { kind: 'at most', limit: 100 },
      also: { 'slowest before': before.slowestMs[name] ?? Number.NaN },
    })
  }
}

interface Use {
  readonly slowestMs: Readonly<Record<string, number>>
  /** The duration of the work. */
  readonly tookMs: number
}

/** Uses the API at a steady rate, and meanwhile does some work. A failed call counts as infinitely slow. */
async function use(
  { sizes }: Bench,
  target: { readonly url: string; readonly token: string; readonly type: string },
  work: (() => Promise<void>) | null,
): Promise<Use> {
  await using script = startScript('tenant-main.ts')
  const calls = script.call<{ publishMs: (number | null)[]; readMs: (number | null)[] }>('use', {
    ...{ ...target, data: {}, perSecond: PER_SECOND },
    ...{ warmUpMs: sizes.publishWarmUpMs, measureMs: sizes.publishMs },
  })
  // In the middle of the measured time.
  await new Promise((resolve) => setTimeout(resolve, sizes.publishWarmUpMs + sizes.publishMs / 2))
  const startedAt = performance.now()
  await work?.()
  const tookMs = performance.now() - startedAt
  const { publishMs, readMs } = await calls
  const slowest = (times: readonly (number | null)[]) =>
    percentile(
      times.map((ms) => ms ?? Number.POSITIVE_INFINITY),
      1,
    )
  return { slowestMs: { publishing: slowest(publishMs), 'a page of 20': slowest(readMs) }, tookMs }
}
