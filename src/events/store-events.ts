import { type ArrayElement, columnLiteral } from '../db/array-literal.ts'
import type { Sql } from '../db/client.ts'
import { isRejection } from '../db/rejection.ts'
import { batched } from '../lib/batch.ts'
import { DomainError } from '../lib/errors.ts'

/** An event that was checked, as it is stored. */
export interface EventRow {
  readonly organizationId: string
  readonly type: string
  /** Of the type that the event was checked against. */
  readonly typeRevision: string
  /** JSON. */
  readonly data: string
  readonly occurredAt: Date
  readonly idempotencyKey: string | null
  readonly traceParent: string | null
}

export interface StoredEvent {
  readonly uuid: string
  readonly deliveryCount: number
  /** Whether its idempotency key was used before, so that this is the event of the first use. */
  readonly duplicate: boolean
}

/**
 * Stores the events of one call with their deliveries and jobs, all or none; resolves after the commit. Where a type has
 * changed since the events were checked, it stores nothing and rejects with an error that `isOutdated` recognizes.
 */
export type StoreEvents = (rows: readonly EventRow[]) => Promise<readonly StoredEvent[]>

/** Calls within this time share a transaction. */
const GATHER_MS = 1

/** Of the calls that share a statement: how many, and their events and the characters of their data together. */
const MAX_CALLS = 250
const MAX_EVENTS = 500
const MAX_CHARACTERS = 4 * 1024 * 1024

/** Further statements would wait for each other at the indexes. */
const PARALLEL = 2

/**
 * How long a call waits for an idempotency key that an open transaction has just used, before the caller is told to try
 * again; and how long calls that share a statement wait before each is tried by itself.
 */
const LOCK_TIMEOUT_MS = 1_000
const SHARED_LOCK_TIMEOUT_MS = 100

/**
 * Calls made close together share a transaction; a call that Postgres rejects is rejected alone. Calls with idempotency
 * keys share transactions of their own, so that the others never wait for a key.
 */
export function createStoreEvents(sql: Sql): StoreEvents {
  const gather = (lockTimeoutMs: (calls: number) => number) =>
    batched((calls: Rows[]) => storeCalls(sql, calls, lockTimeoutMs(calls.length)), {
      gatherMs: GATHER_MS,
      maxSize: MAX_CALLS,
      weight: { max: 1, of: weigh },
      parallel: PARALLEL,
      isolate: (error) =>
        (isRejection(error) || codeOf(error) === LOCK_NOT_AVAILABLE) && !isOutdated(error),
    })
  const storeKeyed = gather((calls) => (calls > 1 ? SHARED_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS))
  const storeOther = gather(() => 0)
  return (rows) =>
    rows.some(({ idempotencyKey }) => idempotencyKey !== null)
      ? storeKeyed(rows).catch(rethrow)
      : storeOther(rows)
}

type Rows = readonly EventRow[]

/** How much of a statement a call fills. */
function weigh(rows: Rows): number {
  const characters = rows.reduce((sum, row) => sum + row.data.length, 0)
  return Math.max(rows.length / MAX_EVENTS, characters / MAX_CHARACTERS)
}

async function storeCalls(
  sql: Sql,
  calls: readonly Rows[],
  lockTimeoutMs: number,
): Promise<StoredEvent[][]> {
  const rows = calls.flat()
  const column = (of: (row: EventRow) => ArrayElement) => columnLiteral(rows, of)
  const { rows: stored } = await sql.query<StoredRow>({
    name: 'insert_events',
    // The lock timeout is set before the function is called, and ends with the transaction. 0 is none.
    text: `
      select event_id, delivery_count, duplicate from posthorn.insert_events(
        case when set_config('lock_timeout', $8, true) is not null then $1::uuid[] end,
        $2::text[], $3::bigint[], $4::text[], $5::timestamptz[], $6::text[], $7::text[])`,
    values: [
      column((row) => row.organizationId),
      column((row) => row.type),
      column((row) => row.typeRevision),
      column((row) => row.data),
      column((row) => row.occurredAt),
      column((row) => row.idempotencyKey),
      column((row) => row.traceParent),
      `${lockTimeoutMs}ms`,
    ],
    rowMode: 'array',
  })
  const events = stored.map(([uuid, deliveryCount, duplicate]) => ({
    uuid,
    deliveryCount,
    duplicate,
  }))
  return calls.map(({ length }) => events.splice(0, length))
}

type StoredRow = [eventId: string, deliveryCount: number, duplicate: boolean]

/** What `posthorn.insert_events` raises when a type has changed. */
const OUTDATED = 'PH412'

/** Whether an error says that a type has changed, and nothing was stored. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}

/** What `posthorn.insert_events` raises when a key was used for another event; its detail lists which. */
const IDEMPOTENCY_CONFLICT = 'PH409'
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOCK_NOT_AVAILABLE = '55P03'

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

/** A conflict concerns one call, as calls that share a statement are isolated: its ordinals are of that call. */
function rethrow(error: { detail?: string }): never {
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
