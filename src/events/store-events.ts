import { batched } from '../batch.ts'
import { type ArrayElement, arrayLiteral, columnLiteral } from '../db/array-literal.ts'
import type { Sql } from '../db/client.ts'
import { isRefusal } from '../db/refusal.ts'
import { DomainError } from '../errors.ts'

/** An event that was checked, as it is stored. */
export interface EventRow {
  readonly organizationId: string
  readonly type: string
  /** Of the type, as the event was checked by it. */
  readonly typeVersion: string
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
  readonly repeated: boolean
}

/**
 * Stores the events of one call with their deliveries and jobs, all or none; resolves after the commit. Where a type is
 * not as the events were checked, it stores nothing and rejects with an error that `isOutdated` knows.
 */
export type StoreEvents = (rows: Rows) => Promise<readonly StoredEvent[]>

/** How long a call waits for others at most: where the last one went less than that before. */
const GATHER_MS = 2

/** Of the calls that share a statement: how many, and the characters of their data together. */
const MAX_CALLS = 250
const MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * How long a call waits for an idempotency key that an open transaction has just used, such as a host application's,
 * before it is told to try again; and how long calls that share a statement wait before each is tried by itself.
 */
const LOCK_TIMEOUT = '1s'
const SHARED_LOCK_TIMEOUT = '100ms'

/**
 * Calls made close together share a transaction; one that Postgres refuses is refused alone. Those with idempotency keys
 * have transactions of their own, so that the others never wait for a key.
 */
export function createStoreEvents(sql: Sql): StoreEvents {
  const store = (lockTimeout: (calls: number) => string | null) =>
    batched((calls: Rows[]) => storeCalls(sql, calls, lockTimeout(calls.length)), {
      gatherMs: 0,
      distanceMs: GATHER_MS,
      maxSize: MAX_CALLS,
      weight: { max: MAX_CHARACTERS, of: countCharacters },
      isolate: (error) =>
        (isRefusal(error) || codeOf(error) === LOCK_NOT_AVAILABLE) && !isOutdated(error),
    })
  const storeKeyed = store((calls) => (calls > 1 ? SHARED_LOCK_TIMEOUT : LOCK_TIMEOUT))
  const storeOther = store(() => null)
  return (rows) => {
    const keyed = rows.some((row) => row.idempotencyKey !== null)
    return keyed ? storeKeyed(rows).catch(rethrow) : storeOther(rows)
  }
}

type Rows = readonly EventRow[]

function countCharacters(rows: Rows): number {
  return rows.reduce((sum, row) => sum + row.data.length, 0)
}

async function storeCalls(
  sql: Sql,
  calls: readonly Rows[],
  lockTimeout: string | null,
): Promise<StoredEvent[][]> {
  const stored = await storeRows(sql, calls.flat(), lockTimeout)
  let next = 0
  return calls.map((call) => {
    const first = next
    next += call.length
    return stored.slice(first, next)
  })
}

type StoredRow = [eventId: string, deliveryCount: number, repeated: boolean]

async function storeRows(sql: Sql, rows: Rows, lockTimeout: string | null): Promise<StoredEvent[]> {
  const types = [...new Map(rows.map((row) => [`${row.type} ${row.typeVersion}`, row])).values()]
  const column = (of: (row: EventRow) => ArrayElement) => columnLiteral(rows, of)
  const { rows: stored } = await sql.query<StoredRow>({
    ...(lockTimeout === null ? INSERT_EVENTS : INSERT_KEYED_EVENTS),
    values: [
      column((row) => row.organizationId),
      column((row) => row.type),
      column((row) => row.data),
      column((row) => row.occurredAt),
      column((row) => row.idempotencyKey),
      column((row) => row.traceParent),
      arrayLiteral(types.map(({ type }) => type)),
      arrayLiteral(types.map(({ typeVersion }) => typeVersion)),
      ...(lockTimeout === null ? [] : [lockTimeout]),
    ],
    rowMode: 'array',
  })
  return stored.map(([uuid, deliveryCount, repeated]) => ({ uuid, deliveryCount, repeated }))
}

const insertEvents = (organizationIds: string) => `
  select event_id, delivery_count, repeated
  from posthorn.insert_events(${organizationIds}, $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
    $7::text[], $8::text[])
  order by ordinal`

const INSERT_EVENTS = { name: 'insert_events', text: insertEvents('$1::uuid[]') }

/** The arguments are computed before the function runs, so the setting holds in it, and only there. */
const INSERT_KEYED_EVENTS = {
  name: 'insert_keyed_events',
  text: insertEvents(
    `case when set_config('lock_timeout', $9, true) is not null then $1::uuid[] end`,
  ),
}

/** What `posthorn.insert_events` raises when a type is not as it was. */
const OUTDATED = 'PH412'

/** Whether an error says that a type has changed since, and nothing was stored. */
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

/** A conflict is always of one call, as those that share a statement are isolated, so its ordinals are of that call. */
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
