import { startApp } from '../../src/app.ts'
import { markLingeringDeliveries } from '../../src/deliveries/mark-lingering.ts'
import type { Settings } from '../../src/services.ts'
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

  const found: Record<string, number> = {}
  for (const [name, list] of Object.entries(LISTS)) {
    found[`D  page of ${name}: p95, ms`] = await measureList(app.url, token, list)
  }
  return found
}

async function measureList(url: string, token: string, list: string): Promise<number> {
  const query = `query ($after: String) { list: ${list} { nodes { id } pageInfo { endCursor hasNextPage } } }`
  const took: number[] = []
  let after: string | null = null
  for (let i = 0; i < PAGES; i++) {
    const startedAt = performance.now()
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { after } }),
    })
    const { data } = (await response.json()) as {
      data: { list: { pageInfo: { endCursor: string; hasNextPage: boolean } } }
    }
    took.push(performance.now() - startedAt)
    after = data.list.pageInfo.hasNextPage ? data.list.pageInfo.endCursor : null
  }
  took.sort((a, b) => a - b)
  return Number((took[Math.floor(PAGES * 0.95)] as number).toFixed(1))
}
