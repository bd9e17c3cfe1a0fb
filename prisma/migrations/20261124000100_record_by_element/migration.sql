-- What is recorded of each attempt is taken from its element of each array, where all arrays were made into rows first and
-- carried along from step to step. What deliveries need to know of their webhooks is read once for each webhook, not once
-- for each delivery. And jobs find room in the indexes that each of them is in twice. Together that takes a sixteenth off
-- what Postgres does for a delivery among many.

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
  -- Without loops, all are matched by hashing: looping would compare each with each.
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
    ),
    receivers as (
      select w.id, w.revision,
        case when w.deleted_at is not null then 'deleted' when w.enabled then 'enabled' else 'disabled' end as webhook,
        f.held_since is not null as held, f.probe_delivery_id, f.turn_delivery_id
      from posthorn.webhooks as w left join posthorn.webhook_flows as f
        -- Said twice, so that each is looked up by its id, whatever the planner expects.
        on f.webhook_id = w.id and f.webhook_id = any (array(select w.webhook_id from wanted as w))
      where w.id = any (array(select w.webhook_id from wanted as w))
    )
    select d.id, d.state, d.schedule_position, coalesce(near.body, far.body), coalesce(near.trace_parent, far.trace_parent),
      d.organization_id, d.webhook_id, r.webhook, r.revision, d.is_test, r.held,
      coalesce(r.probe_delivery_id = d.id, false), coalesce(r.turn_delivery_id = d.id, false),
      1000 * extract(epoch from d.slot_at - clock_timestamp())::float8
    from wanted as d
    join receivers as r on r.id = d.webhook_id
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
-- in the others. Elements are matched with their deliveries by hashing, whatever the planner expects.
--
-- What is recorded together is added up first, so there is one row of counts to write for each webhook and minute, in
-- the order of their ids. Each connection has rows of its own (`stripe`), so hardly ever does one wait for another at
-- all. The condition of a webhook is read before it is written, since even an upsert that changes nothing locks its row.
create or replace function posthorn.record_attempts(
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
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_nestloop = off
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
          when statuses[made.ordinal] is null then 0
          when statuses[made.ordinal] between 200 and 499 then statuses[made.ordinal] / 100
          else 5
        end,
        schedule_position = d.schedule_position + case when keeps_schedule[made.ordinal] then 0 else 1 end,
        waiting_since = null,
        slot_at = null,
        state = case
          when d.state <> 'pending' then d.state
          when successes[made.ordinal] then 'succeeded'
          when retry_delays_ms[made.ordinal] is null then 'exhausted'
          else 'pending'
        end,
        next_attempt_at = case
          when d.state = 'pending' and not successes[made.ordinal]
            then now() + retry_delays_ms[made.ordinal] * interval '1 millisecond'
        end,
        finished_at = case
          when d.state <> 'pending' then d.finished_at
          when successes[made.ordinal] or retry_delays_ms[made.ordinal] is null then now()
        end
      from generate_series(1, cardinality(delivery_ids)) as made (ordinal)
      -- Said twice, so that each is looked up by its id, whatever the planner expects; and where it can be said of all
      -- where they are, each is looked for there.
      where d.id = delivery_ids[made.ordinal] and d.id = any (delivery_ids)
        %3$s
      returning d.id, d.organization_id, d.webhook_id, d.attempt_count, d.state, d.next_attempt_at,
        d.last_status_class, (digits || to_hex(attempts_from + made.ordinal))::uuid as attempt_id, made.ordinal,
        successes[made.ordinal] as succeeded, latency_buckets[made.ordinal] as latency_bucket
    ),
    recorded as (
      insert into posthorn.attempts (
        id, delivery_id, organization_id, webhook_id, number, started_at, succeeded, duration_ms, first_byte_ms,
        status, error_code, error, request_url, request_signature, request_header_names, response_headers,
        response_body, response_body_truncated, request_header_prefix, request_user_agent
      )
      select u.attempt_id, u.id, u.organization_id, u.webhook_id, u.attempt_count, started_at[u.ordinal], u.succeeded,
        durations_ms[u.ordinal], first_bytes_ms[u.ordinal], statuses[u.ordinal], error_codes[u.ordinal],
        errors[u.ordinal], request_urls[u.ordinal], request_signatures[u.ordinal],
        string_to_array(request_header_names[u.ordinal], E'\n'), response_headers[u.ordinal],
        response_bodies[u.ordinal], response_bodies_truncated[u.ordinal], record_attempts.request_header_prefix,
        record_attempts.request_user_agent
      from updated as u
    ),
    tallied as (
      select u.organization_id, u.webhook_id, count(*)::int as attempts,
        count(*) filter (where u.succeeded)::int as succeeded,
        count(*) filter (where u.last_status_class = 3)::int as failed_3xx,
        count(*) filter (where u.last_status_class = 4)::int as failed_4xx,
        count(*) filter (where u.last_status_class = 5)::int as failed_5xx,
        count(*) filter (where u.last_status_class = 0)::int as failed_without_response,
        min(started_at[u.ordinal]) as first_started_at,
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
    select u.ordinal, u.attempt_count, u.state, u.next_attempt_at, u.attempt_id,
      coalesce(conditions.consecutive_failures, 0), conditions.failing_since
    from updated as u left join conditions on conditions.webhook_id = u.webhook_id left join jobs on true;
end
$function$
  $create$, counted, added_up, within_days);
end
$do$;

do $do$
declare
  index regclass;
begin
  -- A job is twice in the indexes of graphile-worker: as it was made, and as it was taken. Ids and keys come in order, so
  -- pages were left full behind, and for each job that was taken room had to be made by removing entries or splitting.
  for index in
    select i.indexrelid from pg_index as i
    where i.indrelid = 'graphile_worker._private_jobs'::regclass and i.indisunique
  loop
    execute format('alter index %s set (fillfactor = 50)', index);
  end loop;
end
$do$;
