import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import type { FieldIssue } from '../lib/errors.ts'
import type { IssueCode } from '../lib/issue-codes.ts'
import type { CheckData } from '../lib/json-schema.ts'

/** Schema violations listed for one event. */
const MAX_PROBLEMS = 20

const MAX_IDEMPOTENCY_KEY_LENGTH = 255
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The issues of an event that do not depend on its type. `json` is its data, and `previousJson` the data before the
 * change. Paths are relative to the event.
 */
export function checkEvent(
  event: NewEvent,
  json: string | undefined,
  previousJson: string | null = null,
): FieldIssue[] {
  const issues: FieldIssue[] = []
  const report = (field: string, code: IssueCode, detail: string) =>
    issues.push({ path: [field], code, detail })
  if (json === undefined) {
    report('data', 'required', 'data is required. Send any JSON value.')
  } else if (Buffer.byteLength(json) > MAX_DATA_BYTES) {
    report(
      'data',
      'too_large',
      `data must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${Buffer.byteLength(json)}.`,
    )
  } else if (previousJson !== null) {
    const bytes = Buffer.byteLength(json) + Buffer.byteLength(previousJson)
    if (bytes > MAX_DATA_BYTES) {
      report(
        'previous',
        'too_large',
        `previous and data together must have at most 256 KiB (${MAX_DATA_BYTES} bytes) as JSON, not ${bytes}.`,
      )
    }
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
  return issues
}

/** Years in RFC 3339 have four digits. */
function isTime(time: Date): boolean {
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9_999
}

/**
 * The issues of an event's data, or of the data before the change, with the schema of its type. Null: the check did not come
 * to its end, so that the event is accepted.
 */
export function checkAgainstSchema(
  event: NewEvent,
  field: 'data' | 'previous',
  check: CheckData,
): FieldIssue[] | null {
  const problems = check(event[field])
  if (problems === null || problems.length === 0) return problems && []
  const listed = problems.slice(0, MAX_PROBLEMS).join('; ')
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : ''
  const detail = `${field} does not match the schema of ${event.type}: ${listed}${more}.`
  return [{ path: [field], code: 'schema_mismatch', detail }]
}

/** An event to publish. `data` is any JSON value. */
export interface NewEvent {
  readonly type: string
  readonly data: unknown
  /** The text of `data`, to keep it as it is. Default: `data` as `JSON.stringify` prints it. */
  readonly dataText?: string
  /** What `data` was before the change that the event reports. Null: not given. */
  readonly previous?: unknown
  /** The text of `previous`, to keep it as it is. */
  readonly previousText?: string
  /** Default: now. */
  readonly occurredAt?: Date | null
  /** 1 to 255 characters. For 24 hours, publishing with the same key returns the first event. */
  readonly idempotencyKey?: string | null
  /** A W3C `traceparent`, sent with every delivery of the event. */
  readonly traceParent?: string | null
  /** A W3C `tracestate`, sent with the `traceparent`. */
  readonly traceState?: string | null
}
