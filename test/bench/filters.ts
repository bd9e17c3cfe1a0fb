import { tryFilter } from '../../src/events/filter-trial.graphql.ts'
import { compileFilter } from '../../src/events/filters/compile-filter.ts'
import { parseStoredFilter } from '../../src/events/filters/read-filter.ts'
import type { Services } from '../../src/run/services.ts'
import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { addWebhooks, type BenchTenant, createBenchTenant, openBenchServices } from './tenant.ts'

const WEBHOOKS = 100
/** Publishing events one by one, in turns, so that all cases meet the same machine. */
const ROUNDS = 20
const EVENTS_PER_ROUND = 20

/** Two conditions, as people write them. The city says whether the filters match. */
const FILTER = `{"all":[
  {"path":"$.order.city","op":"equals","value":"Berlin"},
  {"path":"$.order.total","op":"greater","value":100}]}`
const dataIn = (city: string) =>
  JSON.stringify({
    order: {
      ...{ id: 'ord_4711', city, total: 150 },
      lines: Array.from({ length: 20 }, (_, n) => ({ sku: `sku-${n}`, price: 10 })),
    },
  })

/** Q: what filters cost when an event is published, and what a trial costs. */
export async function reportFilters(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const none = await tenantWith(bench, services, null)
  const plain = await tenantWith(bench, services, '')
  const filtering = await tenantWith(bench, services, FILTER)
  await database.settle()
  const cases = {
    none: () => publish(services, none, 'Paris'),
    noneMatch: () => publish(services, filtering, 'Paris'),
    plain: () => publish(services, plain, 'Berlin'),
    allMatch: () => publish(services, filtering, 'Berlin'),
  }
  const times: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const took = await run()
      // The first rounds fill caches and plans.
      if (round >= 3) times[name] = [...(times[name] ?? []), ...took]
    }
  }
  const median = (name: keyof typeof cases) => percentile(times[name] ?? [], 0.5)
  const publishing = `publishing to ${WEBHOOKS} webhooks whose filters`
  const added = median('noneMatch') - median('none')
  const also = { 'without webhooks': median('none') }
  bench.report('Q', `${publishing} refuse: added`, added, 'ms', { atMost: 1, also })
  const of = { name: 'without filters', value: median('plain') }
  bench.report('Q', `${publishing} match`, median('allMatch'), 'ms', { atMost: 1.05, of })
  const tried = percentile(await tryMany(services, filtering), 0.95)
  bench.report('Q', 'trying a filter on 100 events, p95', tried, 'ms', { atMost: 100 })
}

type FilterTenant = BenchTenant & { readonly type: string }

/** `filter`: null for no webhooks, empty for webhooks without a filter. */
async function tenantWith(
  bench: Bench,
  services: Services,
  filter: string | null,
): Promise<FilterTenant> {
  const tenant = await createBenchTenant(services)
  const options = { count: filter === null ? 1 : WEBHOOKS, sameType: true }
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'ok', options)
  const { pool } = services.database
  if (filter === null) {
    await pool.query('update posthorn.webhooks set enabled = false where organization_id = $1', [
      tenant.organizationId,
    ])
  } else if (filter !== '') {
    const { path, steps, scans } = compileFilter(parseStoredFilter(filter))
    await pool.query(
      `update posthorn.webhooks set filter = $2, filter_path = $3, filter_steps = $4, filter_scans = $5 where organization_id = $1`,
      [tenant.organizationId, filter, path, steps, scans],
    )
  }
  return { ...tenant, type }
}

async function publish(
  { database }: Services,
  { publicOrganizationId, type }: FilterTenant,
  city: string,
): Promise<number[]> {
  return await timed(EVENTS_PER_ROUND, () =>
    database.pool.query({
      name: 'bench_publish',
      text: 'select * from posthorn.publish_event($1, $2, $3::text)',
      values: [publicOrganizationId, type, dataIn(city)],
    }),
  )
}

/** The milliseconds that each of some calls took, one after the other. */
async function timed(count: number, call: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now()
    await call()
    took.push(performance.now() - startedAt)
  }
  return took
}

async function tryMany({ database }: Services, { organizationId, type }: FilterTenant) {
  const filter = parseStoredFilter(FILTER)
  const on = { types: [type], onlyWebhook: null }
  return await timed(50, () => tryFilter(database.pool, organizationId, filter, on))
}
