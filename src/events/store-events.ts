import type { Sql } from '../db/client.ts'
import { isRejection } from '../db/faults.ts'
import { batched } from '../lib/batch.ts'
import { DomainError } from '../lib/errors.ts'

/** The columns of a checked event. */
export interface EventRow {
  readonly organizationId: string
  readonly type: string
  /** The revision of the event type that the event was checked against. */
  readonly typeRevision: string
  /** JSON. */
  readonly data: string
  /** JSON. */
  readonly previous: string | null
  readonly occurredAt: Date
  readonly idempotencyKey: string | null
  readonly traceParent: string | null
  readonly traceState: string | null
}

export interface StoredEvent {
  readonly uuid: string
  readonly deliveryCount: number
  /** Whether this is the event of an earlier call with the same idempotency key. */
  readonly duplicate: boolean
}

/** A delivery that has a job at once, with what its attempt needs of its webhook and its organization. */
export interface QueuedDelivery extends Readonly<Record<'id' | 'eventId' | 'webhookId', string>> {
  readonly revision: string
  readonly bodyId: string | null
  readonly publicUrl: string | null
  readonly keepsPayload: boolean
  readonly keepsResponseBody: boolean
}

/** `readAt`: when the statement was sent that read the delivery, by the clock of `performance.now`. */
export type OnQueued = (event: EventRow, delivery: QueuedDelivery, readAt: number) => void

/**
 * Stores the events of one call with their deliveries and jobs, all or none, and resolves after the commit. If an event
 * type changed since the check, stores nothing and rejects with an error that `isOutdated` recognizes.
 */
export type StoreEvents = (rows: readonly EventRow[]) => Promise<readonly StoredEvent[]>

/**
 * Bounds of one statement: calls, their events, and the characters of their data. The number of deliveries is bounded by
 * `posthorn.insert_events`.
 */
const MAX_CALLS = 250
const MAX_EVENTS = 500
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Calls with a larger part of these bounds have statements of their own, so that small calls do not wait for them. */
const MAX_SHARE_OF_SMALL_CALLS = 0.2

/** More parallel statements would wait for each other's index pages. */
const PARALLEL = 2

/** Each statement costs Postgres and this process as much as some 20 events. */
const GATHER_MS = 3

/**
 * How long a call waits for a lock before it fails; and how long one with an idempotency key does, which a transaction of a
 * host can hold for as long as it likes: many such calls wait one after the other.
 */
const LOCK_TIMEOUT_MS = 1_000
const KEY_LOCK_TIMEOUT_MS = 200

/**
 * Calls that come while statements run share the next transaction, and a call that Postgres rejects fails alone. Calls
 * with idempotency keys have separate transactions, so that calls without a key never wait for one; so have large calls,
 * one after the other. `onQueued` gets the deliveries of small statements.
 */
export function createStoreEvents(sql: Sql, onQueued?: OnQueued): StoreEvents {
  const createBatch = (isKeyed: boolean, parallel: number) =>
    batched((calls: Rows[]) => storeCalls(sql, calls, isKeyed, onQueued), {
      maxSize: MAX_CALLS,
      weight: { max: 1, of: weigh },
      parallel,
      gatherMs: GATHER_MS,
      isolate: (error) =>
        (isRejection(error) || (isKeyed && codeOf(error) === LOCK_NOT_AVAILABLE)) &&
        !isOutdated(error),
    })
  const createLanes = (isKeyed: boolean) => ({
    small: createBatch(isKeyed, PARALLEL),
    large: createBatch(isKeyed, 1),
  })
  const storeKeyed = createLanes(true)
  const storeUnkeyed = createLanes(false)
  return (rows) => {
    const size = weigh(rows) > MAX_SHARE_OF_SMALL_CALLS ? 'large' : 'small'
    const isKeyed = rows.some(({ idempotencyKey }) => idempotencyKey !== null)
    return (isKeyed ? storeKeyed : storeUnkeyed)[size](rows).catch(throwDomainError)
  }
}

type Rows = readonly EventRow[]

/** The fraction of a statement's bounds that a call uses. */
function weigh(rows: Rows): number {
  const characters = rows.reduce(
    (sum, { data, previous }) => sum + data.length + (previous?.length ?? 0),
    0,
  )
  return Math.max(rows.length / MAX_EVENTS, characters / MAX_CHARACTERS)
}

/** SQL: the queued deliveries of `stored`, except those that need a reservation. `offset 0` keeps to the primary keys. */
const QUEUED = `(
  select json_agg(delivery) from (
    select d.id, event_id as "eventId", w.id as "webhookId", w.revision::text, d.body_id as "bodyId",
      case when d.body_id is not null then (select public_url from posthorn.settings) end as "publicUrl",
      w.keep_payloads and o.keep_payloads as "keepsPayload",
      w.keep_response_bodies and o.keep_response_bodies as "keepsResponseBody"
    from unnest(stored.queued) as d, lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id offset 0) as w,
      lateral (select * from posthorn.organizations as o where o.id = w.organization_id offset 0) as o
    where w.enabled and w.deleted_at is null and w.rate_limit_per_second is null
  ) as delivery)`

async function storeCalls(
  sql: Sql,
  calls: readonly Rows[],
  isKeyed: boolean,
  onQueued: OnQueued | undefined,
): Promise<StoredEvent[][]> {
  const rows = calls.flat()
  const sentAt = performance.now()
  const column = <Value>(of: (row: EventRow) => Value) => rows.map(of)
  const { rows: stored } = await sql.query<StoredEvent & { queued: QueuedDelivery[] | null }>({
    name: 'insert_events',
    // Sets the lock timeout before the function runs, until the end of the transaction.
    text: `
      select event_id as uuid, delivery_count as "deliveryCount", duplicate, case when $11 then ${QUEUED} end as queued
      from posthorn.insert_events(
        case when set_config('lock_timeout', $8, true) is not null then $1::uuid[] end,
        $2::text[], $3::bigint[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $9::text[], $10::text[]) as stored`,
    values: [
      column((row) => row.organizationId),
      column((row) => row.type),
      column((row) => row.typeRevision),
      column((row) => row.data),
      column((row) => row.occurredAt),
      column((row) => row.idempotencyKey),
      column((row) => row.traceParent),
      `${isKeyed ? KEY_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS}ms`,
      column((row) => row.traceState),
      column((row) => row.previous),
      onQueued !== undefined,
    ],
  })
  // The first row has those of all events.
  for (const delivery of stored[0]?.queued ?? []) {
    const event = rows[stored.findIndex(({ uuid }) => uuid === delivery.eventId)]
    if (event) onQueued?.(event, delivery, sentAt)
  }
  return calls.map(({ length }) => stored.splice(0, length))
}

/** `posthorn.insert_events` raises this code if an event type has changed. */
const OUTDATED = 'PH412'

export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}

/** `posthorn.insert_events` raises this code if a key was used for another event. The detail lists the ordinals. */
const IDEMPOTENCY_CONFLICT = 'PH409'
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOCK_NOT_AVAILABLE = '55P03'

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

/** `posthorn.insert_events` raises this code if the organization was deleted since the caller was authenticated. */
const ORGANIZATION_DELETED = 'PH410'

/** The ordinals belong to one call: after a conflict, each call of the batch runs alone. */
function throwDomainError(error: { detail?: string }): never {
  if (codeOf(error) === ORGANIZATION_DELETED) {
    throw new DomainError(
      'unauthenticated',
      'The organization was deleted, and its API keys with it. Nothing was published.',
    )
  }
  if (codeOf(error) !== IDEMPOTENCY_CONFLICT) throw error
  const detail =
    'idempotencyKey was used for another event in the last 24 hours. Use a new key for a new event.'
  const ordinals: number[] = JSON.parse(error.detail ?? '[]')
  throw new DomainError('conflict', detail, {
    issues: ordinals.map((ordinal) => ({
      path: ['events', ordinal, 'idempotencyKey'],
      code: 'idempotency_conflict',
      detail,
    })),
  })
}
