import { LATENCY_BOUNDS_MS } from '../../webhooks/latency.ts'
import type { AttemptRecord } from './attempt-record.ts'

type Value = string | number | boolean | null

/** The columns of attempts that are the input of the statement: for each its type, and its value. */
type Columns = Readonly<
  Record<string, readonly [type: string, elementOf: (record: AttemptRecord) => Value]>
>

/** Columns of attempts that are stored as they are. */
const STORED: Columns = {
  started_at: ['timestamptz', (record) => record.startedAt.toISOString()],
  succeeded: ['boolean', (record) => record.succeeded],
  duration_ms: ['int', (record) => Math.round(record.durationMs)],
  lookup_ms: ['int', (record) => record.connection?.lookupMs ?? null],
  connect_ms: ['int', (record) => record.connection?.connectMs ?? null],
  tls_ms: ['int', (record) => record.connection?.tlsMs ?? null],
  first_byte_ms: ['int', (record) => record.firstByteMs && Math.round(record.firstByteMs)],
  resent: ['boolean', (record) => record.resent],
  status: ['int', (record) => record.status],
  error_code: ['text', (record) => record.errorCode],
  error: ['text', (record) => record.error],
  request_url: ['text', (record) => record.requestUrl],
  request_signature: ['text', (record) => record.requestSignature],
  request_trace_parent: ['text', (record) => record.requestTraceParent],
  response_headers: ['jsonb', (record) => storableJson(record.responseHeaders)],
  response_body: ['bytea', ({ responseBody: body }) => body && `\\x${body.toString('hex')}`],
  response_body_truncated: ['boolean', (record) => record.responseBodyTruncated],
  unkept_body_bytes: ['int', (record) => record.unkeptBodyBytes],
}

/** The other columns of attempts. `unnest` cannot return lists. */
const COMPUTED: Columns = {
  delivery_id: ['uuid', (record) => record.deliveryUuid],
  attempts_before: ['int', (record) => record.attemptsBefore],
  // A delivery can have waited for more than the 24 days that an int holds.
  queued_ms: ['bigint', (record) => Math.round(record.queuedMs)],
  summary: ['text', (record) => record.summary],
  header_prefix: ['text', (record) => record.requestHeaderPrefix],
  header_names: ['text', (record) => record.requestHeaderNames.join('\n') || null],
  next: ['text', (record) => record.next.kind],
  retry_delay_ms: [
    'bigint',
    (record) => (record.next.kind === 'retry' ? record.next.delayMs : null),
  ],
  retries_left: ['int', (record) => record.retriesLeft],
  schedule_length: ['int', (record) => record.scheduleLength],
  ordered: ['boolean', (record) => record.ordered],
  keeps_payload: ['boolean', (record) => record.keepsPayload],
}

const INPUT = { ...COMPUTED, ...STORED }
const PARAMETERS = Object.values(INPUT).map(([type], i) => `$${5 + i}::${type}[]`)

/** The parameters from the fifth on: an array for each column. Null for one without values, which `unnest` fills with nulls. */
export function columnsOf(records: readonly AttemptRecord[]): (string | null)[] {
  return Object.values(INPUT).map(([, elementOf]) => {
    const elements = records.map((record) => inArray(elementOf(record)))
    return elements.every((element) => element === 'null') ? null : `{${elements.join()}}`
  })
}

/** `pg` takes several times the memory: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-INPUT */
function inArray(value: Value): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
}

/** Removes NUL, which `jsonb` rejects and HTTP does not allow in headers. */
function storableJson(headers: Readonly<Record<string, string>> | null): string | null {
  return headers && JSON.stringify(headers).replaceAll('\\u0000', '')
}

/**
 * For this many days after the last attempt, the payload of an exhausted delivery can still be redelivered, even if payloads
 * are not kept: nobody has received it.
 */
export const DAYS_AFTER_EXHAUSTED = 7

/** A delivery that succeeds within this time after its creation is on time. */
const ON_TIME = `interval '60 seconds'`
const IS_ON_TIME = `
  started_at + duration_ms * interval '1 millisecond' - posthorn.uuid_v7_timestamp(id) <= ${ON_TIME}`

/** The columns of the statistics that count attempts, and SQL: which attempts each counts. */
const COUNTED = {
  attempts: 'true',
  succeeded: 'succeeded',
  failed_3xx: 'not succeeded and status between 300 and 399',
  failed_4xx: 'not succeeded and status between 400 and 499',
  failed_5xx: 'not succeeded and status not between 300 and 499',
  failed_without_response: 'not succeeded and status is null',
  first_attempts: 'attempts_before = 0',
  first_attempts_failed: 'attempts_before = 0 and not succeeded',
  on_time: 'succeeded and is_on_time',
  late: 'succeeded and not is_on_time',
  exhausted: `next = 'exhausted'`,
}

/** The columns that count attempts in each bucket of `LATENCY_BOUNDS_MS`, and SQL: by which time. Null is not counted. */
const TIMED = {
  latency: 'duration_ms',
  first_delay: 'case when attempts_before = 0 then queued_ms end',
}

const COUNTED_NAMES = Object.keys(COUNTED)
const TIMED_NAMES = Object.keys(TIMED)

const BOUNDS = `'{${LATENCY_BOUNDS_MS.join(',')}}'::bigint[]`

/** SQL: the numbers of the buckets in which an attempt is counted. */
const BUCKETS = Object.entries(TIMED).map(
  ([name, ms]) => `width_bucket(${ms}, ${BOUNDS}) as ${name}_bucket`,
)

/** SQL: the counts of a group of attempts. */
const COUNTS = [
  ...Object.entries(COUNTED).map(
    ([name, counts]) => `(count(*) filter (where ${counts}))::int as ${name}`,
  ),
  ...TIMED_NAMES.map((name) => `array[${countsOfBuckets(name)}]::int[] as ${name}`),
].join(', ')

function countsOfBuckets(name: string): string {
  return Array.from({ length: LATENCY_BOUNDS_MS.length + 1 })
    .map((_, i) => `count(*) filter (where ${name}_bucket = ${i})`)
    .join(', ')
}

/** SQL: adds the given counts to those of the statistics, of an array element by element. */
const ADDED = [
  ...COUNTED_NAMES.map((name) => `${name} = s.${name} + excluded.${name}`),
  ...TIMED_NAMES.map(
    (name) => `${name} = array(
        select pair.a + pair.b from unnest(s.${name}, excluded.${name}) with ordinality as pair (a, b, i)
        order by pair.i)`,
  ),
].join(', ')

/** SQL: the stored columns. The contents of a delivery can be erased during its attempt. */
const STORED_VALUES = Object.keys(STORED)
  .map((name) =>
    name === 'response_headers' || name === 'response_body'
      ? `case when not is_erased then ${name} end`
      : name,
  )
  .join(', ')

/**
 * Records attempts, updates their deliveries, schedules retries and updates the statistics, all in one statement.
 *
 * $1 and $2 are the first and the last delivery id, which prune the partitions, $3 all ids, and $4 the user
 * agent. Then come the columns of the attempts, in the order of the delivery ids. The primary keys serve
 * every lookup.
 */
export const RECORD_ATTEMPTS = `
  with attempt as (
    select * from unnest(${PARAMETERS.join(', ')}) with ordinality as input (${Object.keys(INPUT).join(', ')}, ordinal)
  ),
  updated as (
    update posthorn.deliveries as d set
      attempt_count = d.attempt_count + 1,
      last_error = attempt.summary,
      last_status_class = case
        when attempt.status is null then 0
        when attempt.status between 200 and 499 then attempt.status / 100
        else 5
      end,
      reserved_for = null,
      redelivery_requested = false,
      -- If it ends its worker again after a redelivery, it is a suspect at once.
      worker_deaths = case when attempt.error_code = 'worker_died' then 2 else 0 end,
      (state, next_attempt_at, finished_at, parked_at, parked_reason, schedule_position, max_attempts, has_priority,
        job_written_at) = (
        select
          case when step.next in ('succeeded', 'exhausted') then step.next::posthorn.delivery_state else d.state end,
          case step.next
            when 'retry' then now() + attempt.retry_delay_ms * interval '1 millisecond'
            when 'again' then now()
            when 'unchanged' then d.next_attempt_at
          end,
          case when step.next in ('succeeded', 'exhausted') then now() else d.finished_at end,
          case when step.next in ('parked', 'again in order') then now() when step.next = 'unchanged' then d.parked_at end,
          case step.next
            when 'parked' then 'on_hold'
            when 'again in order' then 'ordered'
            when 'unchanged' then d.parked_reason
          end,
          case
            when step.next like 'again%' then 0
            when step.next in ('parked', 'unchanged') then d.schedule_position
            else d.schedule_position + 1
          end,
          case
            when step.next like 'again%' then d.attempt_count + 2 + attempt.schedule_length
            when step.next in ('retry', 'exhausted', 'parked') then d.attempt_count + 1 + attempt.retries_left
            else d.max_attempts
          end,
          step.next like 'again%',
          case when step.next = 'unchanged' then d.job_written_at else now() end
        from (
          select case
            -- The delivery was canceled during the attempt.
            when d.state <> 'pending' then 'unchanged'
            -- A redelivery was requested during the attempt.
            when d.redelivery_requested and attempt.ordered then 'again in order'
            when d.redelivery_requested then 'again'
            when attempt.next = 'succeeded' then 'succeeded'
            -- Another worker recorded an attempt in the meantime, as after a rescue.
            when d.attempt_count <> attempt.attempts_before then 'unchanged'
            else attempt.next
          end as next
        ) as step
      )
    from attempt
    -- Without the array, a cached plan made for few rows reads all deliveries between the bounds.
    where d.id = attempt.delivery_id and d.id = any ($3::uuid[]) and d.id between $1 and $2
    returning d.id, d.organization_id, d.webhook_id, d.event_id, d.event_type, d.is_test, d.attempt_count, d.max_attempts, d.state,
      d.next_attempt_at, d.last_error, d.job_written_at, d.is_erased, posthorn.uuid_v7() as attempt_id, attempt.*
  ),
  recorded as (
    insert into posthorn.attempts (
      id, delivery_id, organization_id, webhook_id, number, request_header_names, request_header_prefix,
      request_user_agent, ${Object.keys(STORED).join(', ')})
    select attempt_id, id, organization_id, webhook_id, attempt_count, string_to_array(header_names, E'\\n'),
      header_prefix, $4, ${STORED_VALUES}
    from updated
  ),
  unkept as (
    insert into posthorn.unkept_payloads (organization_id, event_id, due_at)
    select organization_id, event_id,
      now() + case when state = 'exhausted' then interval '${DAYS_AFTER_EXHAUSTED} days' else interval '0' end
    from updated
    where not keeps_payload and job_written_at = now() and state in ('succeeded', 'exhausted')
  ),
  scheduled as (
    select posthorn.schedule_deliveries(array_agg(row(
      id, webhook_id, organization_id, event_type, case when state = 'pending' then next_attempt_at end, attempt_count,
      max_attempts, last_error)::posthorn.delivery_job order by id))
    from updated
    where job_written_at = now() and (state = 'exhausted' or state = 'pending' and next_attempt_at is not null)
    having count(*) > 0
  ),
  -- In the order of the webhooks, so that two processes cannot deadlock.
  noticed as (
    select count(posthorn.alert_exhausted(organization_id, webhook_id, exhausted, jsonb_build_object(
      'delivery', jsonb_build_object('id', posthorn.type_id('msg', id), 'event_type', event_type, 'attempts', attempt_count),
      'last_error', last_error)))
    from (
      select distinct on (webhook_id) *, count(*) over (partition by webhook_id)::int as exhausted
      from updated
      where state = 'exhausted' and job_written_at = now() and not is_test and event_type not like 'posthorn.%'
      order by webhook_id, id desc
    ) as last having count(*) > 0
  ),
  -- For each webhook, and for all webhooks of its organization. In the order of the ids, so that two processes cannot deadlock.
  count as materialized (
    select subject_id, organization_id, ${COUNTS},
      (array_agg(last_error order by ordinal desc) filter (where not succeeded))[1] as last_error
    -- Without the offset, each count would compute the bucket of each attempt again.
    from (select *, ${IS_ON_TIME} as is_on_time, ${BUCKETS.join(', ')} from updated offset 0) as one
    cross join lateral (values (webhook_id), (organization_id)) as subject (subject_id)
    group by subject_id, organization_id order by subject_id
  ),
  counted as (
    -- Sixteen stripes, so that concurrent backends rarely lock the same row.
    insert into posthorn.webhook_statistics as s (
      subject_id, organization_id, minutes, bucket, stripe, ${[...COUNTED_NAMES, ...TIMED_NAMES].join(', ')})
    select subject_id, organization_id, 1, date_trunc('minute', now()), pg_backend_pid() & 15,
      ${[...COUNTED_NAMES, ...TIMED_NAMES].join(', ')}
    from count
    on conflict (subject_id, minutes, bucket, stripe) do update set ${ADDED}
  ),
  condition as (
    insert into posthorn.webhook_conditions as c (
      webhook_id, last_success_at, failing_since, consecutive_failures, last_error, next_evaluation_at)
    select count.subject_id, case when succeeded > 0 then now() end,
      case when succeeded = 0 then now() end, case when succeeded = 0 then attempts else 0 end, count.last_error,
      case when succeeded < attempts then now() end
    from count
    left join lateral (
      select * from posthorn.webhook_conditions as c where c.webhook_id = count.subject_id offset 0
    ) as known on true
    -- For a healthy webhook, one write a minute is enough.
    where count.subject_id <> count.organization_id and (known.webhook_id is null or succeeded = 0
      or known.failing_since is not null or known.last_success_at < date_trunc('minute', now())
      or succeeded < attempts and known.next_evaluation_at is null)
    on conflict (webhook_id) do update set
      last_success_at = coalesce(excluded.last_success_at, c.last_success_at),
      failing_since = case when excluded.last_success_at is null
        then coalesce(c.failing_since, excluded.failing_since) end,
      consecutive_failures = case when excluded.last_success_at is null
        then c.consecutive_failures + excluded.consecutive_failures else 0 end,
      last_error = coalesce(excluded.last_error, c.last_error),
      next_evaluation_at = coalesce(c.next_evaluation_at, excluded.next_evaluation_at)
    returning c.webhook_id, c.failing_since, c.consecutive_failures
  )
  select id as "deliveryUuid", attempt_id as "attemptId", attempt_count as number, state, next_attempt_at as "nextAttemptAt",
    coalesce(condition.consecutive_failures, 0) as "consecutiveFailures",
    (1000 * extract(epoch from now() - condition.failing_since))::float8 as "failingMs"
  from updated left join condition using (webhook_id) left join scheduled on true left join noticed on true`
