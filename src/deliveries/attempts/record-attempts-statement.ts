/**
 * Records attempts, updates their deliveries, schedules retries and updates the statistics, all in one statement.
 *
 * $1 and $2 are the first and the last delivery id, which prune the partitions. $3 and $4 are the header prefix and the
 * user agent. $5 to $27 are columns of attempts, in the order of the delivery ids. $28 to $37 are columns of counts by
 * webhook, and $38 to $41 are more columns of attempts. The primary keys serve every lookup.
 */
export const RECORD_ATTEMPTS = `
  with attempt as (
    select * from unnest(
      $5::uuid[], $6::int[], $7::timestamptz[], $8::boolean[], $9::int[], $10::int[], $11::int[], $12::boolean[],
      $13::int[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::jsonb[],
      $21::bytea[], $22::boolean[], $23::text[], $24::bigint[], $25::int[], $26::int[], $27::boolean[], $38::text[],
      $39::int[], $40::int[], $41::int[]
    ) with ordinality as input (
      delivery_id, attempts_before, started_at, succeeded, waited_ms, duration_ms, first_byte_ms, resent, status,
      error_code, error, summary, request_url, request_signature, request_header_names, response_headers,
      response_body, response_body_truncated, next, retry_delay_ms, retries_left, schedule_length, ordered,
      request_trace_parent, lookup_ms, connect_ms, tls_ms, ordinal)
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
    where d.id = attempt.delivery_id and d.id = any ($5::uuid[]) and d.id between $1 and $2
    returning d.id, d.organization_id, d.webhook_id, d.event_type, d.attempt_count, d.max_attempts, d.state,
      d.next_attempt_at, d.last_error, d.job_written_at, posthorn.uuid_v7() as attempt_id, attempt.*
  ),
  recorded as (
    insert into posthorn.attempts (
      id, delivery_id, organization_id, webhook_id, number, started_at, succeeded, waited_ms, duration_ms,
      lookup_ms, connect_ms, tls_ms, first_byte_ms, resent, status, error_code, error, request_url, request_signature,
      request_header_names, request_header_prefix, request_user_agent, request_trace_parent, response_headers, response_body, response_body_truncated)
    select attempt_id, id, organization_id, webhook_id, attempt_count, started_at, succeeded, waited_ms, duration_ms,
      lookup_ms, connect_ms, tls_ms, first_byte_ms, resent, status, error_code, error, request_url, request_signature,
      string_to_array(request_header_names, E'\\n'), $3, $4, request_trace_parent, response_headers, response_body, response_body_truncated
    from updated
  ),
  scheduled as (
    select posthorn.schedule_deliveries(array_agg(row(
      id, webhook_id, organization_id, event_type, case when state = 'pending' then next_attempt_at end, attempt_count,
      max_attempts, last_error)::posthorn.delivery_job order by id))
    from updated
    where job_written_at = now() and (state = 'exhausted' or state = 'pending' and next_attempt_at is not null)
    having count(*) > 0
  ),
  count as (
    select * from unnest(
      $28::uuid[], $29::uuid[], $30::int[], $31::int[], $32::int[], $33::int[], $34::int[], $35::int[], $36::text[],
      $37::text[]
    ) as input (
      webhook_id, organization_id, attempts, succeeded, failed_3xx, failed_4xx, failed_5xx, failed_without_response,
      latency, last_error)
  ),
  counted as (
    -- Sixteen stripes, so that concurrent backends rarely lock the same row.
    insert into posthorn.webhook_statistics as s (
      subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded, failed_3xx, failed_4xx, failed_5xx,
      failed_without_response, latency)
    select webhook_id, organization_id, 1, date_trunc('minute', now()), pg_backend_pid() & 15, attempts, succeeded,
      failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency::int[]
    from count
    on conflict (subject_id, minutes, bucket, stripe) do update set
      attempts = s.attempts + excluded.attempts,
      succeeded = s.succeeded + excluded.succeeded,
      failed_3xx = s.failed_3xx + excluded.failed_3xx,
      failed_4xx = s.failed_4xx + excluded.failed_4xx,
      failed_5xx = s.failed_5xx + excluded.failed_5xx,
      failed_without_response = s.failed_without_response + excluded.failed_without_response,
      latency = array(
        select pair.a + pair.b from unnest(s.latency, excluded.latency) with ordinality as pair (a, b, i)
        order by pair.i)
  ),
  condition as (
    insert into posthorn.webhook_conditions as c (
      webhook_id, last_success_at, failing_since, consecutive_failures, last_error)
    select count.webhook_id, case when succeeded > 0 then now() end,
      case when succeeded = 0 then now() end, case when succeeded = 0 then attempts else 0 end,
      case when succeeded = 0 then count.last_error end
    from count
    left join lateral (
      select * from posthorn.webhook_conditions as c where c.webhook_id = count.webhook_id offset 0
    ) as known on true
    -- For a healthy webhook, one write a minute is enough.
    where known.webhook_id is null or succeeded = 0 or known.failing_since is not null
      or known.last_success_at < date_trunc('minute', now())
    on conflict (webhook_id) do update set
      last_success_at = coalesce(excluded.last_success_at, c.last_success_at),
      failing_since = case when excluded.last_success_at is null
        then coalesce(c.failing_since, excluded.failing_since) end,
      consecutive_failures = case when excluded.last_success_at is null
        then c.consecutive_failures + excluded.consecutive_failures else 0 end,
      last_error = excluded.last_error
    returning c.webhook_id, c.failing_since, c.consecutive_failures
  )
  select ordinal, attempt_id as "attemptId", attempt_count as number, state, next_attempt_at as "nextAttemptAt",
    coalesce(condition.consecutive_failures, 0) as "consecutiveFailures",
    (1000 * extract(epoch from now() - condition.failing_since))::float8 as "failingMs"
  from updated left join condition using (webhook_id) left join scheduled on true`
