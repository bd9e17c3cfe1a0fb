import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { type Page, type PageBounds, pageOf } from '../db/page.ts'
import { pagesOfEach } from '../db/pages-of-each.ts'
import { createParameters } from '../db/parameters.ts'
import type { DeliveryFilter } from './delivery-filter.ts'
import { idsOfOwners } from './ids-of-owners.ts'
import { pageOfOrganization } from './page-of-organization.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** How many deliveries the first step reads, and the most that a later one reads. */
const FIRST_STEP = 500
const LARGEST_STEP = 8_000

/**
 * A page of an organization's deliveries with one for each event: the newest that matches. Reads as many deliveries as the
 * events of the page have, in steps, each of which takes three statements, or more for a search key.
 */
export async function findNewestOfEvents(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const ids: string[] = []
  let bound = where.id
  for (
    let size = FIRST_STEP;
    ids.length < Math.abs(take);
    size = Math.min(2 * size, LARGEST_STEP)
  ) {
    const read = await idsOf(sql, organizationId, filter, { take: Math.sign(take) * size, bound })
    const newest = await newestAmong(sql, organizationId, filter, read)
    ids.push(...read.filter((id) => newest.has(id)))
    const last = read.at(-1)
    if (last === undefined || read.length < size) break
    bound = take > 0 ? { lt: last } : { gt: last }
  }
  const page = { owner: organizationId, ids: ids.slice(0, Math.abs(take)) }
  const found = await prisma.delivery.findMany({ ...selection, where: { id: { in: page.ids } } })
  return pagesOfEach([organizationId], [page], found, take).flat()
}

async function idsOf(
  sql: Sql,
  organizationId: string,
  filter: DeliveryFilter,
  bounds: PageBounds,
): Promise<readonly string[]> {
  if (filter.key) {
    const owners = { organizationId, column: 'organization_id', uuids: [organizationId] } as const
    const [page] = await idsOfOwners(sql, owners, filter, bounds)
    return page?.ids ?? []
  }
  const { values, add } = createParameters()
  const text = pageOfOrganization(organizationId, filter, bounds, add)
  if (text === null) return []
  const { rows } = await sql.query<{ id: string }>(text, values)
  return rows.map(({ id }) => id)
}

/** The newest matching delivery of each event that these deliveries are of. */
async function newestAmong(
  sql: Sql,
  organizationId: string,
  filter: DeliveryFilter,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'events_of_deliveries',
    text: 'select distinct event_id as id from posthorn.deliveries where id = any ($1::uuid[])',
    values: [ids],
  })
  const uuids = rows.map(({ id }) => id)
  const owners = { organizationId, column: 'event_id', uuids } as const
  const pages = await idsOfOwners(sql, owners, filter, { take: 1, bound: undefined })
  return new Set(pages.flatMap((page) => page.ids))
}
