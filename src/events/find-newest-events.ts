import type { Sql } from '../db/client.ts'
import type { DeliveredEvent } from './check-event.ts'

export interface NewestEvent extends DeliveredEvent {
  readonly previous: string | null
}

export interface NewestEvents {
  readonly types: readonly string[]
  /** Leaves out events without a delivery to this webhook. Null: none. */
  readonly onlyWebhook: string | null
  readonly max: number
  /** Of their data. */
  readonly maxBytes: number
}

/** The newest events of some types, newest first. Test events and erased ones are left out. */
export async function findNewestEvents(
  sql: Sql,
  organizationId: string,
  { types, onlyWebhook, max, maxBytes }: NewestEvents,
): Promise<NewestEvent[]> {
  const { rows } = await sql.query<NewestEvent>({
    name: 'newest_events_of_types',
    text: NEWEST_EVENTS,
    values: [organizationId, types, onlyWebhook, max, maxBytes],
  })
  return rows
}

/** Each type is one range of the index on (organization, type, id). */
const NEWEST_EVENTS = `
  select id, type, occurred_at as "occurredAt", data, previous from (
    select newest.*,
      sum(octet_length(newest.data) + coalesce(octet_length(newest.previous), 0)) over (order by newest.id desc) as bytes
    from (
      select event.* from unnest($2::text[]) as subscribed (type), lateral (
        select e.id, e.type, e.occurred_at, e.data, e.previous from posthorn.events as e
        where e.organization_id = $1 and e.type = subscribed.type and not e.is_test and e.erased_at is null
          and ($3::uuid is null or exists (
            select from posthorn.deliveries as d where d.event_id = e.id and d.webhook_id = $3))
        order by e.type desc, e.id desc limit $4::int
      ) as event
      order by event.id desc limit $4::int
    ) as newest
  ) as summed
  where bytes <= $5::bigint
  order by id desc`
