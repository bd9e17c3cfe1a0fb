import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { boundConditions, type Page, type PageBounds, pageOf, pageOrder } from '../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { type AttemptFilter, attemptMatches } from './attempts/attempt-filter.ts'
import { idsByAttempt } from './deliveries-by-attempt.ts'
import {
  type DeliveryFilter,
  indexRanges,
  rangeConditions,
  sharedConditions,
  toWhere,
} from './delivery-filter.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * A page of an organization's deliveries, newest first. Takes one statement, or two for a filter of several index ranges.
 */
export async function findDeliveries(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[]> {
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
    (row) => [`${row}.organization_id = ${parameters.add(organizationId)}`],
    filter,
    { take, bound: where.id },
    parameters.add,
  )
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
 * A page of deliveries for each of several webhooks or events, in their order, with two statements. (For the first rows
 * of each owner, Prisma reads all rows of all owners.)
 */
export async function findDeliveriesOfEach(
  { prisma, sql }: Deps,
  organizationId: string,
  owner: 'webhook_id' | 'event_id',
  ownerUuids: readonly string[],
  filter: DeliveryFilter,
  query: Selection & Page,
): Promise<Delivery[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const parameters = createParameters()
  const ids = idsOfPage(
    (row) => [
      `${row}.${owner} = owner.id`,
      `${row}.organization_id = ${parameters.add(organizationId)}`,
    ],
    filter,
    { take, bound: where.id },
    parameters.add,
    owner,
  )
  if (ids === null) return ownerUuids.map(() => [])
  const text = `
    select owner.id as owner, array(${ids}) as ids
    from unnest(${parameters.add(ownerUuids)}::uuid[]) as owner (id)`
  const { rows } = await sql.query<PageOfOwner>(text, parameters.values)
  const found = await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap((row) => row.ids) } },
  })
  return pagesOfEach(ownerUuids, rows, found, take)
}

/** SQL: the ids of a page of an organization's deliveries, or `null` if none can match. */
export function deliveryPageSql(
  organizationId: string,
  filter: DeliveryFilter,
  bounds: PageBounds,
  add: AddValue,
): string | null {
  const organization = add(organizationId)
  return idsOfPage((row) => [`${row}.organization_id = ${organization}`], filter, bounds, add)
}

/**
 * SQL: the ids of a page of deliveries, or `null` if none can match. Each index range is read in the order of the page,
 * so no statement sorts all rows. `owned` are conditions on the deliveries `d` or the attempts `a`.
 */
function idsOfPage(
  owned: (row: 'a' | 'd') => string[],
  filter: DeliveryFilter,
  bounds: PageBounds,
  add: AddValue,
  owner?: 'webhook_id' | 'event_id',
): string | null {
  const { anyAttempt } = filter
  if (anyAttempt && owner !== 'event_id') {
    return idsByAttempt(owned('a'), { ...filter, anyAttempt }, bounds, add)
  }
  const ranges = indexRanges(filter).map(rangeConditions)
  if (ranges.length === 0) return null
  const conditions = [...owned('d'), ...sharedConditions(filter, add)]
  // An event has few deliveries.
  if (anyAttempt) conditions.push(hasAttempt(anyAttempt, add))
  conditions.push(...boundConditions('d.id', bounds.bound, add))
  const order = pageOrder(bounds, add)
  const selects = ranges.map(
    (range) =>
      `(select d.id from posthorn.deliveries as d where ${[...conditions, ...range].join(' and ')} ${order})`,
  )
  return `select page.id from (${selects.join(' union all ')}) as page ${order}`
}

function hasAttempt(filter: AttemptFilter, add: AddValue): string {
  return `exists (
    select from posthorn.attempts as a where a.delivery_id = d.id and ${attemptMatches(filter, add)})`
}
