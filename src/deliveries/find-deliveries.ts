import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { type DeliveryFilter, indexRanges, toWhere } from './delivery-filter.ts'
import { createParameters, idsOfPage, type Owners, pagesOfOwners } from './ids-of-page.ts'
import { pagesByKey } from './pages-by-key.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * A page of an organization's deliveries, newest first, or by a search key, the newest event first. Takes one statement,
 * two for a filter of two index ranges, and four for a search key.
 */
export async function findDeliveries(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
  if (indexRanges(filter).length === 0) return []
  if (filter.key) {
    const deps = { prisma, sql }
    const owners = [organizationId]
    return (
      await findDeliveriesOfEach(deps, organizationId, 'organization_id', owners, filter, query)
    ).flat()
  }
  const { where, ...page } = pageOf(query, 'newest first')
  const narrowed = toWhere(filter)
  if (narrowed) {
    return await prisma.delivery.findMany({
      ...page,
      where: { ...where, organizationId, ...narrowed },
    })
  }
  const { take, orderBy, ...selection } = page
  const parameters = createParameters()
  const text = idsOfPage(
    [`d.organization_id = ${parameters.add(organizationId)}`],
    filter,
    { take, bound: where.id },
    parameters.add,
  )
  const { rows } = await sql.query<{ id: string }>(text, parameters.values)
  const ids = rows.map(({ id }) => id)
  return await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: ids } },
    orderBy: { id: 'desc' },
  })
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

/** Reads a delivery again after a change. Throws `not_found` if it was deleted. */
export async function rereadDelivery(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Delivery> {
  const row = await findDeliveryById(db, organizationId, id, selection)
  if (!row) throw notFound('delivery', id)
  return row
}

/**
 * A page of deliveries for each of several owners, in their order, with two statements, or four for a search key. (For
 * the first rows of each owner, Prisma reads all rows of all owners.)
 */
export async function findDeliveriesOfEach(
  { prisma, sql }: Deps,
  organizationId: string,
  owner: Owners['column'],
  ownerUuids: readonly string[],
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  if (indexRanges(filter).length === 0) return ownerUuids.map(() => [])
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const owners = { organizationId, column: owner, uuids: ownerUuids }
  const bounds = { take, bound: where.id }
  const { key } = filter
  const { text, values } = key
    ? await pagesByKey(sql, owners, { ...filter, key }, bounds)
    : pagesOfOwners(owners, ({ owned, add }) => idsOfPage(owned, filter, bounds, add))
  const { rows } = await sql.query<{ owner: string; ids: string[] }>(text, values)
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap((row) => row.ids) } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  const byOwner = new Map(rows.map((row) => [row.owner, take > 0 ? row.ids : row.ids.toReversed()]))
  return ownerUuids.map((uuid) => (byOwner.get(uuid) ?? []).flatMap((id) => byId.get(id) ?? []))
}
