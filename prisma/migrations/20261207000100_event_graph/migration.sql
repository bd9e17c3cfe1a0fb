-- What the body of a webhook contains, the data of an event before a change, and the order in which events are streamed.

-- A version of what the deliveries of a webhook contain instead of the whole event. It never changes.
create table posthorn.webhook_bodies (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null,
  webhook_id uuid not null references posthorn.webhooks (id) on delete cascade,
  version int not null,
  -- GraphQL on the event graph, with what src/event-graph makes of it when it is saved.
  selection text,
  plan text,
  -- JSON with placeholders.
  template text,
  created_at timestamptz not null default now(),
  unique (webhook_id, version),
  constraint a_body_is_a_selection_or_a_template check ((selection is null) = (template is not null)),
  constraint a_selection_is_compiled check ((selection is null) = (plan is null))
);

alter table posthorn.webhooks
  -- Both null: the whole event. Otherwise body_id is the current version, with the same text.
  add column selection text,
  add column template text,
  add column body_id uuid;
alter table posthorn.webhooks add constraint a_chosen_body_has_a_version check (
  num_nonnulls(selection, template) = num_nonnulls(body_id)) not valid;
alter table posthorn.webhooks validate constraint a_chosen_body_has_a_version;
-- The one of the webhook when the delivery was created, so that retries and redeliveries send the same bytes.
alter table posthorn.deliveries add column body_id uuid;

alter table posthorn.events
  -- The data before the change that the event reports, character for character as published. Null: not given.
  add column previous text;

-- The organizations whose events are read in the order of their commits, since their first reader.
create table posthorn.event_streams (
  organization_id uuid primary key,
  used_at timestamptz not null default now()
);

-- The events that a statement published, in an organization with a stream. Ids of events are older than their commits, so
-- a reader cannot go by them: it gives the committed batches their positions, one reader of an organization at a time.
create table posthorn.published_batches (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null,
  event_ids uuid[] not null,
  position bigint
);
create sequence posthorn.stream_positions;
-- Serve: the batches after a position, and those without one.
create unique index published_batches_organization_id_position on posthorn.published_batches (organization_id, position)
  where position is not null;
create index published_batches_without_position on posthorn.published_batches (organization_id, id) where position is null;

-- The data of an event as filters read it, or null if Postgres cannot read the data or the data before the change: filters
-- do not decide about such an event.
create function posthorn.readable_data(data text, previous text) returns jsonb
  language plpgsql immutable
as $$
begin
  if previous is not null and posthorn.readable_data(previous) is null then
    return null;
  end if;
  return posthorn.readable_data(data);
end
$$;

-- The conditions of a filter on times and on changes, as the variable `t` of its path. Without earlier data, nothing has
-- changed.
create function posthorn.compare_times(data jsonb, previous jsonb, times jsonb) returns jsonb
  language plpgsql immutable parallel safe
as $$
declare
  leaf jsonb;
  bound posthorn.exact_time;
  at posthorn.exact_time;
  found jsonb;
  holds boolean;
  results jsonb := '[]';
begin
  for leaf in select value from jsonb_array_elements(times) with ordinality as given (value, i) order by i loop
    if leaf ->> 'op' = 'changed' then
      results := results || to_jsonb(previous is not null
        and jsonb_path_query_array(data, (leaf ->> 'path')::jsonpath)
          <> jsonb_path_query_array(previous, (leaf ->> 'path')::jsonpath));
      continue;
    end if;
    bound := row((leaf ->> 'seconds')::bigint, leaf ->> 'fraction');
    holds := false;
    for found in select value from jsonb_path_query(data, (leaf ->> 'path')::jsonpath) as given (value) loop
      at := posthorn.parse_exact_time(found #>> '{}');
      continue when at is null;
      holds := case leaf ->> 'op'
        when 'less' then (at.seconds, at.fraction collate "C") < (bound.seconds, bound.fraction collate "C")
        when 'lessOrEqual' then (at.seconds, at.fraction collate "C") <= (bound.seconds, bound.fraction collate "C")
        when 'greater' then (at.seconds, at.fraction collate "C") > (bound.seconds, bound.fraction collate "C")
        when 'greaterOrEqual' then (at.seconds, at.fraction collate "C") >= (bound.seconds, bound.fraction collate "C")
      end;
      exit when holds;
    end loop;
    results := results || to_jsonb(holds);
  end loop;
  return jsonb_build_object('t', results);
end
$$;

-- Whether data passes a compiled filter. Data that cannot be read passes.
create function posthorn.passes_filter(data jsonb, previous jsonb, path jsonpath, times jsonb) returns boolean
  language plpgsql immutable parallel safe
as $$
begin
  return data is null or coalesce(jsonb_path_exists(data, path,
    case when times is null then '{}' else posthorn.compare_times(data, previous, times) end, silent => true), true);
end
$$;

-- Creates one delivery for each element of the parallel arrays, with its job, as the webhook is now: parked if it is
-- ordered, on hold or has a backlog, and canceled if it was deleted since the event was published.
create or replace function posthorn.create_deliveries(
  organization_ids uuid[], event_ids uuid[], event_types text[], webhook_ids uuid[]
) returns int
  language plpgsql
as $$
#variable_conflict use_column
declare
  default_max_attempts constant int := (select s.default_max_attempts from posthorn.settings as s);
  created_count int;
begin
  with created as materialized (
    select posthorn.uuid_v7() as id, in_order.*, not in_order.is_deleted and in_order.parked_reason is null as is_queued
    from (
      select given.*, w.*
      from unnest(organization_ids, event_ids, event_types, webhook_ids) with ordinality
        as given (organization_id, event_id, event_type, webhook_id, i)
      -- `offset 0` prevents the planner from flattening the subqueries, so that the primary keys of webhooks and
      -- webhook_schedules serve them even if the tables were small at planning time.
      join lateral (
        select w.ordered, w.body_id, w.deleted_at is not null as is_deleted,
          case when w.own_retry_schedule then 1 + cardinality(w.retry_schedule_seconds)
            else default_max_attempts end as max_attempts,
          case
            when w.deleted_at is not null then null
            when w.ordered then 'ordered'
            when s.on_hold_since is not null then 'on_hold'
            when s.backlog_since is null then null
            when w.rate_limit_per_second is not null then 'rate_limit'
            else 'concurrency_limit'
          end as parked_reason
        from posthorn.webhooks as w
        left join lateral (
          select s.on_hold_since, s.backlog_since from posthorn.webhook_schedules as s where s.webhook_id = w.id
          offset 0
        ) as s on true
        where w.id = given.webhook_id
        offset 0
      ) as w on true
      order by given.i
    ) as in_order
  ),
  inserted as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, state, finished_at,
      max_attempts, next_attempt_at, parked_at, parked_reason, body_id)
    select c.id, c.organization_id, c.webhook_id, c.event_id, c.event_type,
      case when c.is_deleted then 'canceled' else 'pending' end::posthorn.delivery_state,
      case when c.is_deleted then now() end, c.max_attempts, case when c.is_queued then now() end,
      case when c.parked_reason is not null then now() end, c.parked_reason, c.body_id
    from created as c
  ),
  scheduled as (
    select posthorn.schedule_deliveries(array_agg(row(
      c.id, c.webhook_id, c.organization_id, c.event_type, now(), 0, c.max_attempts, null)::posthorn.delivery_job
      order by c.i))
    from created as c where c.is_queued having count(*) > 0
  ),
  -- All deliveries of an ordered webhook start in its backlog, so a job must release the first one.
  released as (
    select count(posthorn.enqueue('release_backlog',
      json_build_object('webhookId', posthorn.type_id('wh', ordered.webhook_id))))
    from (
      select distinct c.webhook_id from created as c where c.parked_reason = 'ordered'
    ) as ordered
  )
  select total.count into created_count
  from (select count(*)::int as count from created) as total
  left join scheduled on true left join released on true;
  return created_count;
end
$$;

-- It takes `previous` too.
drop function posthorn.insert_events(uuid[], text[], bigint[], text[], timestamptz[], text[], text[], text[]);

-- Stores events with their deliveries and jobs. Above a number of deliveries, they are only counted, and fan out later. The
-- arrays are parallel, with one element per event; the caller has checked sizes and schemas. Returns one row per event, in
-- order; for a repeated idempotency key, the event of its first use. Raises PH412 if a type is not in the catalogue or does
-- not have the given revision (null: any), and PH409 if a key was used for another event, with a JSON array of the ordinals
-- as the detail. Then nothing is stored.
create function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  type_revisions bigint[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  trace_states text[] default null,
  previous text[] default null
) returns table (ordinal int, event_id uuid, delivery_count int, duplicate boolean)
  language plpgsql
as $$
#variable_conflict use_column
declare
  -- Sorted, so that the ids of a call ascend in the order of the events.
  event_ids uuid[] := array(select posthorn.uuid_v7() as id from generate_subscripts(types, 1) order by id);
  duplicates boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  -- A statement creates at most this many deliveries. The events of large calls have at most two each.
  max_deliveries constant int := greatest(250, 2 * cardinality(types));
  -- A statement reads some 50 MB of data a second for conditions that look at each item or a whole text.
  max_scanned_bytes constant bigint := 25000000;
  outdated text;
  has_search_keys boolean;
  item record;
  first_use record;
begin
  select min(given.type) filter (where known.name is null or known.revision <> given.revision),
    bool_or(known.search_keys <> '{}')
  into outdated, has_search_keys
  from (select distinct type, revision from unnest(types, type_revisions) as given (type, revision)) as given
  left join posthorn.event_types as known on known.name = given.type and known.archived_at is null;
  if outdated is not null then
    raise exception using errcode = 'PH412', message = format('The event type %s has changed.', outdated);
  end if;

  if cardinality(array_remove(idempotency_keys, null)) > 0 then
    -- Ordered by key, so that concurrent calls with common keys cannot deadlock.
    for item in
      select i, organization_ids[i] as organization_id, idempotency_keys[i] as key,
        sha256(convert_to(types[i] || chr(10) || data[i] || coalesce(chr(10) || previous[i], ''), 'UTF8'))
          as request_hash
      from generate_subscripts(types, 1) as i
      where idempotency_keys[i] is not null
      order by 2, 3, 1
    loop
      insert into posthorn.idempotency_keys as kept (organization_id, operation, key, request_hash, resource_id)
      values (item.organization_id, 'publishEvent', item.key, item.request_hash, event_ids[item.i])
      on conflict (organization_id, operation, key) do update
        set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = now()
        where kept.created_at < now() - interval '24 hours';
      if not found then
        select k.resource_id, k.request_hash into first_use from posthorn.idempotency_keys as k
        where k.organization_id = item.organization_id and k.operation = 'publishEvent' and k.key = item.key;
        event_ids[item.i] := first_use.resource_id;
        duplicates[item.i] := true;
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

  return query
    with fresh as materialized (
      select given.*
      from unnest(event_ids, organization_ids, types, duplicates) with ordinality
        as given (event_id, organization_id, type, duplicate, i)
      where not given.duplicate
    ),
    stored as (
      insert into posthorn.events (id, organization_id, type, occurred_at, data, trace_parent, trace_state, previous)
      select given.id, given.organization_id, given.type, given.occurred_at, given.data, given.trace_parent, given.trace_state,
        given.previous
      from unnest(event_ids, organization_ids, types, data, occurred_at, trace_parents, trace_states, duplicates, previous)
        as given (id, organization_id, type, data, occurred_at, trace_parent, trace_state, duplicate, previous)
      where not given.duplicate
    ),
    streamed as (
      insert into posthorn.published_batches (organization_id, event_ids)
      select s.organization_id, array_agg(fresh.event_id order by fresh.i)
      from posthorn.event_streams as s join fresh on fresh.organization_id = s.organization_id
      where s.organization_id = any (organization_ids)
      group by s.organization_id
    ),
    -- Once for each type, not for each event. `offset 0` prevents the planner from flattening the subquery, so that the
    -- index webhooks_organization_id_id serves it even if the table was small at planning time.
    subscribed as materialized (
      select kind.organization_id, kind.type, w.*
      from (
        -- Once for each type, and not for each webhook.
        select kind.*, posthorn.subscriptions_to(kind.type) as subscriptions
        from (select distinct fresh.organization_id, fresh.type from fresh) as kind
        offset 0
      ) as kind
      join lateral (
        select array_agg(w.id order by w.id) as webhook_ids, bool_or(w.ordered) as has_ordered,
          array_agg(w.id order by w.id) filter (where w.filter_query is not null) as filtering_ids
        from posthorn.webhooks as w
        where w.organization_id = kind.organization_id and w.deleted_at is null and w.enabled
          and w.event_subscriptions && kind.subscriptions
        offset 0
      ) as w on w.webhook_ids is not null
    ),
    filters as materialized (
      select s.organization_id, s.type, w.id, w.filter_query, w.filter_times,
        sum(w.filter_scans) over (partition by s.organization_id, s.type order by w.id) as scans
      from subscribed as s join posthorn.webhooks as w on w.id = any (s.filtering_ids)
    ),
    -- Each event is read once for all filters. The filters whose time would exceed a limit do not decide.
    read as materialized (
      select fresh.i, fresh.organization_id, fresh.type,
        octet_length(data[fresh.i]) + coalesce(octet_length(previous[fresh.i]), 0) as bytes,
        posthorn.readable_data(data[fresh.i], previous[fresh.i]) as data, posthorn.readable_data(previous[fresh.i]) as previous
      from fresh join subscribed as s on s.organization_id = fresh.organization_id and s.type = fresh.type
      where s.filtering_ids is not null
    ),
    decided as materialized (
      select read.i, f.organization_id, f.id as webhook_id, undecided,
        not undecided and not posthorn.passes_filter(read.data, read.previous, f.filter_query, f.filter_times) as refused
      from read join filters as f on f.organization_id = read.organization_id and f.type = read.type
      cross join lateral (select read.data is null or f.scans * read.bytes > max_scanned_bytes as undecided) as limited
    ),
    counted_filters as (
      insert into posthorn.filtered_events (organization_id, webhook_ids, refused_counts, undecided_counts)
      select d.organization_id, array_agg(d.webhook_id), array_agg(d.refused), array_agg(d.undecided)
      from (
        select organization_id, webhook_id, count(*) filter (where refused)::int as refused,
          count(*) filter (where undecided)::int as undecided
        from decided where refused or undecided group by 1, 2
      ) as d
      group by 1
    ),
    -- The webhooks that receive the events of a type or, with filters, each of them: then `only` is the event.
    matched as materialized (
      select receiving.*, cardinality(receiving.webhook_ids) as webhooks,
        (sum(cardinality(receiving.webhook_ids)) over (partition by receiving.organization_id order by receiving.type, receiving.only)
          - cardinality(receiving.webhook_ids))::int as skipped
      from (
        select s.organization_id, s.type, null::bigint as only, s.webhook_ids, s.has_ordered
        from subscribed as s where s.filtering_ids is null
        union all
        select read.organization_id, read.type, read.i, array_agg(w.id order by w.n), s.has_ordered
        from read
        join subscribed as s on s.organization_id = read.organization_id and s.type = read.type
        cross join lateral unnest(s.webhook_ids) with ordinality as w (id, n)
        left join decided as d on d.i = read.i and d.webhook_id = w.id
        where d.refused is not true
        group by read.organization_id, read.type, read.i, s.has_ordered
      ) as receiving
    ),
    -- The organizations with the fewest deliveries come first, and the events of each in their order. An event for an
    -- ordered webhook must not overtake an earlier one that still fans out.
    placed as materialized (
      select counted.*,
        sum(counted.webhooks) over (order by counted.total, counted.organization_id, counted.i) > max_deliveries
          or counted.has_ordered and exists (
            select from posthorn.fan_outs as f where f.organization_id = counted.organization_id) as fans_out
      from (
        select fresh.i, fresh.event_id, fresh.organization_id, fresh.type, m.webhooks, m.skipped, m.has_ordered,
          sum(m.webhooks) over (partition by fresh.organization_id) as total
        from fresh join matched as m on m.organization_id = fresh.organization_id and m.type = fresh.type
          and (m.only is null or m.only = fresh.i)
      ) as counted
    ),
    created as (
      select posthorn.create_deliveries(
        array_agg(p.organization_id order by p.i, w.n), array_agg(p.event_id order by p.i, w.n),
        array_agg(p.type order by p.i, w.n), array_agg(w.id order by p.i, w.n))
      from placed as p
      join matched as m on m.organization_id = p.organization_id and m.type = p.type
        and (m.only is null or m.only = p.i)
      cross join lateral unnest(m.webhook_ids) with ordinality as w (id, n)
      where not p.fans_out having count(*) > 0
    ),
    fanned_out as (
      insert into posthorn.fan_outs (organization_id, event_ids, event_types, webhook_counts, webhook_offsets,
        webhook_ids, delivery_count)
      select p.organization_id, array_agg(p.event_id order by p.i), array_agg(p.type order by p.i),
        array_agg(p.webhooks order by p.i), array_agg(p.skipped order by p.i),
        array(
          select w.id from matched as m cross join lateral unnest(m.webhook_ids) with ordinality as w (id, n)
          where m.organization_id = p.organization_id order by m.skipped, w.n),
        sum(p.webhooks)
      from placed as p where p.fans_out group by p.organization_id
      returning fan_outs.organization_id
    ),
    started as (
      select count(posthorn.start_fan_out(fanned_out.organization_id)) from fanned_out
    )
    select given.i - 1, event_ids[given.i], coalesce(placed.webhooks, 0), duplicates[given.i]
    from generate_subscripts(types, 1) as given (i)
    left join placed on placed.i = given.i
    left join created on true left join started on true
    order by given.i;

  if has_search_keys then
    perform posthorn.insert_event_keys(event_ids, organization_ids, types, data, duplicates);
  end if;
end
$$;

-- No function is public.
revoke execute on function posthorn.readable_data(text, text),
  posthorn.compare_times(jsonb, jsonb, jsonb), posthorn.passes_filter(jsonb, jsonb, jsonpath, jsonb),
  posthorn.insert_events(uuid[], text[], bigint[], text[], timestamptz[], text[], text[], text[], text[])
from public;
