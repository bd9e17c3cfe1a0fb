import type { SearchKey } from '../event-types/find-search-key.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import {
  type AddValue,
  type DeliveryFilter,
  indexRanges,
  rangeConditions,
  sharedConditions,
} from './delivery-filter.ts'

interface Bounds {
  readonly take: number
  readonly bound: { readonly lt: string } | { readonly gt: string } | undefined
}

/**
 * SQL: the ids of a page of deliveries whose events have a value at a search key, the newest event first. Reads the
 * index of search keys in this order, and the few deliveries of each event, until the page is full.
 */
export function idsOfPageByKey(
  owned: readonly string[],
  organizationId: string,
  filter: DeliveryFilter & { readonly key: SearchKey },
  { take, bound }: Bounds,
  add: AddValue,
): string {
  const { key, until } = filter
  const direction = take > 0 ? 'desc' : 'asc'
  const ofKey = [
    `k.organization_id = ${add(organizationId)}`,
    `k.path = ${add(key.path)}`,
    `k.value = ${add(key.equals)}`,
    // An event is older than its deliveries.
    ...(until ? [`k.event_id < ${add(lowerBoundAt(until))}`] : []),
  ]
  const ranges = indexRanges(filter).map((range) => rangeConditions(range).join(' and ') || 'true')
  const ofDelivery = [
    // The second condition limits the search to the partitions since the event.
    ...['d.event_id = k.event_id', 'd.id >= k.event_id'],
    ...owned,
    ...sharedConditions(filter, add),
    `(${ranges.join(' or ')})`,
  ]
  if (bound) {
    const [id, operator] = 'lt' in bound ? [bound.lt, '<'] : [bound.gt, '>']
    const cursor = add(id)
    const eventOfCursor = `coalesce(
      (select c.event_id from posthorn.deliveries as c where c.id = ${cursor}::uuid), ${cursor}::uuid)`
    ofKey.push(`k.event_id ${operator}= ${eventOfCursor}`)
    ofDelivery.push(`(k.event_id, d.id) ${operator} (${eventOfCursor}, ${cursor}::uuid)`)
  }
  return `
    select d.id from posthorn.event_keys as k
    cross join lateral (
      select d.id from posthorn.deliveries as d where ${ofDelivery.join(' and ')}
      order by d.id ${direction} offset 0
    ) as d
    where ${ofKey.join(' and ')}
    order by k.event_id ${direction}, d.id ${direction} limit ${add(Math.abs(take))}`
}
