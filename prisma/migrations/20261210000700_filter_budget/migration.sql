-- What an event costs Postgres is counted in steps for all filters: before, a condition that looks at one value was free,
-- and one that looks at each item of dense data was a hundred times as slow as it was counted.

-- `filter_steps`: of any event; `filter_scans`: for each value and each 64 bytes of its data.
alter table posthorn.webhooks add column filter_steps int;
-- At least what src/filters/compile-filter.ts counts for a filter that is stored again.
update posthorn.webhooks set filter_steps = octet_length(filter_path) / 4 + 80 * coalesce(jsonb_array_length(filter_times), 0),
  filter_scans = 10 * filter_scans
where filter is not null;
alter table posthorn.webhooks add constraint a_filter_has_steps check ((filter is null) = (filter_steps is null)) not valid;
alter table posthorn.webhooks validate constraint a_filter_has_steps;

-- Filters have a budget of steps. Otherwise as before.
create or replace function posthorn.insert_events(
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
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- Sorted, so that the ids of a call ascend in the order of the events.
  event_ids uuid[] := array(select posthorn.uuid_v7() as id from generate_subscripts(types, 1) order by id);
  duplicates boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  -- A statement creates at most this many deliveries. The events of large calls have at most two each.
  max_deliveries constant int := greatest(250, 2 * cardinality(types));
  -- The steps of all filters of an organization together: for a call with few events, and for each of many. Postgres takes
  -- a million steps in 0.3 to 0.6 s.
  max_steps constant bigint := 200000;
  max_steps_of_each constant bigint := 5000;
  outdated text;
  has_search_keys boolean;
  item record;
  first_use record;
begin
  -- Also for a caller that was authenticated before the deletion.
  if exists (
    select from posthorn.organization_deletions as d where d.organization_id = any (organization_ids)
  ) then
    raise exception using errcode = 'PH410', message = 'The organization was deleted. Nothing was published.';
  end if;

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
          and (w.expires_at is null or w.expires_at > now())
          and w.event_subscriptions && kind.subscriptions
        offset 0
      ) as w on w.webhook_ids is not null
    ),
    filters as materialized (
      select s.organization_id, s.type, w.id, w.filter_query, w.filter_times, w.filter_steps, w.filter_scans
      from subscribed as s join posthorn.webhooks as w on w.id = any (s.filtering_ids)
    ),
    -- Each event is read once for all filters. `commas`: its values, at most.
    read as materialized (
      select fresh.i, fresh.organization_id, fresh.type,
        (octet_length(given.texts) - octet_length(replace(given.texts, ',', '')))::bigint as commas,
        octet_length(given.texts) / 64 as lines,
        posthorn.readable_data(data[fresh.i], previous[fresh.i]) as data, posthorn.readable_data(previous[fresh.i]) as previous
      from fresh join subscribed as s on s.organization_id = fresh.organization_id and s.type = fresh.type
      cross join lateral (select data[fresh.i] || coalesce(previous[fresh.i], '') as texts) as given
      where s.filtering_ids is not null
    ),
    budgets as materialized (
      select fresh.organization_id, greatest(max_steps, max_steps_of_each * count(*)) as steps from fresh group by 1
    ),
    -- The filters that would exceed the budget do not decide.
    counted_steps as (
      select read.i, f.*, read.data, read.previous,
        sum(f.filter_steps + read.lines + f.filter_scans * (1 + read.commas + read.lines))
          over (partition by f.organization_id order by read.i, f.id) as steps
      from read join filters as f on f.organization_id = read.organization_id and f.type = read.type
    ),
    decided as materialized (
      select c.i, c.organization_id, c.id as webhook_id, undecided,
        not undecided and not posthorn.passes_filter(c.data, c.previous, c.filter_query, c.filter_times) as refused
      from counted_steps as c join budgets as b on b.organization_id = c.organization_id
      cross join lateral (select c.data is null or c.steps > b.steps as undecided) as limited
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

-- Whether the filter of one webhook lets an event through: it passes, or is not decided, as by `insert_events`.
create function posthorn.lets_through(data text, previous text, path jsonpath, times jsonb, steps int, scans int)
  returns boolean
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  max_steps constant bigint := 200000;
  texts constant text := data || coalesce(previous, '');
  lines constant bigint := octet_length(texts) / 64;
  commas constant bigint := octet_length(texts) - octet_length(replace(texts, ',', ''));
begin
  return steps + lines + scans * (1 + commas + lines) > max_steps
    or posthorn.passes_filter(posthorn.readable_data(data, previous), posthorn.readable_data(previous), path, times);
end
$$;
revoke execute on function posthorn.lets_through(text, text, jsonpath, jsonb, int, int) from public;
