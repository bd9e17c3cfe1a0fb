import { batched } from '../batch.ts'
import { type ArrayElement, columnLiteral } from '../db/array-literal.ts'
import type { Sql } from '../db/client.ts'
import { isRefusal } from '../db/refusal.ts'
import { latencyBucket } from '../webhooks/latency.ts'

/** One attempt that was made, and what follows from it. */
export interface AttemptRecord {
  readonly deliveryUuid: string
  readonly startedAt: Date
  readonly succeeded: boolean
  readonly durationMs: number
  readonly firstByteMs: number | null
  readonly status: number | null
  readonly errorCode: string | null
  readonly error: string | null
  readonly requestUrl: string
  readonly requestSignature: string | null
  readonly requestHeaderNames: readonly string[]
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: Buffer | null
  readonly responseBodyTruncated: boolean
  readonly resent: boolean
  readonly waitedMs: number
  /** When to try again, from now; null to give up. Means nothing after a success. */
  readonly retryDelayMs: number | null
  /** Whether it leaves the retry schedule where it is, as a probe does: that time is the breaker's. */
  readonly keepsSchedule: boolean
  /** Whether another delivery waits for this one to be on record, as where its webhook takes one at a time. */
  readonly isAwaited: boolean
}

/** What the requests of a process have in common, and what goes on record with each attempt. */
export interface SentBy {
  readonly headerPrefix: string
  readonly userAgent: string
}

/** Where the delivery stands after its attempt was recorded. */
export interface RecordedAttempt {
  readonly attemptId: string
  readonly number: number
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly nextAttemptAt: Date | null
  /** How many attempts for its webhook failed since one succeeded, and when the first of them began. */
  readonly consecutiveFailures: number
  readonly failingSince: Date | null
}

/** Resolves once the record, the new state and the job of the next attempt are committed, all together. */
export type RecordAttempt = (record: AttemptRecord) => Promise<RecordedAttempt | null>

/** How long after others attempts are recorded: those that are many or awaited, and few. */
const DISTANCE_MS = 15
const PATIENT_DISTANCE_MS = 40

/** How many are recorded by one statement: never more, and so few are not hurried. */
const MOST = 500
const FEW = 20

/**
 * Attempts that end soon after others were recorded are recorded together. Much of what a statement costs Postgres does
 * not depend on how many there are, so it pays to wait, the longer the fewer they are; mostly nobody waits for it but the
 * job. A quarter of `concurrency`, of what the process can have under way at once, is many: it has jobs for twice as much,
 * and must not run out of them. By default one is. Once as many wait as it can have under way, they go at once: nothing else
 * may be left to do.
 */
export function createRecordAttempt(sql: Sql, sentBy: SentBy, concurrency = 1): RecordAttempt {
  return batched((records: AttemptRecord[]) => recordAttempts(sql, sentBy, records), {
    gatherMs: 0,
    distanceMs: DISTANCE_MS,
    patience: {
      fewerThan: concurrency / 4,
      distanceMs: PATIENT_DISTANCE_MS,
      isUrgent: ({ isAwaited }) => isAwaited,
    },
    maxSize: Math.min(Math.max(concurrency, FEW), MOST),
    isolate: isRefusal,
  })
}

/**
 * The rows are taken in the order of their ids, so that two processes never wait for each other in a circle. What is as it
 * mostly is comes back as null, which takes next to nothing to read.
 */
async function recordAttempts(
  sql: Sql,
  { headerPrefix, userAgent }: SentBy,
  records: AttemptRecord[],
): Promise<(RecordedAttempt | null)[]> {
  const sorted = records.toSorted((a, b) => (a.deliveryUuid < b.deliveryUuid ? -1 : 1))
  const toJson = unlessRepeated(storableJson)
  const column = (of: (record: AttemptRecord) => ArrayElement) => columnLiteral(sorted, of)
  const { rows } = await sql.query<RecordedRow>({
    name: 'record_attempts',
    text: `
      select ordinal, attempt_id, nullif(number, 1), nullif(state, 'succeeded'), next_attempt_at,
        nullif(consecutive_failures, 0), failing_since
      from posthorn.record_attempts(
        $1::uuid[], $2::timestamptz[], $3::boolean[], $4::int[], $5::int[], $6::int[], $7::int[], $8::text[], $9::text[],
        $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::bytea[], $15::boolean[], $16::bigint[], $17::boolean[],
        $18::boolean[], $19::int[], $20::text, $21::text)`,
    values: [
      column((record) => record.deliveryUuid),
      column((record) => record.startedAt),
      column((record) => record.succeeded),
      column((record) => Math.round(record.durationMs)),
      column((record) => latencyBucket(Math.round(record.durationMs))),
      column((record) => record.firstByteMs && Math.round(record.firstByteMs)),
      column((record) => record.status),
      column((record) => record.errorCode),
      column((record) => record.error),
      column((record) => record.requestUrl),
      column((record) => record.requestSignature),
      column((record) => record.requestHeaderNames.join('\n') || null),
      column((record) => toJson(record.responseHeaders)),
      column((record) => record.responseBody),
      column((record) => record.responseBodyTruncated),
      column((record) => record.retryDelayMs),
      column((record) => record.keepsSchedule),
      column((record) => record.resent),
      column((record) => record.waitedMs),
      headerPrefix,
      userAgent,
    ],
    rowMode: 'array',
  })
  const recorded = new Map(rows.map((row) => [sorted[row[0] - 1], toRecordedAttempt(row)]))
  return records.map((record) => recorded.get(record) ?? null)
}

type RecordedRow = [
  /** Of its record, in the order of the deliveries, from 1. */
  ordinal: number,
  attemptId: string,
  number: number | null,
  state: RecordedAttempt['state'] | null,
  nextAttemptAt: Date | null,
  consecutiveFailures: number | null,
  failingSince: Date | null,
]

function toRecordedAttempt(row: RecordedRow): RecordedAttempt {
  return {
    attemptId: row[1],
    number: row[2] ?? 1,
    state: row[3] ?? 'succeeded',
    nextAttemptAt: row[4],
    consecutiveFailures: row[5] ?? 0,
    failingSince: row[6],
  }
}

/** What strangers put into headers may hold characters that `jsonb` refuses; HTTP gives them no meaning anyway. */
function storableJson(headers: Readonly<Record<string, string>> | null): string | null {
  return headers && JSON.stringify(headers).replaceAll('\\u0000', '')
}

/** Answers as before to what was asked just before: the heads of a receiver's answers are mostly the same one. */
function unlessRepeated<Input, Output>(
  compute: (input: Input) => Output,
): (input: Input) => Output {
  let last: { readonly input: Input; readonly output: Output } | null = null
  return (input) => {
    if (last?.input !== input) last = { input, output: compute(input) }
    return last.output
  }
}
