import type { Database, Sql } from '../db/client.ts'
import { inTransaction } from '../db/transaction.ts'
import { findUnreadEvents } from '../streams/event-stream/consumers/consumer.ts'
import { DAYS_AFTER_EXHAUSTED } from './attempts/record-attempts-statement.ts'
import { LOCK_ORDER } from './cancel-deliveries.ts'
import { erasePayloads, firstDeliveryOf, lockEvents, MAX_ERASED_EVENTS } from './erase-events.ts'
import { restBetweenPages } from './retention.ts'

/** Of one call, so that the tasks after it wait for seconds at most. The next call is a minute later. */
const MAX_RUN_MS = 30_000

/** The deliveries that one statement locks. */
const MAX_MARKED = 500

/** How long an event waits that a consumer has not read yet. */
const UNREAD_MINUTES = 5

/**
 * Erases the payloads of events that are not kept after their deliveries: `posthorn.unkept_payloads` has the events. A page is
 * a transaction that also deletes its rows, so that a crash leaves whole pages. Returns the number of erased payloads.
 *
 * A payload stays while a delivery that may need it is left: one that is not sent yet, one of a webhook that keeps payloads,
 * or one that was exhausted in the last days. And it stays until consumers have acknowledged it.
 */
export async function eraseUnkeptPayloads(
  pool: Database['pool'],
  signal?: AbortSignal,
): Promise<number> {
  const erasePage = () =>
    inTransaction(pool, async (sql) => {
      const page = (await takeDue(sql)) ?? (await takeOld(sql))
      return page && (await eraseEventsOf(sql, page.organizationId, page.eventIds))
    })
  return await restBetweenPages(erasePage, MAX_RUN_MS, signal)
}

interface UnkeptEvents {
  readonly organizationId: string
  /** In order. */
  readonly eventIds: readonly string[]
}

/** Deletes the next rows of one organization that are due, and returns their events. The index on `due_at` serves it. */
async function takeDue(sql: Sql): Promise<UnkeptEvents | null> {
  const { rows } = await sql.query<UnkeptEvents>({
    name: 'take_unkept_payloads',
    text: `
      with next as materialized (
        select id, organization_id from posthorn.unkept_payloads
        where due_at <= now() order by due_at limit $1 for update skip locked
      ),
      taken as (
        delete from posthorn.unkept_payloads as u using next
        where u.id = next.id and next.organization_id = (select organization_id from next limit 1)
        returning u.organization_id, u.event_id
      )
      select organization_id as "organizationId", array_agg(distinct event_id) as "eventIds" from taken group by 1`,
    values: [MAX_ERASED_EVENTS],
  })
  return rows[0] ?? null
}

/**
 * The next older events of an organization that keeps no payloads: those that no webhook received, and those that were delivered
 * before the organization chose so. Each event is taken once. The index on (organization_id, id) serves it.
 */
async function takeOld(sql: Sql): Promise<UnkeptEvents | null> {
  const { rows } = await sql.query<UnkeptEvents>({
    name: 'take_old_payloads',
    text: `
      with page as materialized (
        select o.id as organization_id, e.ids from posthorn.organizations as o, lateral (
          select array(
            select e.id from posthorn.events as e
            where e.organization_id = o.id and e.id > coalesce(o.payloads_queued_to, '00000000-0000-0000-0000-000000000000')
              and e.id < posthorn.uuid_v7_lower_bound(now() - interval '${DAYS_AFTER_EXHAUSTED} days')
            order by e.id limit $1) as ids
        ) as e
        where not o.keep_payloads and o.deleted_at is null and e.ids <> '{}' limit 1 for no key update of o skip locked
      ),
      moved as (
        update posthorn.organizations as o set payloads_queued_to = page.ids[cardinality(page.ids)]
        from page where o.id = page.organization_id
      )
      select organization_id as "organizationId", ids as "eventIds" from page`,
    values: [MAX_ERASED_EVENTS],
  })
  return rows[0] ?? null
}

async function eraseEventsOf(
  sql: Sql,
  organizationId: string,
  eventIds: readonly string[],
): Promise<number> {
  const locked = await lockEvents(sql, organizationId, eventIds, 'cancel')
  const fansOut = new Set(locked.flatMap(({ id, waits }) => (waits ? id : [])))
  const first = firstDeliveryOf(eventIds)
  while ((await markDeliveries(sql, eventIds, first)) === MAX_MARKED) {
    // An event can have thousands of deliveries.
  }
  const unneeded = await findUnneeded(sql, organizationId, eventIds, first)
  const unread = await findUnreadEvents(sql, organizationId, unneeded)
  await queueAgain(sql, organizationId, eventIds, [...unread], first)
  const ready = unneeded.filter((id) => !unread.has(id) && !fansOut.has(id))
  return await erasePayloads(sql, organizationId, ready, true)
}

/** SQL: whether the delivery `d` to the webhook `w` of the organization `o` needs its payload no more. */
const IS_OVER = `not (w.keep_payloads and o.keep_payloads) and (d.state in ('succeeded', 'canceled')
  or d.state = 'exhausted' and d.finished_at <= now() - interval '${DAYS_AFTER_EXHAUSTED} days')`

const WITH_RULES = `
  join lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id offset 0) as w on true
  join lateral (select * from posthorn.organizations as o where o.id = d.organization_id offset 0) as o on true`

/** Marks the deliveries that need their payloads no more. Returns how many. The index on (event_id) serves it. */
async function markDeliveries(sql: Sql, eventIds: readonly string[], first: string) {
  const { rowCount } = await sql.query({
    name: 'mark_unkept_deliveries',
    text: `
      with over as materialized (
        select d.id from unnest($1::uuid[]) as given (id), lateral (
          select * from posthorn.deliveries as d
          where d.event_id = given.id and d.id >= $2 and d.state <> 'pending' and not d.is_erased offset 0
        ) as d ${WITH_RULES}
        where ${IS_OVER} limit ${MAX_MARKED}
      ),
      locked as materialized (
        select d.id from posthorn.deliveries as d
        where d.id = any (array(select id from over)) and d.id >= $2 and d.state <> 'pending'
        order by ${LOCK_ORDER} for update
      )
      update posthorn.deliveries as d set is_erased = true
      where d.id = any (array(select id from locked)) and d.id >= $2`,
    values: [eventIds, first],
  })
  return rowCount ?? 0
}

/**
 * The events of which every delivery is marked. One without deliveries counts only if its organization keeps no payloads.
 */
async function findUnneeded(
  sql: Sql,
  organizationId: string,
  eventIds: readonly string[],
  first: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_unneeded_payloads',
    text: `
      select given.id from unnest($1::uuid[]) as given (id)
      left join lateral (
        select bool_and(d.is_erased) as is_over from posthorn.deliveries as d
        where d.event_id = given.id and d.id >= $2 offset 0
      ) as deliveries on true
      where coalesce(deliveries.is_over,
        (select not o.keep_payloads from posthorn.organizations as o where o.id = $3))
      order by given.id`,
    values: [eventIds, first, organizationId],
  })
  return rows.map(({ id }) => id)
}

/**
 * Queues the events again that consumers have not read, and those with a delivery that was exhausted in the last days. For
 * other events, the end of a delivery adds the next row.
 */
async function queueAgain(
  sql: Sql,
  organizationId: string,
  eventIds: readonly string[],
  unread: readonly string[],
  first: string,
): Promise<void> {
  await sql.query({
    name: 'queue_unkept_payloads_again',
    text: `
      insert into posthorn.unkept_payloads (organization_id, event_id, due_at)
      select $3::uuid, given.id, now() + interval '${UNREAD_MINUTES} minutes' from unnest($4::uuid[]) as given (id)
      union all
      select $3::uuid, given.id, exhausted.until from unnest($1::uuid[]) as given (id), lateral (
        select max(d.finished_at) + interval '${DAYS_AFTER_EXHAUSTED} days' as until
        from posthorn.deliveries as d ${WITH_RULES}
        where d.event_id = given.id and d.id >= $2 and d.state = 'exhausted' and not d.is_erased
          and not (w.keep_payloads and o.keep_payloads)
      ) as exhausted
      where exhausted.until is not null`,
    values: [eventIds, first, organizationId, unread],
  })
}
