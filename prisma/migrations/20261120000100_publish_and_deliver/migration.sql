-- Publishing, for every door: GraphQL and the command line through Node, and a host application in its own transaction.

-- The two event types of the contract (section 6). Operators may add more.
insert into posthorn.event_types (name, description, schema, example) values
  (
    'event_attendee.joined_event',
    'An attendee has been added to an event.',
    '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}',
    '{"event": {"id": "ev_1042", "name": "Harvest Fair"}, "attendee": {"id": "at_77", "email": "ada@example.com"}}'
  ),
  (
    'event_attendee.ticket_success',
    'A ticket has been successfully issued to an attendee.',
    '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}',
    '{"event": {"id": "ev_1042", "name": "Harvest Fair"}, "attendee": {"id": "at_77", "email": "ada@example.com"}, "ticket": {"id": "tk_9001", "type": "general"}}'
  );

-- Adds the jobs of deliveries, each under the delivery's id, replacing those that wait. Answers how many.
create function posthorn.add_deliver_jobs(delivery_ids uuid[], run_at timestamptz[]) returns bigint
  language sql volatile
as $$
  select count(job) from (
    select graphile_worker.add_jobs(array_agg(
      row('deliver', json_build_object('deliveryId', named.msg), null, named.run_at, null, named.msg, null, null)
        ::graphile_worker.job_spec)) as job
    from (
      select posthorn.type_id('msg', owed.id) as msg, owed.run_at
      from unnest(delivery_ids, run_at) as owed (id, run_at)
    ) as named
    having count(*) > 0
  ) as added
$$;

-- Stores events, matches them to the enabled webhooks of their organizations, and owes each match a delivery with a
-- job. The arrays run in parallel, one element an event; `data` is JSON text and is kept to the letter. The caller has
-- checked types, sizes and schemas. Answers one row an event, in the order given; a repeated idempotency key answers
-- with the event of its first use. A key that was used for another event raises PH409, and nothing is stored.
create function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[]
)
returns table (ordinal int, event_id uuid, delivery_count int, repeated boolean)
  language plpgsql
as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select posthorn.uuid_v7() from generate_subscripts(types, 1));
  repetitions boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  counts jsonb;
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
    insert into posthorn.deliveries as d (id, organization_id, webhook_id, event_id, event_type, next_attempt_at)
    select posthorn.uuid_v7(), stored.organization_id, w.id, stored.id, stored.type, now()
    from stored
    join posthorn.webhooks as w
      on w.organization_id = stored.organization_id and w.deleted_at is null and w.enabled
        and stored.type = any (w.event_subscriptions)
    returning d.id, d.event_id
  ),
  jobs as (
    select posthorn.add_deliver_jobs(array_agg(owed.id), array_agg(now())) from owed having count(*) > 0
  )
  select coalesce(jsonb_object_agg(owed_by_event.event_id, owed_by_event.n), '{}')
  into counts
  from (select owed.event_id, count(*) as n from owed group by 1) as owed_by_event, jobs;

  return query
    select i - 1, ids[i], coalesce((counts ->> ids[i]::text)::int, 0), repetitions[i]
    from generate_subscripts(types, 1) as i;
end
$$;
revoke execute on function posthorn.insert_events from public;

-- Publishes events for one organization, inside the transaction of the caller: they exist if and only if it commits.
--
--   select * from posthorn.publish_events('org_…', '[
--     {"type": "event_attendee.joined_event", "data": {"attendee": "…"}, "idempotencyKey": "order-17"}
--   ]');
--
-- Each event: `type` (a name in the catalogue), `data` (any JSON, at most 256 KiB), and optionally `timestamp` (when it
-- occurred; default: now), `idempotencyKey` (1 to 255 characters, remembered for 24 hours) and `traceparent`.
-- Anything wrong raises 22023 (invalid_parameter_value) naming the event and the field, and nothing is published.
-- A type's JSON Schema is not checked here: Postgres has none of its own.
-- Runs with its owner's rights, so that a host's role needs no more than:
--   grant usage on schema posthorn to host; grant execute on function posthorn.publish_events to host;
create function posthorn.publish_events(organization text, events json)
returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.type_id_uuid('org', organization);
  problem text;
begin
  if organization_id is null or not exists (select from posthorn.organizations as o where o.id = organization_id) then
    raise invalid_parameter_value using message = format('organization: there is no organization %L.', organization);
  end if;
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select string_agg(format('events[%s]%s', wrong.i - 1, wrong.detail), ' ' order by wrong.i) into problem
  from (
    select given.i,
      case
        when json_typeof(given.item) <> 'object' then ': give an object.'
        when given.item ->> 'type' is null then '.type: it is required.'
        when not exists (
          select from posthorn.event_types as t where t.name = given.item ->> 'type' and t.archived_at is null
        ) then format('.type: %s is not in the catalogue of event types.', to_json(given.item ->> 'type'))
        when given.item -> 'data' is null then '.data: it is required.'
        when octet_length((given.item -> 'data')::text) > 262144 then '.data: it is larger than 256 KiB (262,144 bytes).'
        when char_length(given.item ->> 'idempotencyKey') not between 1 and 255
          then '.idempotencyKey: give 1 to 255 characters.'
      end as detail
    from json_array_elements(events) with ordinality as given (item, i)
  ) as wrong
  where wrong.detail is not null;
  if problem is not null then
    raise invalid_parameter_value using message = problem;
  end if;

  return query
    with given as (
      select array_agg(organization_id order by i) as organization_ids,
        array_agg(item ->> 'type' order by i) as types,
        array_agg((item -> 'data')::text order by i) as data,
        array_agg(coalesce((item ->> 'timestamp')::timestamptz, now()) order by i) as occurred_at,
        array_agg(item ->> 'idempotencyKey' order by i) as idempotency_keys,
        array_agg(item ->> 'traceparent' order by i) as trace_parents
      from json_array_elements(events) with ordinality as element (item, i)
      having count(*) > 0
    )
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.repeated
    from given, posthorn.insert_events(
      given.organization_ids, given.types, given.data, given.occurred_at, given.idempotency_keys, given.trace_parents
    ) as stored
    order by stored.ordinal;
end
$$;
revoke execute on function posthorn.publish_events from public;

-- The worker pools that run. Each holds the advisory lock of its name for as long as its process lives, so a row whose
-- lock is free names a pool that was killed, and the jobs it had taken can be given back at once.
create table posthorn.worker_pools (
  id text primary key,
  started_at timestamptz not null default now()
);

-- When the job of a delivery runs that waits for its disabled webhook: not by itself.
create function posthorn.never() returns timestamptz
  language sql immutable parallel safe
  return '9999-12-31T00:00:00Z'::timestamptz;
