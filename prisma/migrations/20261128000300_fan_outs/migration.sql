-- An event for many webhooks is stored and answered at once; its deliveries are created afterwards, in pages, by a job.
-- Before, one statement created all of them: publishing to 5,000 webhooks took a second, and delayed every organization
-- whose events were stored by the same two statements.

-- Events whose deliveries are not all created yet. An organization's rows are worked off in the order of their ids.
create table posthorn.fan_outs (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- The events in their order, and for each one its type and its webhooks as of publishing: how many there are, and how
  -- many come before them in webhook_ids. Events of one type have the same ones.
  event_ids uuid[] not null,
  event_types text[] not null,
  webhook_counts int[] not null,
  webhook_offsets int[] not null,
  webhook_ids uuid[] not null,
  delivery_count bigint not null,
  -- The deliveries are created event by event, and for each event webhook by webhook.
  created_count bigint not null default 0,
  constraint each_event_has_a_type_and_webhooks check (
    cardinality(event_types) = cardinality(event_ids) and cardinality(webhook_counts) = cardinality(event_ids)
    and cardinality(webhook_offsets) = cardinality(event_ids)),
  constraint some_deliveries_are_not_created check (created_count >= 0 and created_count < delivery_count)
);
-- Serves: the oldest row of an organization.
create index fan_outs_organization_id_id on posthorn.fan_outs (organization_id, id);

-- Creates one delivery for each element of the parallel arrays, with its job, as the webhook is now: parked if it is
-- ordered, on hold or has a backlog, and canceled if it was deleted since the event was published.
create function posthorn.create_deliveries(
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
        select w.ordered, w.deleted_at is not null as is_deleted,
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
      max_attempts, next_attempt_at, parked_at, parked_reason)
    select c.id, c.organization_id, c.webhook_id, c.event_id, c.event_type,
      case when c.is_deleted then 'canceled' else 'pending' end::posthorn.delivery_state,
      case when c.is_deleted then now() end, c.max_attempts, case when c.is_queued then now() end,
      case when c.parked_reason is not null then now() end, c.parked_reason
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

-- Adds a job that creates the deliveries of an organization's events that still fan out.
create function posthorn.start_fan_out(organization_id uuid) returns void
  language sql
as $$
  select posthorn.enqueue('fan_out',
    json_build_object('organizationId', posthorn.type_id('org', start_fan_out.organization_id)))
$$;

-- Creates the next page of deliveries of an organization's events that fan out. Returns their number: 0 if there are none,
-- and null if another job creates a page of this organization at the same time.
--
-- A rest of up to a hundred belongs to the last page: fewer deliveries at once would get jobs of high priority.
create function posthorn.fan_out(organization_id uuid, page_size int) returns int
  language plpgsql
as $$
#variable_conflict use_column
declare
  oldest posthorn.fan_outs;
  all_webhooks uuid[];
  reached_count bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('posthorn.fan_out:' || fan_out.organization_id, 0)) then
    return null;
  end if;
  select f.* into oldest from posthorn.fan_outs as f
  where f.organization_id = fan_out.organization_id order by f.id limit 1;
  if not found then
    return 0;
  end if;
  reached_count := oldest.created_count + page_size;
  if reached_count + 100 >= oldest.delivery_count then
    reached_count := oldest.delivery_count;
  end if;
  all_webhooks := oldest.webhook_ids;
  perform posthorn.create_deliveries(
    array_agg(oldest.organization_id), array_agg(e.id order by e.i, w.n), array_agg(e.type order by e.i, w.n),
    array_agg(w.id order by e.i, w.n))
  from (
    -- For each event, how many deliveries come before its first one.
    select given.*, sum(given.webhooks) over (order by given.i) - given.webhooks as before
    from unnest(oldest.event_ids, oldest.event_types, oldest.webhook_counts, oldest.webhook_offsets) with ordinality
      as given (id, type, webhooks, skipped, i)
  ) as e
  cross join lateral unnest(all_webhooks[
    e.skipped + 1 + greatest(oldest.created_count - e.before, 0)
    : e.skipped + least(reached_count - e.before, e.webhooks)
  ]) with ordinality as w (id, n)
  where e.before < reached_count and e.before + e.webhooks > oldest.created_count;
  if reached_count = oldest.delivery_count then
    delete from posthorn.fan_outs as f where f.id = oldest.id;
  else
    update posthorn.fan_outs as f set created_count = reached_count where f.id = oldest.id;
  end if;
  return (reached_count - oldest.created_count)::int;
end
$$;

-- Stores events with their deliveries and jobs. Above a number of deliveries, they are only counted, and fan out later. The
-- arrays are parallel, with one element per event; the caller has checked sizes and schemas. Returns one row per event, in
-- order; for a repeated idempotency key, the event of its first use. Raises PH412 if a type is not in the catalogue or does
-- not have the given revision (null: any), and PH409 if a key was used for another event, with a JSON array of the ordinals
-- as the detail. Then nothing is stored.
create or replace function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  type_revisions bigint[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  trace_states text[] default null
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
        sha256(convert_to(types[i] || E'\n' || data[i], 'UTF8')) as request_hash
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
      insert into posthorn.events (id, organization_id, type, occurred_at, data, trace_parent, trace_state)
      select given.id, given.organization_id, given.type, given.occurred_at, given.data, given.trace_parent, given.trace_state
      from unnest(event_ids, organization_ids, types, data, occurred_at, trace_parents, trace_states, duplicates)
        as given (id, organization_id, type, data, occurred_at, trace_parent, trace_state, duplicate)
      where not given.duplicate
    ),
    -- Once for each type, not for each event. `offset 0` prevents the planner from flattening the subquery, so that the
    -- index webhooks_organization_id_id serves it even if the table was small at planning time.
    matched as materialized (
      select kind.organization_id, kind.type, w.webhook_ids, w.has_ordered, cardinality(w.webhook_ids) as webhooks,
        (sum(cardinality(w.webhook_ids)) over (partition by kind.organization_id order by kind.type)
          - cardinality(w.webhook_ids))::int as skipped
      from (select distinct fresh.organization_id, fresh.type from fresh) as kind
      join lateral (
        select array_agg(w.id order by w.id) as webhook_ids, bool_or(w.ordered) as has_ordered
        from posthorn.webhooks as w
        where w.organization_id = kind.organization_id and w.deleted_at is null and w.enabled
          and kind.type = any (w.event_subscriptions)
        offset 0
      ) as w on w.webhook_ids is not null
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
      ) as counted
    ),
    created as (
      select posthorn.create_deliveries(
        array_agg(p.organization_id order by p.i, w.n), array_agg(p.event_id order by p.i, w.n),
        array_agg(p.type order by p.i, w.n), array_agg(w.id order by p.i, w.n))
      from placed as p
      join matched as m on m.organization_id = p.organization_id and m.type = p.type
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
revoke execute on function posthorn.create_deliveries(uuid[], uuid[], text[], uuid[]), posthorn.start_fan_out(uuid),
  posthorn.fan_out(uuid, int), posthorn.enqueue(text, json, text, timestamptz, text) from public;
