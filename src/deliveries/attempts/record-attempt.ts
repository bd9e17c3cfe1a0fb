import { columnLiteral } from '../../db/array-literal.ts'
import type { Sql } from '../../db/client.ts'
import { isRejection } from '../../db/rejection.ts'
import { batched } from '../../lib/batch.ts'
import { ATTEMPTS, RECORD_ATTEMPTS, WEBHOOK_COUNTS } from './record-attempts-statement.ts'
import { countByWebhook } from './webhook-count.ts'

/** One attempt with its result and the next step of its delivery. */
export interface AttemptRecord {
  readonly deliveryUuid: string
  readonly organizationId: string
  readonly webhookId: string
  /**
   * The delivery's attempts when this one began. If there are more now, another worker has scheduled the next attempt.
   */
  readonly attemptsBefore: number
  readonly startedAt: Date
  readonly succeeded: boolean
  readonly waitedMs: number
  readonly durationMs: number
  readonly firstByteMs: number | null
  readonly resent: boolean
  /** The phases of opening the connection. Null on a reused connection, and for phases that did not begin. */
  readonly lookupMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly status: number | null
  readonly errorCode: string | null
  readonly error: string | null
  /** The failure and the origin, such as `HTTP 503 from https://hooks.example.com`. Null after a success. */
  readonly summary: string | null
  readonly requestUrl: string
  readonly requestSignature: string | null
  readonly requestHeaderNames: readonly string[]
  /** Null: that of the event. */
  readonly requestTraceParent: string | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: Buffer | null
  readonly responseBodyTruncated: boolean
  readonly next: NextStep
  /** Attempts left in the retry schedule after this one. */
  readonly retriesLeft: number
  /** The number of delays in the retry schedule. */
  readonly scheduleLength: number
  readonly ordered: boolean
}

/** The next step of a delivery, unless the delivery changed during the attempt. A failed probe is parked again. */
export type NextStep =
  | { readonly kind: 'succeeded' | 'exhausted' | 'parked' }
  | { readonly kind: 'retry'; readonly delayMs: number }

/** What all requests of a process have in common. Each attempt records both fields. */
export interface SenderIdentity {
  readonly headerPrefix: string
  readonly userAgent: string
}

/** The recorded attempt and the state of its delivery afterwards. */
export interface RecordedAttempt {
  readonly attemptId: string
  readonly number: number
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly nextAttemptAt: Date | null
  /** Failed attempts of the webhook since its last success. */
  readonly consecutiveFailures: number
  /** The time since the first of these failed attempts was recorded; null if there are none. */
  readonly failingMs: number | null
}

/**
 * Resolves once the attempt, the new state and the job of the next attempt are committed, in one transaction. Resolves
 * with `null` if the delivery was deleted.
 */
export type RecordAttempt = (record: AttemptRecord) => Promise<RecordedAttempt | null>

/** How long the first attempt of a batch waits for others. */
const GATHER_MS = 3
const PARALLEL = 2
const MAX_BATCH = 500

export function createRecordAttempt(sql: Sql, sender: SenderIdentity): RecordAttempt {
  return batched((records: AttemptRecord[]) => recordAttempts(sql, sender, records), {
    gatherMs: GATHER_MS,
    parallel: PARALLEL,
    maxSize: MAX_BATCH,
    isolate: isRejection,
  })
}

type RecordedRow = RecordedAttempt & { readonly ordinal: string }

/** Sorts by id, so that two processes cannot deadlock. */
async function recordAttempts(
  sql: Sql,
  { headerPrefix, userAgent }: SenderIdentity,
  records: AttemptRecord[],
): Promise<(RecordedAttempt | null)[]> {
  const sorted = records.toSorted((a, b) => (a.deliveryUuid < b.deliveryUuid ? -1 : 1))
  const { rows } = await sql.query<RecordedRow>({
    name: 'record_attempts',
    text: RECORD_ATTEMPTS,
    values: [
      sorted[0]?.deliveryUuid,
      sorted.at(-1)?.deliveryUuid,
      columnLiteral(sorted, ({ deliveryUuid }) => deliveryUuid),
      headerPrefix,
      userAgent,
      ...ATTEMPTS.values(sorted),
      ...WEBHOOK_COUNTS.values(countByWebhook(records)),
    ],
  })
  const recorded = new Map(rows.map((row) => [sorted[Number(row.ordinal) - 1], row]))
  return records.map((record) => recorded.get(record) ?? null)
}
