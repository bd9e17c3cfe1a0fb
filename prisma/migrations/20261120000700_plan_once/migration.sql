-- The statements of the hot path are planned once for each connection. Left to itself, Postgres planned them anew for
-- each small batch, as it takes a list of one to be cheaper than one of unknown length; with a partition a day that took
-- it longer than running them: 2.0 ms for publishing a single event instead of 0.55, 1.1 ms for loading a delivery
-- instead of 0.1. Plans that are kept must be right also when the tables have grown, and before their statistics are
-- known: each row is looked up by an index. (`jit` is off, as before PostgreSQL 18 what is switched off counts as so
-- expensive that the plan would be compiled.)

-- Stores events, matches them to the enabled webhooks of their organizations, and owes each match a delivery with a
-- job: due at once or, where the webhook has a line, at its end. The arrays run in parallel, one element an event;
-- `data` is JSON text and is kept to the letter. The caller has checked types, sizes and schemas. Answers one row an
-- event, in the order given; a repeated idempotency key answers with the event of its first use. A key that was used for
-- another event raises PH409, and nothing is stored. Deliveries are made event by event, whatever the plan, as that is
-- the order in which their jobs are taken.
create or replace function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[]
)
returns table (ordinal int, event_id uuid, delivery_count int, repeated boolean)
  language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  -- In the order given, also where ids of one millisecond are not made in order.
  ids uuid[] := array(select made.id from (
    select posthorn.uuid_v7() as id from generate_subscripts(types, 1)) as made order by made.id);
  repetitions boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  counts jsonb;
  lined uuid[];
  item record;
  first_use record;
begin
  if exists (select from unnest(idempotency_keys) as key where key is not null) then
    -- In the order of the keys, so that two batches that share some never wait for each other in a circle.
    for item in
      select i, organization_ids[i] as organization_id, idempotency_keys[i] as key,
        sha256(convert_to(types[i] || E'\n' || data[i], 'UTF8')) as request_hash
      from generate_subscripts(types, 1) as i
      where idempotency_keys[i] is not null
      order by 2, 3, 1
    loop
      insert into posthorn.idempotency_keys as kept (organization_id, operation, key, request_hash, resource_id)
      values (item.organization_id, 'publishEvent', item.key, item.request_hash, ids[item.i])
      on conflict (organization_id, operation, key) do update
        set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = now()
        where kept.created_at < now() - interval '24 hours';
      if not found then
        select k.resource_id, k.request_hash into first_use from posthorn.idempotency_keys as k
        where k.organization_id = item.organization_id and k.operation = 'publishEvent' and k.key = item.key;
        ids[item.i] := first_use.resource_id;
        repetitions[item.i] := true;
        if first_use.request_hash <> item.request_hash then
          conflicts := conflicts || (item.i - 1);
        end if;
      end if;
    end loop;
    if cardinality(conflicts) > 0 then
      raise exception using errcode = 'PH409', detail = to_json(conflicts)::text, message = format(
        'events[%s].idempotencyKey: it was used for another event in the last 24 hours. Use a new key for a new event.',
        conflicts[1]);
    end if;
  end if;

  with stored as (
    insert into posthorn.events as e (id, organization_id, type, occurred_at, body, trace_parent)
    select given.id, given.organization_id, given.type, given.occurred_at,
      '{"id":"' || posthorn.type_id('evt', given.id) || '","type":"' || given.type || '","timestamp":"'
        || to_char(given.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","data":' || given.data || '}',
      given.trace_parent
    from unnest(ids, organization_ids, types, data, occurred_at, trace_parents, repetitions)
      as given (id, organization_id, type, data, occurred_at, trace_parent, repeated)
    where not given.repeated
    returning e.id, e.organization_id, e.type
  ),
  owed as (
    insert into posthorn.deliveries as d
      (id, organization_id, webhook_id, event_id, event_type, next_attempt_at, waiting_since)
    select posthorn.uuid_v7(), stored.organization_id, w.id, stored.id, stored.type,
      case when not line.waits then now() end, case when line.waits then now() end
    from stored
    join posthorn.webhooks as w
      on w.organization_id = stored.organization_id and w.deleted_at is null and w.enabled
        and stored.type = any (w.event_subscriptions)
    left join posthorn.webhook_flows as flow on flow.webhook_id = w.id,
    lateral (select w.ordered or flow.line_since is not null as waits) as line
    order by stored.id, w.id
    returning d.id, d.event_id, d.webhook_id, d.waiting_since
  ),
  jobs as (
    select posthorn.add_deliver_jobs(
      array_agg(owed.id), array_agg(case when owed.waiting_since is null then now() else posthorn.never() end))
    from owed having count(*) > 0
  )
  select coalesce(jsonb_object_agg(owed_by_event.event_id, owed_by_event.n), '{}'),
    (select array_agg(distinct owed.webhook_id) from owed where owed.waiting_since is not null)
  into counts, lined
  from (select owed.event_id, count(*) as n from owed group by 1) as owed_by_event, jobs;

  -- The first in an empty line must not wait for somebody to look: a webhook that takes one at a time always has one.
  perform graphile_worker.add_job('release_waiting_deliveries',
    payload := json_build_object('webhookId', posthorn.type_id('wh', w.id)))
  from posthorn.webhooks as w where w.id = any (lined) and w.ordered;

  return query
    select i - 1, ids[i], coalesce((counts ->> ids[i]::text)::int, 0), repetitions[i]
    from generate_subscripts(types, 1) as i;
end
$$;

-- Deliveries with what an attempt needs to know, as of now.
create function posthorn.load_deliveries(ids uuid[])
returns table (
  id uuid, state posthorn.delivery_state, schedule_position int, body text, trace_parent text, organization_id uuid,
  webhook_id uuid, webhook text, revision bigint, is_test boolean, held boolean, is_probe boolean, has_turn boolean,
  slot_in_ms float8
)
  language plpgsql stable
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $$
begin
  -- With limits, so that each is looked up by its id, whatever the planner expects. The ids of the events are in the
  -- rows of the deliveries, so each look-up touches one partition.
  return query
    select d.id, d.state, d.schedule_position, e.body, e.trace_parent, d.organization_id, d.webhook_id,
      case when w.deleted_at is not null then 'deleted' when w.enabled then 'enabled' else 'disabled' end,
      w.revision, d.is_test, f.held_since is not null, coalesce(f.probe_delivery_id = d.id, false),
      coalesce(f.turn_delivery_id = d.id, false), 1000 * extract(epoch from d.slot_at - clock_timestamp())::float8
    from posthorn.deliveries as d
    join lateral (select * from posthorn.webhooks as w where w.id = d.webhook_id limit 1) as w on true
    left join lateral (select * from posthorn.webhook_flows as f where f.webhook_id = d.webhook_id limit 1) as f on true
    left join lateral (select * from posthorn.events as e where e.id = d.event_id limit 1) as e on true
    where d.id = any (ids);
end
$$;
revoke execute on function posthorn.load_deliveries from public;

-- A uuid in the base 32 of TypeIDs, two characters at a time: three times as fast as one by one.
do $do$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  -- How each number of ten bits is written.
  pairs constant text := (
    select string_agg(substr(alphabet, high, 1) || substr(alphabet, low, 1), '' order by high, low)
    from generate_series(1, 32) as high, generate_series(1, 32) as low
  );
  -- The eight bits of the first byte, then four times ten of each five bytes.
  numbers text[] := array['get_byte(bytes, 0)'];
begin
  for i in 1..11 by 5 loop
    numbers := numbers || array[
      format('get_byte(bytes, %s) << 2 | (get_byte(bytes, %s) >> 6)', i, i + 1),
      format('(get_byte(bytes, %s) & 63) << 4 | (get_byte(bytes, %s) >> 4)', i + 1, i + 2),
      format('(get_byte(bytes, %s) & 15) << 6 | (get_byte(bytes, %s) >> 2)', i + 2, i + 3),
      format('(get_byte(bytes, %s) & 3) << 8 | get_byte(bytes, %s)', i + 3, i + 4)];
  end loop;
  execute format(
    $function$
      create or replace function posthorn.type_id(prefix text, id uuid) returns text
        language plpgsql immutable parallel safe
      as $body$
      declare
        bytes constant bytea := uuid_send(id);
        pairs constant bytea := %L;
      begin
        return prefix || '_' || encode(%s, 'escape');
      end
      $body$
    $function$,
    pairs,
    (select string_agg(format('substring(pairs from 1 + 2 * (%s) for 2)', number), ' || ' order by i)
     from unnest(numbers) with ordinality as written (number, i)));
end
$do$;

-- The same jobs as before; `offset 0` has each name made once. graphile-worker looks for a job under each key, and without
-- index scans that leaves Postgres only a look-up of the key (by a bitmap), where it would else read all of a table that
-- was empty when it was analyzed, as that of the jobs often is.
create or replace function posthorn.add_deliver_jobs(delivery_ids uuid[], run_at timestamptz[]) returns bigint
  language sql volatile
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_indexscan = off
as $$
  select count(job) from (
    select graphile_worker.add_jobs(array_agg(
      row('deliver', json_build_object('deliveryId', named.msg), null, named.run_at, null, named.msg, null, null)
        ::graphile_worker.job_spec)) as job
    from (
      select posthorn.type_id('msg', owed.id) as msg, owed.run_at
      from unnest(delivery_ids, run_at) as owed (id, run_at)
      offset 0
    ) as named
    having count(*) > 0
  ) as added
$$;
