import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { findSearchKey } from '../event-types/find-search-key.ts'
import { notFound } from '../lib/errors.ts'
import {
  type AddValue,
  type DeliveryFilter,
  indexRanges,
  rangeConditions,
  sharedConditions,
  toWhere,
} from './delivery-filter.ts'
import { idsOfPageByKey } from './find-deliveries-by-key.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * A page of an organization's deliveries, newest first, or by a search key, the newest event first. Takes one statement,
 * two for a filter of two index ranges, and three for a search key.
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
 * A page of deliveries for each of several owners, in their order, with two statements, or three for a search key. (For the first rows
 * of each owner, Prisma reads all rows of all owners.)
 */
export async function findDeliveriesOfEach(
  { prisma, sql }: Deps,
  organizationId: string,
  owner: 'webhook_id' | 'event_id' | 'organization_id',
  ownerUuids: readonly string[],
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  if (indexRanges(filter).length === 0) return ownerUuids.map(() => [])
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const parameters = createParameters()
  const key = filter.key ? await findSearchKey(sql, filter.key) : null
  const owned = [`d.${owner} = owner.id`, `d.organization_id = ${parameters.add(organizationId)}`]
  const bounds = { take, bound: where.id }
  const ids = key
    ? idsOfPageByKey(owned, organizationId, { ...filter, key }, bounds, parameters.add)
    : idsOfPage(owned, filter, bounds, parameters.add)
  const text = `
    select owner.id as owner, array(${ids}) as ids
    from unnest(${parameters.add(ownerUuids)}::uuid[]) as owner (id)`
  const { rows } = await sql.query<{ owner: string; ids: string[] }>(text, parameters.values)
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap((row) => row.ids) } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  const byOwner = new Map(rows.map((row) => [row.owner, take > 0 ? row.ids : row.ids.toReversed()]))
  return ownerUuids.map((uuid) => (byOwner.get(uuid) ?? []).flatMap((id) => byId.get(id) ?? []))
}

interface Bounds {
  readonly take: number
  readonly bound: { readonly lt: string } | { readonly gt: string } | undefined
}

/** SQL: the ids of a page. Each index range is read in the order of the page, so no statement sorts all rows. */
function idsOfPage(
  owned: readonly string[],
  filter: DeliveryFilter,
  { take, bound }: Bounds,
  add: AddValue,
): string {
  const conditions = [...owned, ...sharedConditions(filter, add)]
  if (bound) conditions.push('lt' in bound ? `d.id < ${add(bound.lt)}` : `d.id > ${add(bound.gt)}`)
  const order = `order by id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`
  const ranges = indexRanges(filter).map(
    (range) =>
      `(select d.id from posthorn.deliveries as d
        where ${[...conditions, ...rangeConditions(range)].join(' and ')} ${order})`,
  )
  return `select page.id from (${ranges.join(' union all ')}) as page ${order}`
}

function createParameters(): { readonly values: unknown[]; readonly add: AddValue } {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}
