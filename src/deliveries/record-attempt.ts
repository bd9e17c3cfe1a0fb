import { batched } from '../batch.ts'
import type { Sql } from '../db/client.ts'
import { isRefusal } from '../db/refusal.ts'
import type { Announce } from '../live/announce.ts'
import type { Happening } from '../live/happening.ts'
import { COUNT_ATTEMPTS } from './count-attempts.ts'

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
  readonly requestHeaderPrefix: string
  readonly requestUserAgent: string
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: Buffer | null
  readonly responseBodyTruncated: boolean
  /** When to try again, from now; null to give up. Means nothing after a success. */
  readonly retryDelayMs: number | null
  /** Whether it leaves the retry schedule where it is, as a probe does: that time is the breaker's. */
  readonly keepsSchedule: boolean
}

/** Where the delivery stands after its attempt was recorded. */
export interface RecordedAttempt {
  readonly number: number
  readonly state: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  readonly nextAttemptAt: Date | null
  /** How many attempts for its webhook failed since one succeeded, and when the first of them began. */
  readonly consecutiveFailures: number
  readonly failingSince: Date | null
}

/** Resolves once the record, the new state and the job of the next attempt are committed, all together. */
export type RecordAttempt = (record: AttemptRecord) => Promise<RecordedAttempt | null>

/**
 * Attempts that end soon after others were recorded are recorded together. Much of what a statement costs Postgres does
 * not depend on how many there are, so under load it pays to wait; nobody waits for it but the job.
 */
export function createRecordAttempt(sql: Sql, announce: Announce): RecordAttempt {
  return batched((records: AttemptRecord[]) => recordAttempts(sql, announce, records), {
    gatherMs: 15,
    maxSize: 500,
    spaced: true,
    isolate: isRefusal,
  })
}

/**
 * A delivery that was canceled meanwhile stays so, with its last attempt on record. The rows are taken in the order of
 * their ids, so that two processes never wait for each other in a circle.
 */
async function recordAttempts(
  sql: Sql,
  announce: Announce,
  records: AttemptRecord[],
): Promise<(RecordedAttempt | null)[]> {
  const sorted = records.toSorted((a, b) => (a.deliveryUuid < b.deliveryUuid ? -1 : 1))
  const { rows } = await sql.query<RecordedRow>({
    name: 'record_attempts',
    text: `
      with made as (
        select * from unnest(
          $1::uuid[], $2::timestamptz[], $3::boolean[], $4::int[], $5::int[], $6::int[], $7::text[], $8::text[],
          $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::bytea[], $14::boolean[], $15::bigint[],
          $16::text[], $17::text[], $18::boolean[]
        ) as made (
          delivery_id, started_at, succeeded, duration_ms, first_byte_ms, status, error_code, error,
          request_url, request_signature, request_header_names, response_headers, response_body,
          response_body_truncated, retry_delay_ms, request_header_prefix, request_user_agent,
          keeps_schedule
        )
      ),
      updated as (
        update posthorn.deliveries as d set
          attempt_count = d.attempt_count + 1,
          last_status_class = case
            when made.status is null then 0
            when made.status between 200 and 499 then made.status / 100
            else 5
          end,
          schedule_position = d.schedule_position + case when made.keeps_schedule then 0 else 1 end,
          waiting_since = null,
          slot_at = null,
          state = case
            when d.state <> 'pending' then d.state
            when made.succeeded then 'succeeded'
            when made.retry_delay_ms is null then 'exhausted'
            else 'pending'
          end,
          next_attempt_at = case
            when d.state = 'pending' and not made.succeeded
              then now() + made.retry_delay_ms * interval '1 millisecond'
          end,
          finished_at = case
            when d.state <> 'pending' then d.finished_at
            when made.succeeded or made.retry_delay_ms is null then now()
          end
        from made
        where d.id = made.delivery_id
        returning d.id, d.organization_id, d.webhook_id, d.attempt_count, d.state, d.next_attempt_at,
          d.last_status_class
      ),
      recorded as (
        insert into posthorn.attempts (
          id, delivery_id, organization_id, webhook_id, number, started_at, succeeded, duration_ms, first_byte_ms,
          status, error_code, error, request_url, request_signature, request_header_names, response_headers,
          response_body, response_body_truncated, request_header_prefix, request_user_agent
        )
        select
          posthorn.uuid_v7(), u.id, u.organization_id, u.webhook_id, u.attempt_count, made.started_at, made.succeeded,
          made.duration_ms, made.first_byte_ms, made.status, made.error_code, made.error, made.request_url,
          made.request_signature, string_to_array(made.request_header_names, E'\\n'), made.response_headers,
          made.response_body, made.response_body_truncated, made.request_header_prefix, made.request_user_agent
        from made join updated as u on u.id = made.delivery_id
        returning id as attempt_id, delivery_id, succeeded
      ),
      ${COUNT_ATTEMPTS},
      jobs as (
        select posthorn.add_deliver_jobs(array_agg(id), array_agg(next_attempt_at)) as added
        from updated where next_attempt_at is not null having count(*) > 0
      )
      select id, attempt_count as number, state, next_attempt_at as "nextAttemptAt",
        organization_id as "organizationId", webhook_id as "webhookId", attempt_id as "attemptId", succeeded,
        coalesce(consecutive_failures, 0) as "consecutiveFailures", failing_since as "failingSince"
      from updated join recorded on recorded.delivery_id = updated.id
        left join conditions on conditions.for_webhook = updated.webhook_id left join jobs on true`,
    values: [
      sorted.map((record) => record.deliveryUuid),
      sorted.map((record) => record.startedAt),
      sorted.map((record) => record.succeeded),
      sorted.map((record) => Math.round(record.durationMs)),
      sorted.map((record) => record.firstByteMs && Math.round(record.firstByteMs)),
      sorted.map((record) => record.status),
      sorted.map((record) => record.errorCode),
      sorted.map((record) => record.error),
      sorted.map((record) => record.requestUrl),
      sorted.map((record) => record.requestSignature),
      sorted.map((record) => record.requestHeaderNames.join('\n') || null),
      sorted.map((record) => storableJson(record.responseHeaders)),
      sorted.map((record) => record.responseBody),
      sorted.map((record) => record.responseBodyTruncated),
      sorted.map((record) => record.retryDelayMs),
      sorted.map((record) => record.requestHeaderPrefix),
      sorted.map((record) => record.requestUserAgent),
      sorted.map((record) => record.keepsSchedule),
    ],
  })
  announce(rows.map(toHappening))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return records.map((record) => byId.get(record.deliveryUuid) ?? null)
}

interface RecordedRow extends RecordedAttempt {
  readonly id: string
  readonly organizationId: string
  readonly webhookId: string
  readonly attemptId: string
  readonly succeeded: boolean
}

function toHappening(row: RecordedRow): Happening {
  const { id: deliveryId, organizationId, webhookId, attemptId, succeeded, state } = row
  const finished = state === 'succeeded' || state === 'exhausted'
  const ids = { organizationId, webhookId, deliveryId, attemptId }
  return { kind: 'attempt', ...ids, succeeded, finished }
}

/** What strangers put into headers may hold characters that `jsonb` refuses; HTTP gives them no meaning anyway. */
function storableJson(headers: Readonly<Record<string, string>> | null): string | null {
  return headers && JSON.stringify(headers).replaceAll('\\u0000', '')
}
