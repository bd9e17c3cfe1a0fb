import type { Sql } from '../../src/db/client.ts'
import { LATENCY_BOUNDS_MS } from '../../src/webhooks/latency.ts'
import { createTenant } from '../support/factories.ts'
import { backfillAll, fillDeliveries, fillSearchKeys } from '../support/many-deliveries.ts'
import type { Bench } from './bench.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { percentile } from './percentile.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { measureResuming } from './resuming.ts'

/** The measured lists, by their names in the report. */
const LISTS = {
  deliveries: 'deliveries(first: 50, after: $after)',
  'deliveries, retrying': 'deliveries(filter: { states: RETRYING }, first: 50, after: $after)',
  'deliveries, succeeded': 'deliveries(filter: { states: SUCCEEDED }, first: 50, after: $after)',
  'deliveries, exhausted': 'deliveries(filter: { states: EXHAUSTED }, first: 50, after: $after)',
  'deliveries, 2xx': 'deliveries(filter: { statusClasses: SUCCESS_2XX }, first: 50, after: $after)',
  'deliveries, 5xx':
    'deliveries(filter: { statusClasses: SERVER_ERROR_5XX }, first: 50, after: $after)',
  'deliveries, rare type':
    'deliveries(filter: { eventTypes: ["event_attendee.ticket_success"] }, first: 50, after: $after)',
  'deliveries, with an attempt of a cause':
    'deliveries(filter: { anyAttempt: { causes: "500" } }, first: 50, after: $after)',
  attempts: 'attempts(first: 50, after: $after)',
  'attempts, failed':
    'attempts(filter: { statusClasses: [REDIRECTION_3XX, CLIENT_ERROR_4XX, SERVER_ERROR_5XX, NO_RESPONSE] }, first: 50, after: $after)',
  'attempts, by cause': 'attempts(filter: { causes: ["500", "400"] }, first: 50, after: $after)',
  'attempts, slow': 'attempts(filter: { minDurationMs: 10000 }, first: 50, after: $after)',
  events: 'events(first: 50, after: $after)',
  'events of a customer': `events(filter: { ${key('$.customer', 'c77')} }, first: 50, after: $after)`,
  'deliveries of one order': `deliveries(filter: { ${key('$.n', '77')} }, first: 50, after: $after)`,
  'deliveries of a customer': `deliveries(filter: { ${key('$.customer', 'c77')} }, first: 50, after: $after)`,
  'deliveries of a customer, exhausted': `deliveries(filter: { ${key('$.customer', 'c77')}, states: EXHAUSTED }, first: 50, after: $after)`,
  'deliveries with a value of all events': `deliveries(filter: { ${key('$.currency', 'EUR')} }, first: 50, after: $after)`,
} as const

function key(path: string, equals: string): string {
  return `key: { path: "${path}", equals: "${equals}" }`
}

const PAGES = 100

/** The bound of a page, by the number of stored deliveries. */
const pageBoundMs = (stored: number) => (stored > 1_000_000 ? 30 : 20)

/** P: the times of consecutive pages of long lists, of statistics, and of resumed streams over HTTP, as 95th percentiles. */
export async function reportPages(bench: Bench): Promise<void> {
  const { server, sizes } = bench
  await using database = await server.createDatabase()
  await using filled = openBenchDatabase(database.url)
  const { organizationId, token } = await createTenant(filled.prisma)
  await fillDeliveries(filled.pool, organizationId, sizes.stored)
  await fillSearchKeys(filled.pool, organizationId)
  await database.settle()
  await backfillAll(filled.pool)
  await fillStatistics(filled.pool, organizationId)

  await using api = await startPosthornServer(bench, database.url, 'api')
  const report = (name: string, value: number, limit: number) =>
    bench.report({
      scenario: 'P',
      name: `${name}, p95`,
      value,
      unit: 'ms',
      bound: { kind: 'at most', limit },
    })
  for (const [name, list] of Object.entries(LISTS)) {
    report(`page of ${name}`, await measureList(api.url, token, list), pageBoundMs(sizes.stored))
  }
  const since = new Date(Date.now() - 30 * DAY_MS).toISOString()
  const counted = `statistics(since: "${since}", bucket: HOUR) { start attempts successRate latency { p95Ms } }`
  report('statistics of 30 days', await measureQuery(api.url, token, counted), 100)
  const health = `health(window: MONTH) { state successRate latency { p95Ms } }`
  const many = `webhooks(first: 20) { nodes { ${health} ${counted.replace('HOUR', 'DAY')} } }`
  report('statistics and health of 20 webhooks', await measureQuery(api.url, token, many), 100)
  const cpuBeforeMs = await api.cpuTimeMs()
  const arrives = `deliveryHealth { onTimeRate firstAttemptDelay { p95Ms } responseTime { p95Ms }
    waiting { reason count oldestAt } webhooks { state count } }`
  report('health of deliveries', await measureQuery(api.url, token, arrives), 50)
  const resumed = await measureResuming(filled.pool, organizationId, api.url, token)
  bench.report({
    scenario: 'P',
    name: `resuming after ${resumed.missed.toLocaleString('en')} missed attempts, p95`,
    value: resumed.tookMs,
    unit: 'ms',
    bound: { kind: 'at most', limit: 1_000 },
    also: { 'API CPU ms': ((await api.cpuTimeMs()) - cpuBeforeMs) / resumed.count },
  })
}

const DAY_MS = 86_400_000

/** Statistics of thirty days, with attempts of every webhook in every hour. */
async function fillStatistics(sql: Sql, organizationId: string): Promise<void> {
  await sql.query(
    `insert into posthorn.webhook_statistics
     select subject.id, $1, 60, hour, 0, 1000, 990, 0, 4, 4, 2, array_fill(37, array[$2::int])
     from generate_series(date_trunc('hour', now(), 'UTC') - interval '30 days',
       date_trunc('hour', now(), 'UTC') - interval '1 hour', interval '1 hour') as hour,
       (select id from posthorn.webhooks where organization_id = $1 union all select $1) as subject
     on conflict do nothing`,
    [organizationId, LATENCY_BOUNDS_MS.length + 1],
  )
  await sql.query(
    `update posthorn.cursors set reached_at = date_trunc('hour', now(), 'UTC') where name = 'statistics_rollup'`,
  )
  await sql.query('vacuum (analyze) posthorn.webhook_statistics')
}

/** Repeats an operation, and returns the 95th percentile of its time in ms. */
export async function measureQuery(url: string, token: string, selection: string): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < PAGES; i++) took.push((await post(url, token, `{ ${selection} }`, {})).tookMs)
  return percentile(took, 0.95)
}

async function measureList(url: string, token: string, list: string): Promise<number> {
  const query = `query ($after: String) { list: ${list} { nodes { id } pageInfo { endCursor hasNextPage } } }`
  const took: number[] = []
  let after: string | null = null
  for (let i = 0; i < PAGES; i++) {
    const answer: Answer<ListAnswer> = await post(url, token, query, { after })
    took.push(answer.tookMs)
    const { endCursor, hasNextPage } = answer.data.list.pageInfo
    after = hasNextPage ? endCursor : null
  }
  return percentile(took, 0.95)
}

interface ListAnswer {
  readonly list: {
    readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean }
  }
}

interface Answer<Data> {
  readonly data: Data
  readonly tookMs: number
}

async function post<Data>(
  url: string,
  token: string,
  query: string,
  variables: object,
): Promise<Answer<Data>> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return { data, tookMs: performance.now() - startedAt }
}
