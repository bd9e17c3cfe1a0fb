import type { Sql } from '../db/client.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { firstDeliveryOf, MAX_ERASED_EVENTS } from '../deliveries/erase-events.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import { type ErasureFilter, FIRST_ID, type Selection } from './selection.ts'

/** Counting stops at this many events. */
export const MAX_COUNTED = 100_000

/** Rows that a page reads at most to find events to erase. */
const MAX_SCANNED = 2_000

/** A caller waits for the count. */
const MAX_PAGES = 100

/** The events to erase, with the value of a search key: null once no event has it. */
export interface SelectedEvents {
  readonly organizationUuid: string
  readonly selection: Selection
  readonly value: string | null
}

export interface EventPage {
  readonly uuids: readonly string[]
  /** The new cursor. */
  readonly reachedId: string
  readonly last: boolean
}

/** The next events that are not erased, in the order of their ids. */
export async function selectEvents(
  sql: Sql,
  selected: SelectedEvents,
  reachedId: string,
  size = MAX_ERASED_EVENTS,
): Promise<EventPage> {
  const { selection } = selected
  if ('eventIds' in selection) {
    const left = selection.eventIds.filter((uuid) => uuid > reachedId).toSorted()
    const uuids = left.slice(0, size)
    return { uuids, reachedId: uuids.at(-1) ?? reachedId, last: left.length <= size }
  }
  const { values, add } = createParameters()
  const scanned = scannedSql(selected, reachedId, size, add)
  if (scanned === null) return { uuids: [], reachedId, last: true }
  const { rows } = await sql.query<{ uuids: string[]; scannedId: string | null; scanned: number }>(
    `with scanned as materialized (${scanned.text}),
     found as materialized (select id from scanned where ${scanned.matches} order by id limit ${add(size)})
     select array(select id from found order by id) as uuids, (select count(*)::int from scanned) as scanned,
       (select id from scanned order by id desc limit 1) as "scannedId"`,
    values,
  )
  const { uuids = [], scannedId = null, scanned: count = 0 } = rows[0] ?? {}
  if (uuids.length === size) return { uuids, reachedId: uuids.at(-1) as string, last: false }
  return { uuids, reachedId: scannedId ?? reachedId, last: count < scanned.limit }
}

export interface EventCount {
  readonly count: number
  readonly exact: boolean
  /** Their deliveries that are not sent yet. */
  readonly unsent: number
}

/** Counts the events that an erasure would erase now, and their deliveries that are not sent yet. */
export async function countEvents(sql: Sql, selected: SelectedEvents): Promise<EventCount> {
  let [count, unsent, reachedId] = [0, 0, FIRST_ID]
  for (let pages = 1; ; pages += 1) {
    const page = await selectEvents(sql, selected, reachedId, MAX_SCANNED)
    const { rows } = await sql.query<{ count: number; unsent: number }>({
      name: 'count_events_to_erase',
      text: `
        select count(*)::int as count, coalesce(sum((
          select count(*) from posthorn.deliveries as d
          where d.event_id = e.id and d.id >= $3 and d.state = 'pending')), 0)::int as unsent
        from posthorn.events as e
        where e.id = any ($1::uuid[]) and e.organization_id = $2 and e.erased_at is null`,
      values: [page.uuids, selected.organizationUuid, firstDeliveryOf(page.uuids)],
    })
    count += rows[0]?.count ?? 0
    unsent += rows[0]?.unsent ?? 0
    reachedId = page.reachedId
    if (page.last) return { count, unsent, exact: true }
    if (count >= MAX_COUNTED || pages >= MAX_PAGES) {
      return { count: Math.min(count, MAX_COUNTED), unsent, exact: false }
    }
  }
}

interface Scanned {
  readonly text: string
  /** The condition on the scanned rows. */
  readonly matches: string
  readonly limit: number
}

function scannedSql(
  { organizationUuid, selection, value }: SelectedEvents,
  reachedId: string,
  size: number,
  add: AddValue,
): Scanned | null {
  const organization = add(organizationUuid)
  const reached = add(reachedId)
  if ('key' in selection) {
    if (value === null) return null
    // The primary key serves it.
    const text = `
      select k.event_id as id from posthorn.event_keys as k
      where k.organization_id = ${organization} and k.path = ${add(selection.key.path)} and k.value = ${add(value)}
        and k.event_id > ${reached} order by k.event_id limit ${add(size)}`
    return { text, matches: 'true', limit: size }
  }
  if (!('filter' in selection)) return null
  const { types, webhookIds, since, until }: ErasureFilter = selection.filter
  const bounds = [
    `e.id > ${reached}::uuid`,
    ...(since ? [`e.id >= ${add(lowerBoundAt(since))}::uuid`] : []),
    ...(until ? [`e.id < ${add(lowerBoundAt(until))}::uuid`] : []),
  ].join(' and ')
  const columns = 'e.id, e.erased_at is null as is_readable'
  const end = `and ${bounds} order by e.id limit ${MAX_SCANNED}`
  // Each type is one range of the index on (organization, type, id).
  const text = types
    ? `select event.* from unnest(${add(types)}::text[]) as given (type), lateral (
         select ${columns} from posthorn.events as e
         where e.organization_id = ${organization} and e.type = given.type ${end}
       ) as event order by event.id limit ${MAX_SCANNED}`
    : `select ${columns} from posthorn.events as e where e.organization_id = ${organization} ${end}`
  const ofWebhook = webhookIds
    ? `and (select true from posthorn.deliveries as d
         where d.event_id = scanned.id and d.webhook_id = any (${add(webhookIds)}::uuid[]) limit 1)`
    : ''
  return { text, matches: `is_readable ${ofWebhook}`, limit: MAX_SCANNED }
}
