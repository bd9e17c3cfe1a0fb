import { compileFilter } from '../../src/events/filters/compile-filter.ts'
import { parseStoredFilter } from '../../src/events/filters/read-filter.ts'
import type { Services } from '../../src/run/services.ts'
import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const WEBHOOKS = 100
const NO_FILTER = { path: null, steps: null, scans: null }
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

const CASES = {
  none: { enabled: false, filter: null, city: 'Paris' },
  refuse: { enabled: true, filter: FILTER, city: 'Paris' },
  plain: { enabled: true, filter: null, city: 'Berlin' },
  match: { enabled: true, filter: FILTER, city: 'Berlin' },
}

/** Q: what filters cost when an event is published. */
export async function reportFilters(bench: Bench): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenants = new Map<keyof typeof CASES, FilterTenant>()
  for (const name of Object.keys(CASES) as (keyof typeof CASES)[])
    tenants.set(name, await tenantWith(bench, services, CASES[name]))
  await database.settle()
  const times: Record<string, number[]> = {}
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, tenant] of tenants) {
      const took = await publish(services, tenant)
      // The first rounds fill caches and plans.
      if (round >= 3) times[name] = [...(times[name] ?? []), ...took]
    }
  }
  const median = (name: keyof typeof CASES) => percentile(times[name] ?? [], 0.5)
  const publishing = `publishing to ${WEBHOOKS} webhooks whose filters`
  const added = median('refuse') - median('none')
  const also = { 'without webhooks': median('none') }
  bench.report('Q', `${publishing} refuse: added`, added, 'ms', { atMost: 1, also })
  const of = { name: 'without filters', value: median('plain') }
  bench.report('Q', `${publishing} match`, median('match'), 'ms', { atMost: 1.05, of })
}

type FilterTenant = Awaited<ReturnType<typeof tenantWith>>

async function tenantWith(
  bench: Bench,
  services: Services,
  { enabled, filter, city }: (typeof CASES)[keyof typeof CASES],
) {
  const tenant = await createBenchTenant(services)
  const options = { count: WEBHOOKS, sameType: true }
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'ok', options)
  const { path, steps, scans } = filter ? compileFilter(parseStoredFilter(filter)) : NO_FILTER
  await services.database.pool.query(
    `update posthorn.webhooks set enabled = $2, filter = $3, filter_path = $4, filter_steps = $5, filter_scans = $6
     where organization_id = $1`,
    [tenant.organizationId, enabled, filter, path, steps, scans],
  )
  return { ...tenant, type, city }
}

/** The milliseconds that each of some events took, one after the other. */
async function publish({ database }: Services, tenant: FilterTenant): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < EVENTS_PER_ROUND; i++) {
    const startedAt = performance.now()
    await database.pool.query({
      name: 'bench_publish',
      text: 'select * from posthorn.publish_event($1, $2, $3::text)',
      values: [tenant.publicOrganizationId, tenant.type, dataIn(tenant.city)],
    })
    took.push(performance.now() - startedAt)
  }
  return took
}
