import type { Sql } from '../db/client.ts'

/** How many deliveries an event has, by what came of them. */
export interface EventDeliveryCounts {
  readonly total: number
  readonly succeeded: number
  readonly exhausted: number
  readonly canceled: number
  readonly retrying: number
  readonly waiting: number
  /** Of those that wait. */
  readonly onHold: number
}

/** Counting stops at this many deliveries of an event. */
export const MAX_COUNTED = 1_000

/** Counts the deliveries of each of these events, in their order, with one statement: all, or those of one webhook. */
export async function countDeliveriesOfEvents(
  sql: Sql,
  organizationId: string,
  eventUuids: readonly string[],
  onlyWebhook: string | null,
): Promise<EventDeliveryCounts[]> {
  const { rows } = await sql.query<EventDeliveryCounts>({
    name: 'count_deliveries_of_events',
    text: COUNT,
    values: [organizationId, eventUuids, onlyWebhook],
  })
  return rows
}

/** A delivery is as new as its event, or newer, which leaves out older partitions. */
const COUNT = `
  select counted.* from unnest($2::uuid[]) with ordinality as event (id, position), lateral (
    select count(*)::int as total,
      count(*) filter (where state = 'succeeded')::int as succeeded,
      count(*) filter (where state = 'exhausted')::int as exhausted,
      count(*) filter (where state = 'canceled')::int as canceled,
      count(*) filter (where state = 'pending' and parked_at is null and attempt_count > 0)::int as retrying,
      count(*) filter (where parked_at is not null)::int as waiting,
      count(*) filter (where parked_at is not null and exists (
        select from posthorn.webhooks as w join posthorn.webhook_schedules as s on s.webhook_id = w.id
        where w.id = delivery.webhook_id and w.enabled and s.on_hold_since is not null
      ))::int as "onHold"
    from (
      select d.state, d.parked_at, d.attempt_count, d.webhook_id from posthorn.deliveries as d
      where d.event_id = event.id and d.id >= event.id and d.organization_id = $1
        and ($3::uuid is null or d.webhook_id = $3)
      limit ${MAX_COUNTED}
    ) as delivery
  ) as counted order by event.position`
