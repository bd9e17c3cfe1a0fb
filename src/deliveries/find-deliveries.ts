import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { pagesOfEach } from '../db/pages-of-each.ts'
import { createParameters } from '../db/parameters.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { type DeliveryFilter, toWhere } from './delivery-filter.ts'
import { idsOfOwners } from './ids-of-owners.ts'
import type { Owners } from './ids-of-page.ts'
import { pageOfOrganization } from './page-of-organization.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * A page of an organization's deliveries, newest first, or by a search key, the newest event first. Takes one statement,
 * two for a filter of several index ranges, and four for a search key.
 */
export async function findDeliveries(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
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
  const bounds = { take, bound: where.id }
  const text = pageOfOrganization(organizationId, filter, bounds, parameters.add)
  if (text === null) return []
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
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const owners = { organizationId, column: owner, uuids: ownerUuids }
  const bounds = { take, bound: where.id }
  const rows = await idsOfOwners(sql, owners, filter, bounds)
  if (rows.length === 0) return ownerUuids.map(() => [])
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap((row) => row.ids) } },
  })
  return pagesOfEach(ownerUuids, rows, found, take)
}
