import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../db/client.ts'
import { isDatabaseUnavailable } from '../../db/faults.ts'
import type { AttemptRecord } from './attempt-record.ts'
import type { RecordAttempt, RecordedAttempt } from './record-attempt.ts'

const RETRY_DELAY_MS = 250

/**
 * Retries recording while Postgres is unavailable, so that a sent request is not repeated. A broken connection can hide
 * a commit, so each retry first looks for the recorded attempt.
 */
export function recordWithRetry(
  sql: Sql,
  record: RecordAttempt,
  onUnavailable: (error: unknown) => void,
): RecordAttempt {
  async function retry(attempt: AttemptRecord, error: unknown) {
    for (let reason = error; ; ) {
      if (!isDatabaseUnavailable(reason)) throw reason
      onUnavailable(reason)
      await sleep(RETRY_DELAY_MS)
      try {
        return (await findRecorded(sql, attempt)) ?? (await record(attempt))
      } catch (next) {
        reason = next
      }
    }
  }

  return (attempt) => record(attempt).catch((error) => retry(attempt, error))
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
