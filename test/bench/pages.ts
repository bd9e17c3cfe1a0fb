import { startApp } from '../../src/app.ts'
import type { Sql } from '../../src/db/client.ts'
import { markLingeringDeliveries } from '../../src/deliveries/mark-lingering.ts'
import type { Settings } from '../../src/services.ts'
import { LATENCY_BOUNDS_MS } from '../../src/webhooks/latency.ts'
import { createTenant } from '../support/factories.ts'
import { fillDeliveries } from '../support/million.ts'

/** The lists whose pages are measured, each under its name in the report. */
const LISTS = {
  deliveries: 'deliveries(first: 50, after: $after)',
  'deliveries, pending': 'deliveries(filter: { state: PENDING }, first: 50, after: $after)',
  'deliveries, succeeded': 'deliveries(filter: { state: SUCCEEDED }, first: 50, after: $after)',
  'deliveries, exhausted': 'deliveries(filter: { state: EXHAUSTED }, first: 50, after: $after)',
  'deliveries, 2xx': 'deliveries(filter: { statusClass: SUCCESS_2XX }, first: 50, after: $after)',
  'deliveries, 5xx':
    'deliveries(filter: { statusClass: SERVER_ERROR_5XX }, first: 50, after: $after)',
  'deliveries, rare type':
    'deliveries(filter: { eventType: "event_attendee.ticket_success" }, first: 50, after: $after)',
  events: 'events(first: 50, after: $after)',
} as const

const PAGES = 100

/** How long pages of lists of `count` deliveries take over HTTP, one after the other: the 95th percentile, in ms. */
export async function measurePages(
  settings: Settings,
  count: number,
): Promise<Record<string, number>> {
  await using app = await startApp(settings, 'api')
  const { pool, prisma } = app.services.database
  const { organizationId, token } = await createTenant(prisma)
  await fillDeliveries(pool, organizationId, count)
  await pool.query('vacuum (analyze) posthorn.events, posthorn.deliveries, posthorn.attempts')
  // Once to set its mark, once to reach it.
  for (let i = 0; i < 2; i++) await markLingeringDeliveries(pool)

  await fillStatistics(pool, organizationId)

  const found: Record<string, number> = {}
  for (const [name, list] of Object.entries(LISTS)) {
    found[`D  page of ${name}: p95, ms`] = await measureList(app.url, token, list)
  }
  const since = new Date(Date.now() - 30 * DAY_MS).toISOString()
  const counted = `statistics(since: "${since}", bucket: HOUR) { start attempts successRate latency { p95Ms } }`
  found['D  statistics of 30 days: p95, ms'] = await measure(app.url, token, counted)
  found['D  statistics and health of 20 webhooks: p95, ms'] = await measure(
    app.url,
    token,
    `webhooks(first: 20) { nodes { health(window: MONTH) { state successRate latency { p95Ms } } ${counted.replace('HOUR', 'DAY')} } }`,
  )
  return found
}

const DAY_MS = 86_400_000

/** Thirty days of hours in which every webhook, and so the organization, made attempts. */
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
    `update posthorn.bookmarks set reached_at = date_trunc('hour', now(), 'UTC') where name = 'hourly statistics'`,
  )
  await sql.query('vacuum (analyze) posthorn.webhook_statistics')
}

/** The same operation again and again: the 95th percentile, in ms. */
async function measure(url: string, token: string, selection: string): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < PAGES; i++) took.push((await post(url, token, `{ ${selection} }`, {})).tookMs)
  return percentile95(took)
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
  return percentile95(took)
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

function percentile95(took: readonly number[]): number {
  const sorted = took.toSorted((a, b) => a - b)
  return Number((sorted[Math.floor(took.length * 0.95)] as number).toFixed(1))
}
