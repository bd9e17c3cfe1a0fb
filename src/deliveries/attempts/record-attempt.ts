import type { Sql } from '../../db/client.ts'
import { isDatabaseUnavailable, isRejection, retryWhileUnavailable } from '../../db/faults.ts'
import { batched } from '../../lib/batch.ts'
import { USER_AGENT } from '../../lib/version.ts'
import type { AttemptRecord } from './attempt-record.ts'
import { columnsOf, RECORD_ATTEMPTS } from './record-attempts-statement.ts'

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

/** While two statements run, attempts gather. Postgres uses two processors for them, and others do not wait for one. */
const PARALLEL = 2
const MAX_BATCH = 500

export function createRecordAttempt(sql: Sql): RecordAttempt {
  const recordTogether = batched((records: AttemptRecord[]) => recordAttempts(sql, records), {
    parallel: PARALLEL,
    maxSize: MAX_BATCH,
    isolate: isRejection,
  })
  return async (record) => {
    for (;;) {
      const recorded = await recordTogether(record)
      if (recorded !== 'again') return recorded
    }
  }
}

/**
 * Sorts by id, so that two processes cannot deadlock. A statement updates a delivery once, so a second attempt of one, as
 * after a lost claim, must be recorded `again`.
 */
async function recordAttempts(
  sql: Sql,
  given: AttemptRecord[],
): Promise<(RecordedAttempt | null | 'again')[]> {
  const firsts = new Map(given.toReversed().map((record) => [record.deliveryUuid, record]))
  const sorted = [...firsts.values()].sort((a, b) => (a.deliveryUuid < b.deliveryUuid ? -1 : 1))
  const { rows } = await sql.query<RecordedAttempt & { readonly deliveryUuid: string }>({
    name: 'record_attempts',
    text: RECORD_ATTEMPTS,
    values: [
      sorted[0]?.deliveryUuid,
      sorted.at(-1)?.deliveryUuid,
      sorted.map(({ deliveryUuid }) => deliveryUuid),
      USER_AGENT,
      ...columnsOf(sorted),
    ],
  })
  const recorded = new Map(rows.map((row) => [row.deliveryUuid, row]))
  return given.map((record) => {
    const { deliveryUuid } = record
    return firsts.get(deliveryUuid) === record ? (recorded.get(deliveryUuid) ?? null) : 'again'
  })
}

/**
 * Retries recording while Postgres is unavailable, so that a sent request is not repeated. A broken connection can hide
 * a commit, so each retry first looks for the recorded attempt.
 */
export function recordWithRetry(
  sql: Sql,
  record: RecordAttempt,
  onUnavailable: (error: unknown) => void,
): RecordAttempt {
  return async (attempt) => {
    try {
      return await record(attempt)
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error
      onUnavailable(error)
      const again = async () => (await findRecorded(sql, attempt)) ?? (await record(attempt))
      return await retryWhileUnavailable(again, { onUnavailable })
    }
  }
}

/** The index on (delivery_id, number) serves the lookup. */
async function findRecorded(sql: Sql, attempt: AttemptRecord): Promise<RecordedAttempt | null> {
  const { rows } = await sql.query<RecordedAttempt>(
    `select a.id as "attemptId", a.number, d.state, d.next_attempt_at as "nextAttemptAt",
       coalesce(c.consecutive_failures, 0) as "consecutiveFailures",
       (1000 * extract(epoch from now() - c.failing_since))::float8 as "failingMs"
     from posthorn.attempts as a
     join posthorn.deliveries as d on d.id = a.delivery_id
     left join posthorn.webhook_conditions as c on c.webhook_id = a.webhook_id
     where a.delivery_id = $1 and a.started_at = $2 and a.request_signature is not distinct from $3`,
    [attempt.deliveryUuid, attempt.startedAt, attempt.requestSignature],
  )
  return rows[0] ?? null
}
