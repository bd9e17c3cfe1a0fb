import { arrayLiteral } from '../../db/array-literal.ts'
import type { Sql } from '../../db/client.ts'
import { batched } from '../../lib/batch.ts'
import type { ScheduledDelivery } from '../../scheduling/scheduled-delivery.ts'

/** A delivery with everything an attempt needs, as of now. */
export interface LoadedDelivery extends ScheduledDelivery {
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly attemptCount: number
  readonly schedulePosition: number
  readonly eventId: string
  readonly eventType: string
  readonly occurredAt: Date
  /** Of the event. Null once the event is past its retention, and then so is `occurredAt`. */
  readonly data: string | null
  readonly traceParent: string | null
  readonly traceState: string | null
  /** Whether this is a test delivery to a disabled webhook, which gets no retries. */
  readonly sendsOnce: boolean
}

/** The delivery with a uuid, or `null` if there is none. */
export type LoadDelivery = (uuid: string) => Promise<LoadedDelivery | null>

/** Deliveries whose jobs start in the same tick are loaded by one statement. */
export function createLoadDelivery(sql: Sql): LoadDelivery {
  return batched((uuids: string[]) => loadDeliveries(sql, uuids), { maxSize: 500 })
}

/**
 * The primary keys serve every lookup, and the bounds prune the partitions of deliveries. `offset 0` keeps the lookups
 * apart: without it, a cached plan made for few rows reads all deliveries between the bounds, or all webhooks.
 */
const LOAD_DELIVERIES = `
  select loaded.* from unnest($1::uuid[]) as requested (id), lateral (
    select d.id, d.state, d.attempt_count as "attemptCount", d.schedule_position as "schedulePosition",
      d.event_id as "eventId", d.event_type as "eventType", e.occurred_at as "occurredAt", e.data,
      e.trace_parent as "traceParent", e.trace_state as "traceState",
      d.organization_id as "organizationId", d.webhook_id as "webhookId",
      -- A temporary webhook that has expired is about to be deleted.
      case when w.deleted_at is not null or w.forwarded_until < now() then 'deleted'
        when w.enabled or d.is_test then 'enabled' else 'disabled' end as webhook, d.is_test and not w.enabled as "sendsOnce",
      w.revision, d.is_test as "isTest", s.backlog_since is not null as "hasBacklog",
      case when s.on_hold_since is not null then s.on_hold_reason end as "holdReason",
      coalesce(s.probe_delivery_id = d.id, false) as "isProbe",
      coalesce(s.head_delivery_id = d.id, false) as "isHead",
      (1000 * extract(epoch from d.reserved_for - clock_timestamp()))::float8 as "reservedInMs",
      $4::float8 as "loadedAt"
    from (select * from posthorn.deliveries as d where d.id = requested.id and d.id between $2 and $3 offset 0) as d
    join lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id offset 0) as w on true
    left join lateral (
      select * from posthorn.webhook_schedules as s where s.webhook_id = d.webhook_id offset 0
    ) as s on true
    left join lateral (select * from posthorn.events as e where e.id = d.event_id offset 0) as e on true
  ) as loaded`

async function loadDeliveries(sql: Sql, uuids: string[]): Promise<(LoadedDelivery | null)[]> {
  const sorted = uuids.toSorted()
  const { rows } = await sql.query<LoadedDelivery>({
    name: 'load_deliveries',
    text: LOAD_DELIVERIES,
    values: [arrayLiteral(sorted), sorted[0], sorted.at(-1), performance.now()],
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}
