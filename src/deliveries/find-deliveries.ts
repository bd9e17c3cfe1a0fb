import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, type PageBounds, pageOf } from '../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../db/pages-of-each.ts'
import { atLeastKey } from '../db/selection.ts'
import type { DeliveryFilter } from './delivery-filter.ts'
import { idsOfPage, type Owners, pageOfOrganization, pagesOfOwners } from './ids-of-page.ts'
import { pagesByKey } from './pages-by-key.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** A page of an organization's deliveries, newest first, or by a search key, the newest event first. */
export async function findDeliveries(
  deps: Deps,
  organizationId: string,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
  const owners = ofOrganization(organizationId)
  return (await findDeliveriesOfEach(deps, owners, filter, query)).flat()
}

/**
 * A page of deliveries for each of several owners, in their order, with two statements, or four for a search key. (For
 * the first rows of each owner, Prisma reads all rows of all owners.)
 */
export async function findDeliveriesOfEach(
  { prisma, sql }: Deps,
  owners: Owners,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const pages = await idsOf(sql, owners, filter, { take, bound: where.id })
  return await readPages(prisma, owners, pages, selection, take)
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
  const owners = ofOrganization(organizationId)
  const ids: string[] = []
  let bound = where.id
  for (
    let size = FIRST_STEP;
    ids.length < Math.abs(take);
    size = Math.min(2 * size, LARGEST_STEP)
  ) {
    const [page] = await idsOf(sql, owners, filter, { take: Math.sign(take) * size, bound })
    const read = page?.ids ?? []
    const newest = await newestAmong(sql, organizationId, filter, read)
    ids.push(...read.filter((id) => newest.has(id)))
    const last = read.at(-1)
    if (last === undefined || read.length < size) break
    bound = take > 0 ? { lt: last } : { gt: last }
  }
  const page = { owner: organizationId, ids: ids.slice(0, Math.abs(take)) }
  return (await readPages(prisma, owners, [page], selection, take)).flat()
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
  const owners = { organizationId, column: 'event_id', uuids: rows.map(({ id }) => id) } as const
  const pages = await idsOf(sql, owners, filter, { take: 1, bound: undefined })
  return new Set(pages.flatMap((page) => page.ids))
}

function ofOrganization(organizationId: string): Owners {
  return { organizationId, column: 'organization_id', uuids: [organizationId] }
}

/** The ids of a page for each owner, with one statement, or three for a search key. */
async function idsOf(
  sql: Sql,
  owners: Owners,
  filter: DeliveryFilter,
  bounds: PageBounds,
): Promise<PageOfOwner[]> {
  const { column } = owners
  const { key } = filter
  if (key) return await pagesByKey(sql, owners, { ...filter, key }, bounds)
  return await pagesOfOwners(sql, owners, ({ owned, organization, add }) =>
    column === 'organization_id'
      ? pageOfOrganization(organization, filter, bounds, add)
      : idsOfPage(owned, filter, bounds, add, { column, organization }),
  )
}

async function readPages(
  prisma: Db,
  { uuids }: Owners,
  pages: readonly PageOfOwner[],
  selection: Selection,
  take: number,
): Promise<Delivery[][]> {
  const ids = pages.flatMap((page) => page.ids)
  if (ids.length === 0) return uuids.map(() => [])
  const found = await prisma.delivery.findMany({ ...selection, where: { id: { in: ids } } })
  return pagesOfEach(uuids, pages, found, take)
}

/** The organization's deliveries with these uuids, by uuid. */
export async function findDeliveriesByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
): Promise<Map<string, Delivery>> {
  const where = { id: { in: [...uuids] }, organizationId }
  const rows = await db.delivery.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The organization's delivery with a public id, or `null`. */
export async function findDeliveryById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Delivery | null> {
  const uuid = parseId('delivery', id)
  if (!uuid) return null
  return await db.delivery.findUnique({
    ...atLeastKey(selection),
    where: { id: uuid, organizationId },
  })
}
