import { type createFindBody, writeBody } from '../../bodies/body.ts'
import type { BodyEvent } from '../../bodies/event-graph/select-event.ts'
import type { Sql } from '../../db/client.ts'
import { deliveryBody } from '../../events/check-event.ts'
import { batched } from '../../lib/batch.ts'
import type { ScheduledDelivery } from '../../scheduling/scheduler.ts'

/** A delivery with everything an attempt needs, as of now. */
export interface LoadedDelivery extends ScheduledDelivery {
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly attemptCount: number
  readonly schedulePosition: number
  readonly eventId: string
  readonly eventType: string
  readonly occurredAt: Date
  /** Of the event. Null if it is large: jobs that wait keep no large payload in memory. */
  readonly data: string | null
  /** The earlier data. Null too if the body does not need them. */
  readonly previous: string | null
  /** The version of the body. Null: the whole event. */
  readonly bodyId: string | null
  /** The origin of the console. Null if an operator has not set it, or the body does not need it. */
  readonly publicUrl: string | null
  /** Null once the event is past its retention or erased, and then so is `occurredAt`. */
  readonly dataBytes: number | null
  readonly traceParent: string | null
  readonly traceState: string | null
  /** Whether the payload is kept after the delivery has ended. */
  readonly keepsPayload: boolean
  /** Whether bodies of responses are kept. */
  readonly keepsResponseBody: boolean
  /** Whether this is a test delivery to a disabled webhook, which gets no retries. */
  readonly sendsOnce: boolean
  /** How many workers in a row died with the job of the delivery. */
  readonly workerDeaths: number
  /** When it was read, by the clock of `performance.now`. */
  readonly readAt: number
}

/** Of what is sent without another load: its webhook may be disabled or on hold, or have another URL or secret. */
export const MAX_AGE_MS = 20

/** A larger payload is loaded when it is sent. */
export const MAX_BYTES_WITH_DELIVERY = 8 * 1024

/** The delivery with a uuid, or `null` if there is none. */
export type LoadDelivery = (uuid: string) => Promise<LoadedDelivery | null>

type TakeQueued = (uuid: string) => LoadedDelivery | null

/** Deliveries whose jobs start in the same tick are loaded by one statement, unless this process has just queued them. */
export function createLoadDelivery(sql: Sql, takeQueued?: TakeQueued): LoadDelivery {
  const load = batched((uuids: string[]) => loadDeliveries(sql, uuids), { maxSize: 500 })
  return async (uuid) => takeQueued?.(uuid) ?? (await load(uuid))
}

/** SQL: what is read of the event `e` for the delivery `d`. Null once the event is past its retention or erased. */
const BYTES = `(octet_length(e.data)
        + case when d.body_id is null then 0 else coalesce(octet_length(e.previous), 0) end)`

/**
 * The primary keys serve every lookup, and the bounds prune the partitions of deliveries. `offset 0` keeps the lookups
 * apart: without it, a cached plan made for few rows reads all deliveries between the bounds, or all webhooks.
 */
const LOAD_DELIVERIES = `
  select loaded.* from unnest($1::uuid[]) as requested (id), lateral (
    select d.id, d.state, d.attempt_count as "attemptCount", d.schedule_position as "schedulePosition",
      d.event_id as "eventId", d.event_type as "eventType", e.occurred_at as "occurredAt",
      ${BYTES} as "dataBytes",
      case when ${BYTES} <= ${MAX_BYTES_WITH_DELIVERY} then e.data end as data,
      d.body_id as "bodyId", case when d.body_id is not null and ${BYTES} <= ${MAX_BYTES_WITH_DELIVERY} then e.previous end as previous,
      case when d.body_id is not null then (select public_url from posthorn.settings) end as "publicUrl",
      e.trace_parent as "traceParent", e.trace_state as "traceState",
      d.organization_id as "organizationId", d.webhook_id as "webhookId",
      case when w.deleted_at is not null then 'deleted'
        when w.enabled or d.is_test then 'enabled' else 'disabled' end as webhook, d.is_test and not w.enabled as "sendsOnce",
      w.keep_payloads and o.keep_payloads as "keepsPayload",
      w.keep_response_bodies and o.keep_response_bodies as "keepsResponseBody",
      d.worker_deaths as "workerDeaths", w.revision, d.is_test as "isTest",
      case when s.on_hold_since is not null then s.on_hold_reason end as "holdReason",
      coalesce(s.probe_delivery_id = d.id, false) as "isProbe",
      coalesce(s.head_delivery_id = d.id, false) as "isHead",
      (1000 * extract(epoch from d.reserved_for - clock_timestamp()))::float8 as "reservedInMs"
    from (select * from posthorn.deliveries as d where d.id = requested.id and d.id between $2 and $3 offset 0) as d
    join lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id offset 0) as w on true
    join lateral (select * from posthorn.organizations as o where o.id = d.organization_id offset 0) as o on true
    left join lateral (
      select * from posthorn.webhook_schedules as s where s.webhook_id = d.webhook_id offset 0
    ) as s on true
    left join lateral (
      select * from posthorn.events as e where e.id = d.event_id and e.erased_at is null offset 0
    ) as e on true
  ) as loaded`

async function loadDeliveries(sql: Sql, uuids: string[]): Promise<(LoadedDelivery | null)[]> {
  const sorted = uuids.toSorted()
  const { rows } = await sql.query<Omit<LoadedDelivery, 'readAt'>>({
    name: 'load_deliveries',
    text: LOAD_DELIVERIES,
    values: [sorted, sorted[0], sorted.at(-1)],
  })
  const readAt = performance.now()
  const byId = new Map(rows.map((row) => [row.id, Object.assign(row, { readAt })]))
  return uuids.map((uuid) => byId.get(uuid) ?? null)
}

/** The body takes more work than its budget, or is too long. */
export const TOO_LARGE = Symbol('too large')

/** The body of a delivery. Null once the event is past its retention or erased. */
export type LoadBody = (delivery: LoadedDelivery) => Promise<Buffer | typeof TOO_LARGE | null>

/** Deliveries that were loaded without their payloads share a statement. */
export function createLoadBody(sql: Sql, findBody: ReturnType<typeof createFindBody>): LoadBody {
  const loadEvent = batched((deliveries: LoadedDelivery[]) => loadEvents(sql, deliveries), {
    maxSize: 100,
    weight: { max: MAX_BYTES_PER_LOAD, of: ({ dataBytes }) => dataBytes ?? 0 },
    parallel: 2,
  })

  return async (delivery) => {
    const event = loadedEvent(delivery) ?? (await loadEvent(delivery))
    if (!event) return null
    if (delivery.bodyId === null) return Buffer.from(deliveryBody(event))
    const body = await findBody(delivery.bodyId)
    const written = await writeBody(delivery.organizationId, body, event, delivery)
    return written === null ? TOO_LARGE : Buffer.from(written)
  }
}

function loadedEvent(delivery: LoadedDelivery): BodyEvent | null {
  const { eventId, eventType, occurredAt, data, previous } = delivery
  return data === null ? null : { id: eventId, type: eventType, occurredAt, data, previous }
}

const MAX_BYTES_PER_LOAD = 2 * 1024 * 1024

/** The earlier data are read for deliveries that may contain them. */
async function loadEvents(
  sql: Sql,
  deliveries: readonly LoadedDelivery[],
): Promise<(BodyEvent | null)[]> {
  const ids = [...new Set(deliveries.map(({ eventId }) => eventId))].toSorted()
  const withPrevious = deliveries.flatMap(({ eventId, bodyId }) => (bodyId === null ? [] : eventId))
  const { rows } = await sql.query<BodyEvent>({
    name: 'load_bodies',
    text: `
      select id, type, occurred_at as "occurredAt", data,
        case when id = any ($4::uuid[]) then previous end as previous
      from posthorn.events
      where id = any ($1::uuid[]) and id between $2 and $3 and erased_at is null`,
    values: [ids, ids[0], ids.at(-1), withPrevious],
  })
  const events = new Map(rows.map((event) => [event.id, event]))
  return deliveries.map(({ eventId }) => events.get(eventId) ?? null)
}
