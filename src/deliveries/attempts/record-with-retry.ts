import type { Sql } from '../../db/client.ts'
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts'
import type { AttemptRecord, RecordAttempt, RecordedAttempt } from './record-attempt.ts'

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
    let isRepeated = false
    return await retryWhileUnavailable(
      async () => {
        const recorded = isRepeated ? await findRecorded(sql, attempt) : null
        isRepeated = true
        return recorded ?? (await record(attempt))
      },
      { onUnavailable },
    )
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
