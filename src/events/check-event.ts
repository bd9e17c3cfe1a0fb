import { publicId } from '../db/ids.ts'
import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import type { CheckData } from '../lib/json-schema.ts'
import { type Json, readJson } from '../lib/parse-json.ts'

/** An event to publish. */
export interface NewEvent {
  /** The name of an event type of the catalogue. */
  readonly type: string
  /** Any JSON value but null, of at most 256 KiB as JSON, which matches the schema of the type. */
  readonly data?: unknown
  /** In place of `data`: the text of any JSON value, which is kept to the letter. */
  readonly dataText?: string | null | undefined
  /** What `data` was before the change that the event reports. Null: not given. */
  readonly previous?: unknown
  /** In place of `previous`: its text, which is kept to the letter. */
  readonly previousText?: string | null | undefined
  /** Default: now. */
  readonly occurredAt?: Date | null
  /** 1 to 255 characters. For 24 hours, publishing with the same key returns the first event. */
  readonly idempotencyKey?: string | null | undefined
  /** A W3C `traceparent`, sent with every delivery of the event. */
  readonly traceParent?: string | null
  /** A W3C `tracestate`, sent with the `traceparent`. */
  readonly traceState?: string | null
}

export interface CheckedEvent {
  /** Null: the event has an issue. */
  readonly data: Json | null
  /** Null: not given, or the event has an issue. */
  readonly previous: Json | null
  /** The paths are relative to the event. */
  readonly issues: FieldIssue[]
  /** Whether a check with the schema did not come to its end, so that the event is accepted. */
  readonly isUndecided: boolean
}

type Report = (field: string, code: IssueCode, rule: string) => void

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

const MOST = `must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not`

/** Schema violations listed for one event. */
const MAX_PROBLEMS = 20

/** Reads an event, and finds its issues. `check` checks with the schema of its type. Default: no schema. */
export function checkEvent(event: NewEvent, check: CheckData = () => []): CheckedEvent {
  const issues: FieldIssue[] = []
  const report: Report = (field, code, rule) => void issues.push(fieldIssue([field], code, rule))
  const data = readJson(event, 'data', issues)
  const bytes = Buffer.byteLength(data?.text ?? '')
  if (data === null && issues.length === 0) {
    report('data', 'required', 'is required. Send JSON other than null, or its text as dataText.')
  } else if (bytes > MAX_DATA_BYTES) {
    report('data', 'too_large', `${MOST} ${bytes}.`)
  }
  const read = readJson(event, 'previous', issues)
  const previous = read?.value === null ? null : read
  const bytesOfBoth = bytes + Buffer.byteLength(previous?.text ?? '')
  if (bytes <= MAX_DATA_BYTES && bytesOfBoth > MAX_DATA_BYTES) {
    report('previous', 'too_large', `and data together ${MOST} ${bytesOfBoth}.`)
  }
  if (event.occurredAt && !isTime(event.occurredAt)) {
    const rule = 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.'
    report('timestamp', 'invalid_time', rule)
  }
  const key = event.idempotencyKey
  if (typeof key === 'string' && !isKey(key)) {
    report('idempotencyKey', 'invalid_length', 'must have 1 to 255 characters, none of them NUL.')
  }
  if (typeof event.traceParent === 'string' && !TRACE_PARENT.test(event.traceParent)) {
    const rule = 'must have the form of W3C Trace Context: 00-<32 hex>-<16 hex>-<2 hex>.'
    report('traceparent', 'invalid_traceparent', rule)
  }
  let isUndecided = false
  const match = (field: string, { value }: Json) => {
    const problems = check(value)
    if (problems === null) isUndecided = true
    else if (problems.length > 0) {
      const listed = problems.slice(0, MAX_PROBLEMS).join('; ')
      const more = problems.length - MAX_PROBLEMS
      const rule = `does not match the schema of ${event.type}: ${listed}${more > 0 ? `; and ${more} more` : ''}.`
      report(field, 'schema_mismatch', rule)
    }
  }
  if (data) match('data', data)
  if (data && previous) match('previous', previous)
  return { data, previous, issues, isUndecided }
}

/** Postgres has neither NUL nor half of a character. */
const isKey = (text: string): boolean => /^[^\0\p{Surrogate}]{1,255}$/u.test(text)

/** Years in RFC 3339 have four digits. */
function isTime(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9_999
}

/** The columns of an event that its deliveries send. */
export interface DeliveredEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The exact JSON text that was published. */
  readonly data: string
}

/**
 * The signed body of an attempt. The body depends only on these columns of the event, so every attempt of every
 * delivery sends the same bytes.
 */
export function deliveryBody({ id, type, occurredAt, data }: DeliveredEvent): string {
  return `{"id":"${publicId('event', id)}","type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`
}
