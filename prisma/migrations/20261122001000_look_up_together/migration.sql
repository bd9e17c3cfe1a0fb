-- Deliveries and their events are looked up together, in one pass over each index, where each was looked up by itself.
-- That, and attempts that are numbered instead of drawn, takes an eighth off what Postgres does for a delivery among many.

do $do$
begin
  -- The plans of those before would look each up by itself all the same, or rather read all between the first and the last
  -- where they were made while there was nothing.
  if current_setting('server_version_num')::int < 180000 then
    return;
  end if;

-- Deliveries with what an attempt needs to know, as of now. `first_id` and `last_id` are the least and the greatest of the
-- ids. An event occurred just before its deliveries were made, unless they were made by a recovery: then it is looked for
-- by itself.
create or replace function posthorn.load_deliveries(ids uuid[], first_id uuid, last_id uuid)
returns table (
  id uuid, state posthorn.delivery_state, schedule_position int, body text, trace_parent text, organization_id uuid,
  webhook_id uuid, webhook text, revision bigint, is_test boolean, held boolean, is_probe boolean, has_turn boolean,
  slot_in_ms float8
)
  language plpgsql stable
  -- Without loops, deliveries and events are matched by hashing: looping would compare each with each.
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_nestloop = off
as $function$
declare
  published_since constant uuid := posthorn.uuid_v7_floor(
    greatest(posthorn.uuid_v7_time(first_id) - interval '1 minute', timestamptz 'epoch')
  );
begin
  return query
    with wanted as materialized (
      select d.id, d.event_id, d.state, d.schedule_position, d.organization_id, d.webhook_id, d.is_test, d.slot_at
      from posthorn.deliveries as d where d.id = any (ids) and d.id between first_id and last_id
    ),
    near as (
      select e.id, e.body, e.trace_parent from posthorn.events as e
      where e.id = any (array(select w.event_id from wanted as w)) and e.id between published_since and last_id
    )
    -- With limits, so that each webhook is looked up by its id, whatever the planner expects.
    select d.id, d.state, d.schedule_position, coalesce(near.body, far.body), coalesce(near.trace_parent, far.trace_parent),
      d.organization_id, d.webhook_id,
      case when w.deleted_at is not null then 'deleted' when w.enabled then 'enabled' else 'disabled' end,
      w.revision, d.is_test, f.held_since is not null, coalesce(f.probe_delivery_id = d.id, false),
      coalesce(f.turn_delivery_id = d.id, false), 1000 * extract(epoch from d.slot_at - clock_timestamp())::float8
    from wanted as d
    join lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id limit 1) as w on true
    left join lateral (select * from posthorn.webhook_flows as f where f.webhook_id = d.webhook_id limit 1) as f on true
    left join near on near.id = d.event_id
    left join lateral (
      -- `offset 0` keeps the condition where it is: it is not called for those that were found.
      select * from posthorn.find_event_text(d.event_id) where near.id is null offset 0
    ) as far on true;
end
$function$;
end
$do$;

do $do$
declare
  -- Only from PostgreSQL 18 on: the plans of those before would rather read all between the first and the last, where they
  -- were made while there was nothing.
  within_days text := case when current_setting('server_version_num')::int >= 180000
    then 'and d.id between delivery_ids[1] and delivery_ids[cardinality(delivery_ids)]' else '' end;
  -- An attempt is counted in the one of 27 buckets that its duration falls in.
  counted text := (
    select string_agg(format('count(*) filter (where u.latency_bucket = %s)', i), ', ' order by i)
    from generate_series(0, 26) as i
  );
  added_up text := (
    select string_agg(format('s.latency[%1$s] + excluded.latency[%1$s]', i), ', ' order by i)
    from generate_series(1, 27) as i
  );
begin
  execute format($create$
-- Puts attempts on record, moves their deliveries on, makes the jobs of the next attempts, and counts: all or nothing.
-- The arrays run in parallel, one element an attempt, in the order of the deliveries' ids: what is out of order is not
-- found, and two calls never wait for each other in a circle. A delivery that was canceled meanwhile stays so.
-- `retry_delays_ms` says when to try again, from now; null to give up. An array that is null is one of nulls. Answers one
-- row for each delivery that exists, with the number of its element (from 1).
--
-- What is recorded together shares the first 98 bits of its ids, as events do that are published together, and is numbered
-- in the others. (The function of the same name with arrays of prefixes and user agents, which hardly ever differ, stays
-- for processes of the release before.)
--
-- What is recorded together is added up first, so there is one row of counts to write for each webhook and minute, in
-- the order of their ids. Each connection has rows of its own (`stripe`), so hardly ever does one wait for another at
-- all. The condition of a webhook is read before it is written, since even an upsert that changes nothing locks its row.
create function posthorn.record_attempts(
  delivery_ids uuid[], started_at timestamptz[], successes boolean[], durations_ms int[], latency_buckets int[],
  first_bytes_ms int[], statuses int[], error_codes text[], errors text[], request_urls text[],
  request_signatures text[], request_header_names text[], response_headers jsonb[], response_bodies bytea[],
  response_bodies_truncated boolean[], retry_delays_ms bigint[], keeps_schedule boolean[], request_header_prefix text,
  request_user_agent text
)
returns table (
  ordinal int, number int, state posthorn.delivery_state, next_attempt_at timestamptz, attempt_id uuid,
  consecutive_failures int, failing_since timestamptz
)
  language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  attempts_from constant int := 1 << 28;
  digits constant text := left(replace(posthorn.uuid_v7()::text, '-', ''), 24);
begin
  return query
    with updated as (
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
      from unnest(
        delivery_ids, started_at, successes, durations_ms, latency_buckets, first_bytes_ms, statuses, error_codes,
        errors, request_urls, request_signatures, request_header_names, response_headers, response_bodies,
        response_bodies_truncated, retry_delays_ms, keeps_schedule
      ) with ordinality as made (
        delivery_id, started_at, succeeded, duration_ms, latency_bucket, first_byte_ms, status, error_code,
        error, request_url, request_signature, request_header_names, response_headers, response_body,
        response_body_truncated, retry_delay_ms, keeps_schedule, ordinal
      )
      -- Said twice, so that each is looked up by its id, whatever the planner expects; and where it can be said of all
      -- where they are, each is looked for there.
      where d.id = made.delivery_id and d.id = any (delivery_ids)
        %3$s
      returning d.id, d.organization_id, d.webhook_id, d.attempt_count, d.state, d.next_attempt_at,
        d.last_status_class, (digits || to_hex(attempts_from + made.ordinal::int))::uuid as attempt_id, made.*
    ),
    recorded as (
      insert into posthorn.attempts (
        id, delivery_id, organization_id, webhook_id, number, started_at, succeeded, duration_ms, first_byte_ms,
        status, error_code, error, request_url, request_signature, request_header_names, response_headers,
        response_body, response_body_truncated, request_header_prefix, request_user_agent
      )
      select u.attempt_id, u.id, u.organization_id, u.webhook_id, u.attempt_count, u.started_at, u.succeeded,
        u.duration_ms, u.first_byte_ms, u.status, u.error_code, u.error, u.request_url, u.request_signature,
        string_to_array(u.request_header_names, E'\n'), u.response_headers, u.response_body,
        u.response_body_truncated, record_attempts.request_header_prefix, record_attempts.request_user_agent
      from updated as u
    ),
    tallied as (
      select u.organization_id, u.webhook_id, count(*)::int as attempts,
        count(*) filter (where u.succeeded)::int as succeeded,
        count(*) filter (where u.last_status_class = 3)::int as failed_3xx,
        count(*) filter (where u.last_status_class = 4)::int as failed_4xx,
        count(*) filter (where u.last_status_class = 5)::int as failed_5xx,
        count(*) filter (where u.last_status_class = 0)::int as failed_without_response,
        min(u.started_at) as first_started_at,
        array[%1$s]::int[] as latency
      from updated as u group by 1, 2
    ),
    counted as (
      insert into posthorn.webhook_statistics as s (
        subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded, failed_3xx, failed_4xx, failed_5xx,
        failed_without_response, latency
      )
      select t.webhook_id, t.organization_id, 1, date_trunc('minute', now()), pg_backend_pid() & 15, t.attempts,
        t.succeeded, t.failed_3xx, t.failed_4xx, t.failed_5xx, t.failed_without_response, t.latency
      from tallied as t order by t.webhook_id
      on conflict (subject_id, minutes, bucket, stripe) do update set
        attempts = s.attempts + excluded.attempts,
        succeeded = s.succeeded + excluded.succeeded,
        failed_3xx = s.failed_3xx + excluded.failed_3xx,
        failed_4xx = s.failed_4xx + excluded.failed_4xx,
        failed_5xx = s.failed_5xx + excluded.failed_5xx,
        failed_without_response = s.failed_without_response + excluded.failed_without_response,
        latency = array[%2$s]
    ),
    conditions as (
      insert into posthorn.webhook_conditions as c (webhook_id, last_success_at, failing_since, consecutive_failures)
      select t.webhook_id, case when t.succeeded > 0 then now() end,
        case when t.succeeded = 0 then t.first_started_at end, case when t.succeeded = 0 then t.attempts else 0 end
      from tallied as t
      -- Looked up by an index, whatever the planner expects: `offset 0` keeps the condition inside.
      left join lateral (
        select * from posthorn.webhook_conditions as c where c.webhook_id = t.webhook_id offset 0
      ) as known on true
      where known.webhook_id is null or t.succeeded = 0 or known.failing_since is not null
        or known.last_success_at < date_trunc('minute', now())
      order by t.webhook_id
      on conflict (webhook_id) do update set
        last_success_at = coalesce(excluded.last_success_at, c.last_success_at),
        failing_since = case when excluded.last_success_at is null
          then coalesce(c.failing_since, excluded.failing_since) end,
        consecutive_failures = case when excluded.last_success_at is null
          then c.consecutive_failures + excluded.consecutive_failures else 0 end
      returning c.webhook_id, c.failing_since, c.consecutive_failures
    ),
    jobs as (
      select posthorn.add_deliver_jobs(array_agg(u.id), array_agg(u.next_attempt_at)) as added
      from updated as u where u.next_attempt_at is not null having count(*) > 0
    )
    select u.ordinal::int, u.attempt_count, u.state, u.next_attempt_at, u.attempt_id,
      coalesce(conditions.consecutive_failures, 0), conditions.failing_since
    from updated as u left join conditions on conditions.webhook_id = u.webhook_id left join jobs on true;
end
$function$
  $create$, counted, added_up, within_days);
end
$do$;
revoke execute on function posthorn.record_attempts(
  uuid[], timestamptz[], boolean[], int[], int[], int[], int[], text[], text[], text[], text[], text[], jsonb[], bytea[],
  boolean[], bigint[], boolean[], text, text
) from public;
