import type { Caller } from '../auth/access/scope.ts'
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

/** The events of one call. */
export interface EventsToStore {
  readonly rows: readonly EventRow[]
  /** The key of a caller from memory. Null: there is no key, or it was read just now. */
  readonly apiKey: Pick<Caller, 'keyId' | 'keyVersion'> | null
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
 * type changed since the check, or the API key since it was read, stores nothing and rejects with an error that
 * `isOutdated` or `isApiKeyOutdated` recognizes.
 */
export type StoreEvents = (call: EventsToStore) => Promise<readonly StoredEvent[]>

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
    batched((calls: EventsToStore[]) => storeCalls(sql, calls, isKeyed, onQueued), {
      maxSize: MAX_CALLS,
      weight: { max: 1, of: weigh },
      parallel,
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
  return (call) => {
    const size = weigh(call) > MAX_SHARE_OF_SMALL_CALLS ? 'large' : 'small'
    const isKeyed = call.rows.some(({ idempotencyKey }) => idempotencyKey !== null)
    return (isKeyed ? storeKeyed : storeUnkeyed)[size](call).catch(throwDomainError)
  }
}

/** The fraction of a statement's bounds that a call uses. */
function weigh({ rows }: EventsToStore): number {
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
  calls: readonly EventsToStore[],
  isKeyed: boolean,
  onQueued: OnQueued | undefined,
): Promise<StoredEvent[][]> {
  const rows = calls.flatMap((call) => call.rows)
  const timeoutMs = isKeyed ? KEY_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS
  const sentAt = performance.now()
  const { rows: stored } = await sql.query<StoredEvent & { queued: QueuedDelivery[] | null }>({
    name: 'insert_events',
    // Sets the lock timeout before the function runs, until the end of the transaction.
    text: `
      select stored.event_id as uuid, stored.delivery_count as "deliveryCount", stored.duplicate,
        case when $3 then ${QUEUED} end as queued
      from jsonb_to_record($1) as given (
          organization_ids uuid[], types text[], revisions bigint[], data text[], occurred_at timestamptz[], keys text[],
          trace_parents text[], trace_states text[], previous text[], api_key_ids uuid[], api_key_versions text[]),
        posthorn.insert_events(
          case when set_config('lock_timeout', $2, true) is not null then organization_ids end, types, revisions,
          data, occurred_at, keys, trace_parents, trace_states, previous, api_key_ids, api_key_versions) as stored`,
    values: [printColumns(rows, calls), `${timeoutMs}ms`, onQueued !== undefined],
  })
  // The first row has those of all events.
  for (const delivery of stored[0]?.queued ?? []) {
    const event = rows[stored.findIndex(({ uuid }) => uuid === delivery.eventId)]
    if (event) onQueued?.(event, delivery, sentAt)
  }
  return calls.map((call) => stored.splice(0, call.rows.length))
}

/** One text, because `pg` prints an array by appending each of its elements, in ten times the memory. */
function printColumns(rows: readonly EventRow[], calls: readonly EventsToStore[]): string {
  const apiKeys = [...new Set(calls.flatMap(({ apiKey }) => apiKey ?? []))]
  return JSON.stringify({
    organization_ids: rows.map((row) => row.organizationId),
    types: rows.map((row) => row.type),
    revisions: rows.map((row) => row.typeRevision),
    data: rows.map((row) => row.data),
    occurred_at: rows.map((row) => row.occurredAt),
    keys: rows.map((row) => row.idempotencyKey),
    trace_parents: rows.map((row) => row.traceParent),
    trace_states: rows.map((row) => row.traceState),
    previous: rows.map((row) => row.previous),
    api_key_ids: apiKeys.map((key) => key.keyId),
    api_key_versions: apiKeys.map((key) => key.keyVersion),
  })
}

/** `posthorn.insert_events` raises this code if an event type has changed. */
const OUTDATED = 'PH412'

export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}

/** `posthorn.insert_events` raises this code if an API key was revoked, deleted or changed, or has expired. */
const API_KEY_OUTDATED = 'PH401'

export function isApiKeyOutdated(error: unknown): boolean {
  return codeOf(error) === API_KEY_OUTDATED
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
