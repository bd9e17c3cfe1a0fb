import type { Sql } from '../db/client.ts'
import { lowerBoundAt, timestampOf } from '../lib/uuid-v7.ts'
import { FIRST_ID } from '../queue/long-work.ts'
import { cancelDeliveries, LOCK_ORDER } from './cancel-deliveries.ts'

/** The events of a page, and the deliveries of them that one transaction erases: it locks both, for a short time. */
export const MAX_ERASED_EVENTS = 50
const MAX_DELIVERIES = 250

/** What happens to deliveries that are not sent yet: their event waits for them, or they are canceled. */
export type Unsent = 'send_first' | 'cancel'

export interface ErasedPage {
  /** The events that are not erased yet because of their deliveries, which are to be sent first or not created yet. */
  readonly waiting: number
  /** Whether all other events are erased. If not, their deliveries are too many for a page: erase the same events again. */
  readonly isWhole: boolean
  /** Events whose payloads were erased. */
  readonly events: number
  /** Deliveries that were canceled, because they were not sent yet. */
  readonly canceled: number
}

/**
 * Erases the contents of at most `MAX_ERASED_EVENTS` events of an organization: the payload with its search keys, and what
 * the receivers answered. Events, deliveries and attempts stay. Call it in a transaction of its own. Safe to repeat.
 *
 * A delivery that is created or redelivered at the same moment is canceled once its job finds the event erased. The
 * statistics of Postgres have the values until the next analyze: an erasure ends with `posthorn.analyze_erased`.
 */
export async function eraseEvents(
  sql: Sql,
  organizationUuid: string,
  uuids: readonly string[],
  unsent: Unsent,
): Promise<ErasedPage> {
  const sorted = uuids.toSorted()
  const found = await lockEvents(sql, organizationUuid, sorted, unsent)
  const first = firstDeliveryOf(sorted)
  const erased = found.filter(({ waits }) => !waits).map(({ id }) => id)
  const deliveries = await lockDeliveries(sql, erased, first)
  const pending = deliveries.filter(({ isPending }) => isPending).map(({ id }) => id)
  const canceled = pending.length === 0 ? [] : await cancelDeliveries(sql, pending, null)
  await eraseDeliveries(
    sql,
    deliveries.map(({ id }) => id),
  )
  const isWhole = deliveries.length < MAX_DELIVERIES
  const events = isWhole ? await erasePayloads(sql, organizationUuid, erased) : 0
  return { waiting: found.length - erased.length, isWhole, events, canceled: canceled.length }
}

/**
 * Call it before the deliveries are locked, so that two callers never wait for each other. An event of which deliveries are
 * still being created waits for them, and with `send_first` for those that are not sent. The index on (event_id) serves it.
 */
export async function lockEvents(
  sql: Sql,
  organizationUuid: string,
  sorted: readonly string[],
  unsent: Unsent,
) {
  const { rows } = await sql.query<{ id: string; waits: boolean }>({
    name: 'lock_events_to_erase',
    text: `
      select e.id, exists (
        select from posthorn.fan_outs as f
        where f.organization_id = e.organization_id and e.id = any (f.event_ids)
      ) or $5 = 'send_first' and exists (
        select from posthorn.deliveries as d where d.event_id = e.id and d.id >= $6 and d.state = 'pending' offset 0
      ) as waits
      from posthorn.events as e
      where e.id = any ($1::uuid[]) and e.id between $2 and $3 and e.organization_id = $4
      order by e.id for update`,
    values: [sorted, sorted[0], sorted.at(-1), organizationUuid, unsent, firstDeliveryOf(sorted)],
  })
  return rows
}

/** A lower bound of the ids of deliveries of these sorted events: a clock may have been set back between both. */
export function firstDeliveryOf([first]: readonly string[]): string {
  return lowerBoundAt(new Date(timestampOf(first ?? FIRST_ID).getTime() - 60_000))
}

/**
 * The next deliveries that are not erased, locked in the order in which attempts are recorded. Those whose payload was not
 * kept still have their responses.
 */
async function lockDeliveries(sql: Sql, eventUuids: readonly string[], first: string) {
  const { rows } = await sql.query<{ id: string; isPending: boolean }>({
    name: 'lock_deliveries_to_erase',
    text: `
      with found as materialized (
        select d.id from unnest($1::uuid[]) as given (id), lateral (
          select d.id from posthorn.deliveries as d
          where d.event_id = given.id and d.id >= $2 and (not d.is_erased or exists (
            select from posthorn.attempts as a
            where a.delivery_id = d.id and a.id >= $2 and (a.response_headers is not null or a.response_body is not null)
            offset 0))
          offset 0
        ) as d
        limit ${MAX_DELIVERIES}
      )
      select d.id, d.state = 'pending' as "isPending" from posthorn.deliveries as d
      where d.id = any (array(select id from found)) order by ${LOCK_ORDER} for update`,
    values: [eventUuids, first],
  })
  return rows
}

/**
 * Marks deliveries, and erases their responses. The index on (delivery_id, number) serves each lookup. Without `offset 0`, Postgres
 * could read all attempts of a day of which it has no statistics yet.
 */
async function eraseDeliveries(sql: Sql, uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return
  const sorted = uuids.toSorted()
  await sql.query({
    name: 'erase_deliveries',
    text: `
      with marked as (
        update posthorn.deliveries set is_erased = true
        where id = any ($1::uuid[]) and id between $2 and $3 and not is_erased
      ),
      answered as materialized (
        select a.id from unnest($1::uuid[]) as given (id), lateral (
          select a.id from posthorn.attempts as a
          where a.delivery_id = given.id and a.id >= $4 and (a.response_headers is not null or a.response_body is not null)
          offset 0
        ) as a
      )
      update posthorn.attempts set response_headers = null, response_body = null
      where id = any (array(select id from answered)) and id >= $4`,
    values: [sorted, sorted[0], sorted.at(-1), firstDeliveryOf(sorted)],
  })
}

/** Erases the payloads of locked events, in order. Their sizes stay if they are erased because they are `notKept`. */
export async function erasePayloads(
  sql: Sql,
  organizationUuid: string,
  uuids: readonly string[],
  notKept = false,
): Promise<number> {
  if (uuids.length === 0) return 0
  const { rows } = await sql.query<{ events: number }>({
    name: 'erase_payloads',
    text: `
      with payload as materialized (
        select id, data from posthorn.events
        where id = any ($1::uuid[]) and id between $2 and $3 and erased_at is null
      ),
      erased as (
        update posthorn.events as e set data = 'null', previous = null, trace_state = null, erased_at = now(),
          unkept_bytes = case when $5::boolean then octet_length(e.data) end
        where e.id = any (array(select id from payload)) and e.id between $2 and $3
        returning e.id
      )
      select (select count(*)::int from erased) as events,
        posthorn.erase_event_keys($4, array_agg(id order by id), array_agg(data order by id))
      from payload`,
    values: [uuids, uuids[0], uuids.at(-1), organizationUuid, notKept],
  })
  return rows[0]?.events ?? 0
}
