import type { Sql } from '../db/client.ts'
import type { PageBounds } from '../db/page.ts'
import type { PageOfOwner } from '../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { type DeliveryFilter, indexRanges, sharedConditions } from './delivery-filter.ts'
import { hasAttempt, idsOfPage, type Owners, pagesOfOwners } from './ids-of-page.ts'

type KeyFilter = DeliveryFilter & { readonly key: SearchKey }

/** The most deliveries that are read to find those of a search key among them. */
const FEW = 1_000

/**
 * The ids of a page for each owner, of deliveries whose events have a value at a search key, the newest event first;
 * `since` and `until` are times of the event. Reads the events of the key in this order until the page is full. If the key
 * has many events and an owner has few deliveries that match the other conditions, reads those deliveries.
 */
export async function pagesByKey(
  sql: Sql,
  owners: Owners,
  given: KeyFilter,
  bounds: PageBounds,
): Promise<PageOfOwner[]> {
  if (indexRanges(given).length === 0) return []
  const filter = { ...given, key: await findSearchKey(sql, given.key) }
  const few = await findFewDeliveries(sql, owners, filter)
  const [withFew = [], others = []] = [true, false].map((isFew) =>
    owners.uuids.filter((uuid) => few.has(uuid) === isFew),
  )
  const ids = withFew.flatMap((uuid) => few.get(uuid) ?? [])
  const pages = await Promise.all([
    pagesOfDeliveries(sql, { ...owners, uuids: withFew }, filter, bounds, ids),
    pagesOfEvents(sql, { ...owners, uuids: others }, filter, bounds),
  ])
  return pages.flat()
}

/**
 * The uuids of the deliveries that match the other conditions, for each owner who has few of them. Empty if the events of
 * the key are few.
 */
async function findFewDeliveries(
  sql: Sql,
  owners: Owners,
  filter: KeyFilter,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { key: _, since: __, until: ___, ...others } = filter
  const hasOthers = Object.values(others).some((value) => value != null)
  if (owners.column === 'organization_id' && !hasOthers) return new Map()
  if (!(await hasManyEvents(sql, owners, filter))) return new Map()
  const bounds = { take: FEW + 1, bound: undefined }
  const pages = await pagesOfOwners(sql, owners, ({ owned, organization, add }) =>
    idsOfPage(owned, ofDeliveries(filter), bounds, add, { column: owners.column, organization }),
  )
  return new Map(pages.filter(({ ids }) => ids.length <= FEW).map(({ owner, ids }) => [owner, ids]))
}

async function hasManyEvents(
  sql: Sql,
  { organizationId }: Owners,
  filter: KeyFilter,
): Promise<boolean> {
  const { values, add } = createParameters()
  const ofKey = keyConditions(add(organizationId), filter, add).join(' and ')
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from (
       select from posthorn.event_keys as k where ${ofKey} limit ${FEW + 1}) as few`,
    values,
  )
  return (rows[0]?.count ?? 0) > FEW
}

async function pagesOfEvents(
  sql: Sql,
  owners: Owners,
  filter: KeyFilter,
  bounds: PageBounds,
): Promise<PageOfOwner[]> {
  return await pagesOfOwners(sql, owners, ({ organization, owned, add }) => {
    const cursor = cursorConditions(bounds, add)
    const ofKey = [...keyConditions(organization, filter, add), ...cursor.ofEvent]
    const ranges = indexRanges(filter).map(({ conditions }) => conditions.join(' and ') || 'true')
    const ofDelivery = [
      // The second condition limits the lookup to the partitions since the event.
      ...['d.event_id = k.event_id', 'd.id >= k.event_id'],
      ...owned('d'),
      ...sharedConditions(ofDeliveries(filter), add),
      ...attemptConditions(filter, add),
      `(${ranges.join(' or ')})`,
      ...cursor.ofDelivery,
    ]
    const order = bounds.take > 0 ? 'desc' : 'asc'
    return `
      select d.id from posthorn.event_keys as k
      cross join lateral (
        select d.id from posthorn.deliveries as d where ${ofDelivery.join(' and ')}
        order by d.id ${order} offset 0
      ) as d
      where ${ofKey.join(' and ')}
      order by k.event_id ${order}, d.id ${order} limit ${add(Math.abs(bounds.take))}`
  })
}

async function pagesOfDeliveries(
  sql: Sql,
  owners: Owners,
  filter: KeyFilter,
  bounds: PageBounds,
  uuids: readonly string[],
): Promise<PageOfOwner[]> {
  return await pagesOfOwners(sql, owners, ({ organization, owned, add }) => {
    const ofKey = ['k.event_id = d.event_id', ...keyConditions(organization, filter, add)]
    const conditions = [
      ...owned('d'),
      `d.id = any (${add(uuids)}::uuid[])`,
      // A scalar subquery, because the planner could turn `exists` into a join that reads all events of the key.
      `(select true from posthorn.event_keys as k where ${ofKey.join(' and ')})`,
      ...attemptConditions(filter, add),
      ...cursorConditions(bounds, add).ofDelivery,
    ]
    const order = bounds.take > 0 ? 'desc' : 'asc'
    return `
      select d.id from posthorn.deliveries as d where ${conditions.join(' and ')}
      order by d.event_id ${order}, d.id ${order} limit ${add(Math.abs(bounds.take))}`
  })
}

function keyConditions(
  organization: string,
  { key, since, until }: KeyFilter,
  add: AddValue,
): string[] {
  return [
    `k.organization_id = ${organization}`,
    `k.path = ${add(key.path)}`,
    `k.value = ${add(key.equals)}`,
    ...(since ? [`k.event_id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`k.event_id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

function attemptConditions({ anyAttempt }: KeyFilter, add: AddValue): string[] {
  return anyAttempt ? [hasAttempt(anyAttempt, add)] : []
}

/** The conditions on deliveries without those on attempts. A delivery is as new as its event, or newer. */
function ofDeliveries({
  key: _,
  until: __,
  anyAttempt: ___,
  ...filter
}: KeyFilter): DeliveryFilter {
  return filter
}

/** SQL: the conditions of a cursor, which is the id of a delivery, in the order of its event and then of its id. */
function cursorConditions({ bound }: PageBounds, add: AddValue) {
  if (!bound) return { ofEvent: [], ofDelivery: [] }
  const [id, operator] = 'lt' in bound ? [bound.lt, '<'] : [bound.gt, '>']
  const cursor = `${add(id)}::uuid`
  // A deleted delivery is older than all others, and so is its event.
  const event = `coalesce((select c.event_id from posthorn.deliveries as c where c.id = ${cursor}), ${cursor})`
  return {
    ofEvent: [`k.event_id ${operator}= ${event}`],
    ofDelivery: [`(d.event_id, d.id) ${operator} (${event}, ${cursor})`],
  }
}
