import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'
import { didYouMean } from '../did-you-mean.ts'
import { DomainError, type FieldIssue, invalid } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Catalogue } from './event-type.ts'

/** Bounds of publishing: `data` as JSON, and the events of one call. */
export const MAX_DATA_BYTES = 256 * 1024
export const MAX_EVENTS_PER_CALL = 1_000

const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** An event to publish. `data` is any JSON value. */
export interface NewEvent {
  readonly type: string
  readonly data: unknown
  /** When it occurred; default: now. */
  readonly occurredAt?: Date | null
  /** 1 to 255 characters, remembered for 24 hours: publishing again with it answers with the first event. */
  readonly idempotencyKey?: string | null
  /** The W3C trace context to send on with every delivery. */
  readonly traceParent?: string | null
}

export interface PublishedEvent {
  readonly id: string
  /** How many deliveries it made, one for each enabled webhook that subscribes to its type. */
  readonly deliveryCount: number
  /** Whether the idempotency key was used before, so that this is the event of its first use. */
  readonly duplicate: boolean
}

/** Publishes all the events or, when anything is wrong with one of them, none. */
export type PublishEvents = (
  organizationId: string,
  events: readonly NewEvent[],
) => Promise<PublishedEvent[]>

interface EventRow {
  readonly organizationId: string
  readonly type: string
  readonly data: string
  readonly occurredAt: Date
  readonly idempotencyKey: string | null
  readonly traceParent: string | null
}

interface StoredRow {
  readonly ordinal: number
  readonly event_id: string
  readonly delivery_count: number
  readonly repeated: boolean
}

/**
 * The one way in for events that come through Node. Calls made within a millisecond or two share a transaction, and
 * each is answered after its commit.
 */
export function createPublishEvents(sql: Sql, catalogue: Catalogue): PublishEvents {
  const storeTogether = batched((calls: EventRow[][]) => storeCalls(sql, calls), {
    gatherMs: 1,
    maxSize: 250,
  })

  return async (organizationId, events) => {
    checkCount(events.length)
    const rows = await toRows(catalogue, organizationId, events)
    // Calls with idempotency keys go alone: a conflict refuses the whole call, and must refuse no other.
    const alone = rows.some((row) => row.idempotencyKey !== null)
    const stored = alone ? await storeRows(sql, rows).catch(rethrow) : await storeTogether(rows)
    return stored.map((row) => ({
      id: publicId('event', row.event_id),
      deliveryCount: row.delivery_count,
      duplicate: row.repeated,
    }))
  }
}

function checkCount(count: number): void {
  if (count >= 1 && count <= MAX_EVENTS_PER_CALL) return
  throw invalid([
    {
      path: ['events'],
      code: count === 0 ? 'required' : 'too_many',
      detail: `events must have 1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} entries, not ${count}.`,
    },
  ])
}

async function toRows(
  catalogue: Catalogue,
  organizationId: string,
  events: readonly NewEvent[],
): Promise<EventRow[]> {
  const checks = await catalogue.find(events.map((event) => event.type))
  const issues: FieldIssue[] = []
  const rows = events.map((event, index): EventRow => {
    const report = (field: string, code: string, detail: string) =>
      issues.push({ path: ['events', index, field], code, detail })
    const data = JSON.stringify(event.data)
    checkEvent(event, data, report)
    const problems = checks.get(event.type)?.(event.data) ?? []
    if (problems.length > 0) {
      report(
        'data',
        'schema_mismatch',
        `data does not meet the schema of ${event.type}: ${problems.join('; ')}.`,
      )
    }
    return {
      organizationId,
      type: event.type,
      data,
      occurredAt: event.occurredAt ?? new Date(),
      idempotencyKey: event.idempotencyKey ?? null,
      traceParent: event.traceParent ?? null,
    }
  })
  const unknown = new Set(events.map((event) => event.type).filter((type) => !checks.has(type)))
  if (unknown.size > 0) {
    const names = await catalogue.names()
    for (const [index, { type }] of events.entries()) {
      if (!unknown.has(type)) continue
      const hint = didYouMean(type, names) || ` The event types are ${names.join(', ')}.`
      issues.push({
        path: ['events', index, 'type'],
        code: 'unknown_event_type',
        detail: `There is no event type ${JSON.stringify(type.slice(0, 128))}.${hint}`,
      })
    }
  }
  if (issues.length > 0) throw invalid(issues)
  return rows
}

function checkEvent(
  event: NewEvent,
  data: string | undefined,
  report: (field: string, code: string, detail: string) => void,
): void {
  if (data === undefined) {
    report('data', 'required', 'data is required: give any JSON value.')
  } else if (Buffer.byteLength(data) > MAX_DATA_BYTES) {
    report(
      'data',
      'too_large',
      `data must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${Buffer.byteLength(data)}.`,
    )
  }
  if (event.occurredAt && Number.isNaN(event.occurredAt.getTime())) {
    report(
      'timestamp',
      'invalid_time',
      'timestamp must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.',
    )
  }
  const key = event.idempotencyKey
  if (
    typeof key === 'string' &&
    (key.length < 1 || key.length > MAX_IDEMPOTENCY_KEY_LENGTH || key.includes('\0'))
  ) {
    report(
      'idempotencyKey',
      'invalid_length',
      'idempotencyKey must have 1 to 255 characters, none of them NUL.',
    )
  }
  if (typeof event.traceParent === 'string' && !TRACE_PARENT.test(event.traceParent)) {
    report(
      'traceparent',
      'invalid_traceparent',
      'traceparent must have the form of W3C Trace Context: 00-<32 hex>-<16 hex>-<2 hex>.',
    )
  }
}

async function storeCalls(sql: Sql, calls: EventRow[][]): Promise<StoredRow[][]> {
  const stored = await storeRows(sql, calls.flat())
  let next = 0
  return calls.map((call) => {
    const first = next
    next += call.length
    return stored.slice(first, next)
  })
}

async function storeRows(sql: Sql, rows: EventRow[]): Promise<StoredRow[]> {
  const { rows: stored } = await sql.query<StoredRow>({
    name: 'insert_events',
    text: `
      select ordinal, event_id, delivery_count, repeated
      from posthorn.insert_events($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[])
      order by ordinal`,
    values: [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.type),
      rows.map((row) => row.data),
      rows.map((row) => row.occurredAt),
      rows.map((row) => row.idempotencyKey),
      rows.map((row) => row.traceParent),
    ],
  })
  return stored
}

/** What `posthorn.insert_events` raises when a key was used for another event; its detail lists which. */
const IDEMPOTENCY_CONFLICT = 'PH409'

function rethrow(error: { code?: string; detail?: string }): never {
  if (error.code !== IDEMPOTENCY_CONFLICT) throw error
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
