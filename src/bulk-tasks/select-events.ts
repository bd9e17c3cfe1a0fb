import type { Sql } from '../db/client.ts'
import { firstDeliveryOf, MAX_ERASED_EVENTS } from '../deliveries/erase-events.ts'
import { MAX_COUNTED } from './selected-deliveries.ts'
import { type Erasure, FIRST_ID, type SelectionCount } from './selection.ts'

/** Events that a page counts at most. */
const COUNTED_PAGE = 2_000

/** The events to erase, with the value of a search key: null for ids. */
export interface SelectedEvents {
  readonly organizationId: string
  readonly selection: Erasure
  readonly value: string | null
}

export interface EventPage {
  readonly uuids: readonly string[]
  /** The new cursor. */
  readonly reachedId: string
  readonly last: boolean
}

/** The next events, in the order of their ids. Those of a search key are not erased, as an erasure deletes its rows. */
export async function selectEvents(
  sql: Sql,
  { organizationId, selection, value }: SelectedEvents,
  reachedId: string,
  size = MAX_ERASED_EVENTS,
): Promise<EventPage> {
  if (selection.eventIds) {
    const left = selection.eventIds.filter((uuid) => uuid > reachedId).toSorted()
    const uuids = left.slice(0, size)
    return { uuids, reachedId: uuids.at(-1) ?? reachedId, last: left.length <= size }
  }
  // The primary key serves it.
  const { rows } = await sql.query<{ id: string }>({
    name: 'events_of_search_key_to_erase',
    text: `
      select event_id as id from posthorn.event_keys
      where organization_id = $1 and path = $2 and value = $3 and event_id > $4 order by event_id limit $5`,
    values: [organizationId, selection.searchKey, value, reachedId, size],
  })
  const uuids = rows.map(({ id }) => id)
  return { uuids, reachedId: uuids.at(-1) ?? reachedId, last: uuids.length < size }
}

export interface EventCount extends SelectionCount {
  /** Their deliveries that are not sent yet. */
  readonly unsent: number
}

/** Counts the events that an erasure would erase now, and their deliveries that are not sent yet. */
export async function countEvents(sql: Sql, selected: SelectedEvents): Promise<EventCount> {
  let [count, unsent, reachedId] = [0, 0, FIRST_ID]
  for (;;) {
    const page = await selectEvents(sql, selected, reachedId, COUNTED_PAGE)
    const { rows } = await sql.query<{ count: number; unsent: number }>({
      name: 'count_events_to_erase',
      text: `
        select count(*)::int as count, coalesce(sum((
          select count(*) from posthorn.deliveries as d
          where d.event_id = e.id and d.id >= $3 and d.state = 'pending')), 0)::int as unsent
        from posthorn.events as e
        where e.id = any ($1::uuid[]) and e.organization_id = $2 and e.erased_at is null`,
      values: [page.uuids, selected.organizationId, firstDeliveryOf(page.uuids)],
    })
    count += rows[0]?.count ?? 0
    unsent += rows[0]?.unsent ?? 0
    reachedId = page.reachedId
    if (page.last) return { count, unsent, exact: true }
    if (count >= MAX_COUNTED) return { count: MAX_COUNTED, unsent, exact: false }
  }
}
