import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import type { FieldIssue } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import type { CheckData } from '../lib/json-schema.ts'
import { type Json, readJson } from '../lib/parse-json.ts'

/** An event to publish. */
export interface NewEvent {
  readonly type: string
  /** Any JSON value but null. */
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
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Reads an event, and finds the issues that do not depend on its type. */
export function checkEvent(event: NewEvent): CheckedEvent {
  const issues: FieldIssue[] = []
  const report = (field: string, code: IssueCode, detail: string) =>
    issues.push({ path: [field], code, detail })
  const data = readJson(event, 'data', issues)
  const bytes = Buffer.byteLength(data?.text ?? '')
  if (data === null && issues.length === 0) {
    const detail = 'data is required. Send any JSON value, or the text of one as dataText.'
    report('data', 'required', detail)
  } else if (bytes > MAX_DATA_BYTES) {
    report(
      'data',
      'too_large',
      `data must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${bytes}.`,
    )
  }
  const read = readJson(event, 'previous', issues)
  const previous = read?.value === null ? null : read
  const bytesOfBoth = bytes + Buffer.byteLength(previous?.text ?? '')
  if (bytes <= MAX_DATA_BYTES && bytesOfBoth > MAX_DATA_BYTES) {
    report(
      'previous',
      'too_large',
      `previous and data together must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${bytesOfBoth}.`,
    )
  }
  if (event.occurredAt && !isTime(event.occurredAt)) {
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
  return { data, previous, issues }
}

/** Years in RFC 3339 have four digits. */
function isTime(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9_999
}

/** Schema violations listed for one event. */
const MAX_PROBLEMS = 20

/** The issues of an event with the schema of its type. Null: a check did not come to its end, so that the event is accepted. */
export function checkAgainstSchema(
  { type }: NewEvent,
  { data, previous }: Pick<CheckedEvent, 'data' | 'previous'>,
  check: CheckData,
): (FieldIssue | null)[] {
  return Object.entries({ data, previous }).flatMap(([field, json]): (FieldIssue | null)[] => {
    const problems = json ? check(json.value) : []
    if (problems === null) return [null]
    if (problems.length === 0) return []
    const listed = problems.slice(0, MAX_PROBLEMS).join('; ')
    const more =
      problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : ''
    const detail = `${field} does not match the schema of ${type}: ${listed}${more}.`
    return [{ path: [field], code: 'schema_mismatch', detail }]
  })
}
