import type { PresumedKey } from '../api-keys/scope.ts'
import { batched } from '../batch.ts'
import { type ArrayElement, arrayLiteral, columnLiteral } from '../db/array-literal.ts'
import type { Sql } from '../db/client.ts'
import { isRefusal, nothingWasDone } from '../db/refusal.ts'
import { DomainError } from '../errors.ts'
import type { HandOver, Places, TakenDelivery } from '../queue/hand-over.ts'

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

/** An API key, as it was when it was asked for. */
export type KnownKey = Pick<PresumedKey, 'id' | 'version'>

/**
 * Stores the events of one call with their deliveries and jobs, all or none; resolves after the commit. Where a type is
 * not as the events were checked, it stores nothing and rejects with an error that `isOutdated` knows; where `key` is
 * not as it was, or has expired, with one that `isOtherKey` knows.
 */
export type StoreEvents = (rows: Rows, key?: KnownKey | null) => Promise<readonly StoredEvent[]>

/**
 * How long a call waits for others at most: where the last one went less than that before, and that one not by itself
 * after a pause. So two calls that happen to meet where there are few do not wait for each other.
 */
const GATHER_MS = 2
const PAUSE_MS = 4

/** Of the calls that share a statement: how many, and their events and the characters of their data together. */
const MAX_CALLS = 250
const MAX_EVENTS = 500
const MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * Where there are more than a hundred events under way, two statements run at once, and the rest waits for a moment: more
 * of them hinder each other at the indexes, and one with all would let Postgres and this process wait for each other.
 */
const PARALLEL = { max: 2, light: 100 / MAX_EVENTS, waitMs: 250 }

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
export function createStoreEvents(sql: Sql, handOver: HandOver | null): StoreEvents {
  const storeRows = createStoreRows(sql, handOver)
  const store = (lockTimeout: (calls: number) => string | null) =>
    batched((calls: Call[]) => storeCalls(storeRows, calls, lockTimeout(calls.length)), {
      gatherMs: 0,
      distanceMs: GATHER_MS,
      pauseMs: PAUSE_MS,
      maxSize: MAX_CALLS,
      weight: { max: 1, of: weigh, parallel: PARALLEL },
      isolate: (error) =>
        (isRefusal(error) || codeOf(error) === LOCK_NOT_AVAILABLE) && !isOutdated(error),
    })
  const storeKeyed = store((calls) => (calls > 1 ? SHARED_LOCK_TIMEOUT : LOCK_TIMEOUT))
  const storeOther = store(() => null)
  return (rows, key = null) => {
    const keyed = rows.some((row) => row.idempotencyKey !== null)
    return keyed ? storeKeyed({ rows, key }).catch(rethrow) : storeOther({ rows, key })
  }
}

type Rows = readonly EventRow[]

interface Call {
  readonly rows: Rows
  readonly key: KnownKey | null
}

/** How much of a statement a call fills. */
function weigh({ rows }: Call): number {
  const characters = rows.reduce((sum, row) => sum + row.data.length, 0)
  return Math.max(rows.length / MAX_EVENTS, characters / MAX_CHARACTERS)
}

async function storeCalls(
  storeRows: StoreRows,
  calls: readonly Call[],
  lockTimeout: string | null,
): Promise<StoredEvent[][]> {
  const rows = calls.flatMap((call) => call.rows)
  const keys = calls.map(({ key }) => key).filter((key) => key !== null)
  const stored = await storeRows({ rows, keys, lockTimeout })
  let next = 0
  return calls.map((call) => {
    const first = next
    next += call.rows.length
    return stored.slice(first, next)
  })
}

/** What one statement stores. */
interface Batch {
  readonly rows: Rows
  readonly keys: readonly KnownKey[]
  readonly lockTimeout: string | null
}

type StoreRows = (batch: Batch) => Promise<readonly StoredEvent[]>

/** For so many deliveries of each event places are asked for, and for so many events at most. */
const PLACES_PER_EVENT = 4
const MAX_HANDED_OVER = 50

function createStoreRows(sql: Sql, handOver: HandOver | null): StoreRows {
  async function storeAndBegin(batch: Batch, places: Places) {
    const asOf = performance.now()
    const asking = sql.query<TakenRow>({
      ...(batch.lockTimeout === null ? INSERT_AND_TAKE : INSERT_KEYED_AND_TAKE),
      values: [...parameters(batch), places.poolId, places.count],
      rowMode: 'array',
    })
    const { rows: stored } = await asking.catch((error) => {
      if (nothingWasDone(error)) places.cancel()
      else places.lose()
      throw error
    })
    places.begin(stored.flatMap(takenDeliveries(batch.rows)), asOf)
    return stored.map(toStoredEvent)
  }

  return async (batch) => {
    const count = batch.rows.length
    const places = count <= MAX_HANDED_OVER && handOver?.reserve(count * PLACES_PER_EVENT)
    if (places) return await storeAndBegin(batch, places)
    const { rows: stored } = await sql.query<StoredRow>({
      ...(batch.lockTimeout === null ? INSERT : INSERT_KEYED),
      values: parameters(batch),
      rowMode: 'array',
    })
    return stored.map(toStoredEvent)
  }
}

function parameters({ rows, keys, lockTimeout }: Batch): unknown[] {
  const known = [...new Map(keys.map((key) => [`${key.id} ${key.version}`, key])).values()]
  const types = [...new Map(rows.map((row) => [`${row.type} ${row.typeVersion}`, row])).values()]
  const column = (of: (row: EventRow) => ArrayElement) => columnLiteral(rows, of)
  return [
    column((row) => row.organizationId),
    column((row) => row.type),
    column((row) => row.data),
    column((row) => row.occurredAt),
    column((row) => row.idempotencyKey),
    column((row) => row.traceParent),
    arrayLiteral(types.map(({ type }) => type)),
    arrayLiteral(types.map(({ typeVersion }) => typeVersion)),
    arrayLiteral(known.map(({ id }) => id)),
    arrayLiteral(known.map(({ version }) => version)),
    ...(lockTimeout === null ? [] : [lockTimeout]),
  ]
}

type StoredRow = [eventId: string, deliveryCount: number, repeated: boolean]

/** An event with those of its deliveries whose jobs are taken; null where there are none. */
type TakenRow = [
  ...StoredRow,
  body: string | null,
  jobIds: string[] | null,
  deliveryIds: string[] | null,
  webhookIds: string[] | null,
  revisions: string[] | null,
]

function toStoredEvent([uuid, deliveryCount, repeated]: StoredRow | TakenRow): StoredEvent {
  return { uuid, deliveryCount, repeated }
}

/** Those of one event, which is the one at `index` of those that were stored. */
function takenDeliveries(rows: Rows) {
  return ([, , , body, jobIds, deliveryIds, webhookIds, revisions]: TakenRow, index: number) => {
    const { organizationId, traceParent } = rows[index] as EventRow
    return (jobIds ?? []).map(
      (jobId, i): TakenDelivery => ({
        jobId,
        id: deliveryIds?.[i] as string,
        webhookId: webhookIds?.[i] as string,
        revision: revisions?.[i] as string,
        body: body as string,
        organizationId,
        traceParent,
      }),
    )
  }
}

const STORED = 'event_id, delivery_count, repeated'
const TAKEN = `${STORED}, body, job_ids, delivery_ids, webhook_ids, revisions`

/** The arguments are computed before the function runs, so that a lock timeout holds in it, and only there. */
const insertEvents = (answered: string, lockTimeout: string | null, taking: string) => `
  select ${answered}
  from posthorn.insert_events(
    case
      when posthorn.require_keys($9::uuid[], $10::text[])
        ${lockTimeout ? `and set_config('lock_timeout', ${lockTimeout}, true) is not null` : ''}
      then $1::uuid[]
    end,
    $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], ${taking})
  order by ordinal`

const INSERT = { name: 'insert_events', text: insertEvents(STORED, null, 'null, 0') }
const INSERT_KEYED = {
  name: 'insert_keyed_events',
  text: insertEvents(STORED, '$11', 'null, 0'),
}
const INSERT_AND_TAKE = {
  name: 'insert_events_and_take',
  text: insertEvents(TAKEN, null, '$11, $12'),
}
const INSERT_KEYED_AND_TAKE = {
  name: 'insert_keyed_events_and_take',
  text: insertEvents(TAKEN, '$11', '$12, $13'),
}

/** What `posthorn.insert_events` raises when a type is not as it was. */
const OUTDATED = 'PH412'

/** Whether an error says that a type has changed since, and nothing was stored. */
export function isOutdated(error: unknown): boolean {
  return codeOf(error) === OUTDATED
}

/** What `posthorn.require_keys` raises. */
const OTHER_KEY = 'PH401'

/** Whether an error says that the API key is not as it was, and nothing was stored. */
export function isOtherKey(error: unknown): boolean {
  return codeOf(error) === OTHER_KEY
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
