import { type ArrayElement, columnLiteral } from '../../db/array-literal.ts'
import type { Sql } from '../../db/client.ts'
import { isRejection } from '../../db/rejection.ts'
import { batched } from '../../lib/batch.ts'
import { RECORD_ATTEMPTS } from './record-attempts-statement.ts'
import { countByWebhook, type WebhookCount } from './webhook-count.ts'

/** One attempt that was made, and what follows from it. */
export interface AttemptRecord {
  readonly deliveryUuid: string
  readonly organizationId: string
  readonly webhookId: string
  /** How many attempts the delivery had when this one began. Had it more by now, another worker schedules the next. */
  readonly attemptsBefore: number
  readonly startedAt: Date
  readonly succeeded: boolean
  readonly waitedMs: number
  readonly durationMs: number
  readonly firstByteMs: number | null
  readonly resent: boolean
  readonly status: number | null
  readonly errorCode: string | null
  readonly error: string | null
  /** How it failed, with the origin only, such as `HTTP 503 from https://hooks.example.com`; null after a success. */
  readonly summary: string | null
  readonly requestUrl: string
  readonly requestSignature: string | null
  readonly requestHeaderNames: readonly string[]
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: Buffer | null
  readonly responseBodyTruncated: boolean
  readonly next: NextStep
  /** The attempts that the retry schedule still has after this one. */
  readonly retriesLeft: number
  /** The delays of the retry schedule. */
  readonly scheduleLength: number
  readonly ordered: boolean
}

/** What follows from an attempt, unless the delivery changed meanwhile. A probe that failed is parked again. */
export type NextStep =
  | { readonly kind: 'succeeded' | 'exhausted' | 'parked' }
  | { readonly kind: 'retry'; readonly delayMs: number }

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

/**
 * Resolves once the record, the new state and the job of the next attempt are committed, all together; with `null` where
 * the delivery is gone.
 */
export type RecordAttempt = (record: AttemptRecord) => Promise<RecordedAttempt | null>

/** How long the first of a batch waits for others. While two statements run, further attempts gather anyway. */
const GATHER_MS = 3
const PARALLEL = 2
const MAX_BATCH = 500

export function createRecordAttempt(sql: Sql, sentBy: SentBy): RecordAttempt {
  return batched((records: AttemptRecord[]) => recordAttempts(sql, sentBy, records), {
    gatherMs: GATHER_MS,
    parallel: PARALLEL,
    maxSize: MAX_BATCH,
    isolate: isRejection,
  })
}

type RecordedRow = RecordedAttempt & { readonly ordinal: string }

/** In the order of the ids, so that two processes cannot deadlock. */
async function recordAttempts(
  sql: Sql,
  { headerPrefix, userAgent }: SentBy,
  records: AttemptRecord[],
): Promise<(RecordedAttempt | null)[]> {
  const sorted = records.toSorted((a, b) => (a.deliveryUuid < b.deliveryUuid ? -1 : 1))
  const counts = countByWebhook(records)
  const column = (of: (record: AttemptRecord) => ArrayElement) => columnLiteral(sorted, of)
  const count = (of: (count: WebhookCount) => ArrayElement) => columnLiteral(counts, of)
  const { rows } = await sql.query<RecordedRow>({
    name: 'record_attempts',
    text: RECORD_ATTEMPTS,
    values: [
      sorted[0]?.deliveryUuid,
      sorted.at(-1)?.deliveryUuid,
      headerPrefix,
      userAgent,
      column((record) => record.deliveryUuid),
      column((record) => record.attemptsBefore),
      column((record) => record.startedAt),
      column((record) => record.succeeded),
      column((record) => Math.round(record.waitedMs)),
      column((record) => Math.round(record.durationMs)),
      column((record) => record.firstByteMs && Math.round(record.firstByteMs)),
      column((record) => record.resent),
      column((record) => record.status),
      column((record) => record.errorCode),
      column((record) => record.error),
      column((record) => record.summary),
      column((record) => record.requestUrl),
      column((record) => record.requestSignature),
      column((record) => record.requestHeaderNames.join('\n') || null),
      column((record) => storableJson(record.responseHeaders)),
      column((record) => record.responseBody),
      column((record) => record.responseBodyTruncated),
      column((record) => record.next.kind),
      column((record) => (record.next.kind === 'retry' ? record.next.delayMs : null)),
      column((record) => record.retriesLeft),
      column((record) => record.scheduleLength),
      column((record) => record.ordered),
      count((webhook) => webhook.webhookId),
      count((webhook) => webhook.organizationId),
      count((webhook) => webhook.attempts),
      count((webhook) => webhook.succeeded),
      count((webhook) => webhook.failed3xx),
      count((webhook) => webhook.failed4xx),
      count((webhook) => webhook.failed5xx),
      count((webhook) => webhook.failedWithoutResponse),
      count((webhook) => `{${webhook.latency.join(',')}}`),
      count((webhook) => webhook.firstStartedAt),
      count((webhook) => webhook.lastError),
    ],
  })
  const recorded = new Map(rows.map((row) => [sorted[Number(row.ordinal) - 1], row]))
  return records.map((record) => recorded.get(record) ?? null)
}

/** What strangers put into headers may hold characters that `jsonb` refuses; HTTP gives them no meaning anyway. */
function storableJson(headers: Readonly<Record<string, string>> | null): string | null {
  return headers && JSON.stringify(headers).replaceAll('\\u0000', '')
}
