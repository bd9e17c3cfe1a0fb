-- Publishing. GraphQL and the command line call `insert_events`; host applications call `publish_events` or
-- `publish_event` inside their own transactions.

-- The settings that SQL functions need: one row, which every worker updates when it starts.
create table posthorn.settings (
  only_row boolean primary key default true,
  -- The attempts of a delivery whose webhook has no retry schedule of its own.
  default_max_attempts int not null default 10,
  -- Of webhooks without their own. The API shows both, as its own environment need not be that of the workers.
  default_retry_schedule_ms int[] not null
    default '{5000,300000,1800000,7200000,18000000,36000000,50400000,72000000,86400000}',
  default_timeout_ms int not null default 15000,
  constraint only_one_row check (only_row)
);
insert into posthorn.settings default values;

-- Stores events with their deliveries and jobs. The arrays are parallel, with one element per event; the caller has
-- checked sizes and schemas. Returns one row per event, in order; for a repeated idempotency key, the event of its first
-- use. Raises PH412 if a type is not in the catalogue or does not have the given revision (null: any), and PH409 if a key
-- was used for another event, with a JSON array of the ordinals as the detail. Then nothing is stored.
create function posthorn.insert_events(
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
  default_max_attempts constant int := (select s.default_max_attempts from posthorn.settings as s);
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
    with fresh as (
      select given.*
      from unnest(event_ids, organization_ids, types, data, occurred_at, trace_parents, trace_states, duplicates) with ordinality
        as given (id, organization_id, type, data, occurred_at, trace_parent, trace_state, duplicate, i)
      where not given.duplicate
    ),
    stored as (
      insert into posthorn.events (id, organization_id, type, occurred_at, data, trace_parent, trace_state)
      select id, organization_id, type, occurred_at, data, trace_parent, trace_state from fresh
    ),
    matched as materialized (
      select posthorn.uuid_v7() as id, ordered_matches.*
      from (
        select fresh.i, fresh.id as event_id, fresh.organization_id, fresh.type, w.*
        from fresh
        -- `offset 0` prevents the planner from flattening the subqueries, so that the index webhooks_organization_id_id
        -- and the primary key of webhook_schedules serve them even if the tables were small at planning time.
        join lateral (
          select w.id as webhook_id, w.ordered,
            case when w.own_retry_schedule then 1 + cardinality(w.retry_schedule_seconds)
              else default_max_attempts end as max_attempts,
            case
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
          where w.organization_id = fresh.organization_id and w.deleted_at is null and w.enabled
            and fresh.type = any (w.event_subscriptions)
          offset 0
        ) as w on true
        order by fresh.i, w.webhook_id
      ) as ordered_matches
    ),
    inserted as (
      insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts,
        next_attempt_at, parked_at, parked_reason)
      select m.id, m.organization_id, m.webhook_id, m.event_id, m.type, m.max_attempts,
        case when m.parked_reason is null then now() end, case when m.parked_reason is not null then now() end,
        m.parked_reason
      from matched as m
    ),
    scheduled as (
      select posthorn.schedule_deliveries(array_agg(row(
        m.id, m.webhook_id, m.organization_id, m.type, now(), 0, m.max_attempts, null)::posthorn.delivery_job
        order by m.id))
      from matched as m where m.parked_reason is null having count(*) > 0
    ),
    -- All deliveries of an ordered webhook start in its backlog, so a job must release the first one.
    released as (
      select count(posthorn.enqueue('release_backlog',
        json_build_object('webhookId', posthorn.type_id('wh', ordered.webhook_id))))
      from (select distinct m.webhook_id from matched as m where m.ordered) as ordered
    ),
    counted as (select m.i, count(*)::int as deliveries from matched as m group by m.i)
    select given.i - 1, event_ids[given.i], coalesce(counted.deliveries, 0), duplicates[given.i]
    from generate_subscripts(types, 1) as given (i)
    left join counted on counted.i = given.i
    left join scheduled on true left join released on true
    order by given.i;

  if has_search_keys then
    perform posthorn.insert_event_keys(event_ids, organization_ids, types, data, duplicates);
  end if;
end
$$;

-- Postgres rejects \u0000 and lone surrogates when it unescapes JSON strings, but Posthorn must keep such data unchanged.
-- So mask_unicode_escapes turns each \u into an escaped backslash and a u, and unmask_unicode_escapes restores it. \x01
-- marks escaped backslashes in between; valid JSON cannot contain that control character.
create function posthorn.mask_unicode_escapes(given json) returns json
  language sql immutable parallel safe
  return case when strpos(given::text, '\u') = 0 then given
    else replace(replace(replace(given::text, '\\', e'\x01'), '\u', '\\u'), e'\x01', '\\\\')::json end;

create function posthorn.unmask_unicode_escapes(masked json) returns text
  language sql immutable parallel safe
  return replace(replace(replace(masked::text, '\\\\', e'\x01'), '\\u', '\u'), e'\x01', '\\');

-- Validates one event of a host application. Returns a message with the field and the remedy, or null if it is valid.
-- `event` does not include its data.
create function posthorn.event_problem(event json, data text) returns text
  language plpgsql stable
as $$
declare
  known constant text[] := array['type', 'data', 'timestamp', 'idempotencyKey', 'traceparent'];
  unknown text;
  suggestion text;
begin
  if json_typeof(event) <> 'object' then
    return ': give an object, not ' || json_typeof(event) || '.';
  end if;
  select key into unknown from json_object_keys(event) as key where key <> all (known) limit 1;
  if found then
    select name into suggestion from (values
      ('type', 'type'), ('eventtype', 'type'), ('event', 'type'), ('name', 'type'),
      ('data', 'data'), ('payload', 'data'), ('body', 'data'),
      ('timestamp', 'timestamp'), ('occurredat', 'timestamp'), ('time', 'timestamp'), ('createdat', 'timestamp'),
      ('idempotencykey', 'idempotencyKey'), ('idempotency', 'idempotencyKey'), ('key', 'idempotencyKey'),
      ('traceparent', 'traceparent'), ('trace', 'traceparent')
    ) as alias (spelling, name)
    where spelling = lower(regexp_replace(unknown, '[^a-zA-Z]', '', 'g'));
    return format('.%s: this key is unknown; ', unknown) || coalesce(
      'did you mean "' || suggestion || '"?', 'the keys are ' || array_to_string(known, ', ') || '.');
  end if;
  return case
    when event ->> 'type' is null then '.type: it is required.'
    when json_typeof(event -> 'type') <> 'string' then '.type: give a string.'
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then format('.type: %s is not in the catalogue of event types.', to_json(event ->> 'type'))
    when data is null then '.data: it is required.'
    when octet_length(data) > 262144 then '.data: it is larger than 256 KiB (262,144 bytes).'
    when event ->> 'timestamp' !~*
        '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      then '.timestamp: give an RFC 3339 time, such as 2026-01-31T12:00:00Z.'
    when json_typeof(event -> 'idempotencyKey') not in ('string', 'null') then '.idempotencyKey: give a string.'
    when char_length(event ->> 'idempotencyKey') not between 1 and 255 then '.idempotencyKey: give 1 to 255 characters.'
    when event ->> 'traceparent' !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
      then '.traceparent: give the form of W3C Trace Context, 00-<32 hex>-<16 hex>-<2 hex>.'
  end;
end
$$;

-- Publishes events in the caller's transaction: they exist if and only if it commits.
--
-- `organization` is an id such as org_…. `events` is a JSON array of objects with these keys:
--   type            required: the name of an event type of the catalogue
--   data            required: any JSON value of at most 256 KiB, stored unchanged
--   timestamp       when the event occurred, RFC 3339; default: now
--   idempotencyKey  1 to 255 characters, valid for 24 hours: a repeated key returns the first event
--   traceparent     the W3C trace context to send with the deliveries
-- Returns one row per event, in order: its id, its number of deliveries, and whether it repeats an idempotency key.
-- Raises 22023 (invalid_parameter_value) with a list of everything wrong in the input, and PH409 if an idempotency key was
-- used for another event. `data` is not validated against the JSON Schema of its type.
--
-- A role needs usage of the schema and execute on the overload that it calls. Untyped parameters, which `pg` and Prisma
-- send, and literals in psql resolve to the overload for text:
--   grant usage on schema posthorn to host; grant execute on function posthorn.publish_events(text, text) to host;
create function posthorn.publish_events(organization text, events json)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
  given record;
  occurred_at timestamptz[];
begin
  if organization_id is null or not exists (select from posthorn.organizations as o where o.id = organization_id) then
    raise invalid_parameter_value using message = format('organization: there is no organization %L.', organization);
  end if;
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select count(*)::int as count,
    string_agg(format('events[%s]%s', i - 1, problem), ' ' order by i) filter (where problem is not null) as problems,
    array_agg(fields ->> 'type' order by i) as types,
    array_agg(data order by i) as data,
    array_agg(fields ->> 'timestamp' order by i) as timestamps,
    array_agg(fields ->> 'idempotencyKey' order by i) as idempotency_keys,
    array_agg(fields ->> 'traceparent' order by i) as trace_parents
  into given
  from json_array_elements(posthorn.mask_unicode_escapes(events)) with ordinality as element (event, i),
    lateral (
      select posthorn.unmask_unicode_escapes(event -> 'data') as data, case when json_typeof(event) <> 'object' then event
        else (
          select coalesce(json_object_agg(key, posthorn.unmask_unicode_escapes(value)::json), '{}')
          from json_each(event) where key <> 'data'
        ) end as fields
    ) as item,
    posthorn.event_problem(fields, data) as problem;
  if given.problems is not null then
    raise invalid_parameter_value using message = given.problems;
  end if;
  if given.count = 0 then
    return;
  end if;
  occurred_at := array(
    select coalesce(at::timestamptz, now()) from unnest(given.timestamps) with ordinality as stamp (at, i) order by i);
  if exists (select from unnest(occurred_at) as at where extract(year from at at time zone 'UTC') not between 1 and 9999)
  then
    raise datetime_field_overflow;
  end if;

  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(
      array_fill(organization_id, array[given.count]), given.types, array_fill(null::bigint, array[given.count]),
      given.data, occurred_at, given.idempotency_keys, given.trace_parents
    ) as stored
    order by stored.ordinal;
exception
  when datetime_field_overflow or invalid_datetime_format then
    raise invalid_parameter_value using message =
      'events: a timestamp is not a valid date. Give RFC 3339 times, such as 2026-01-31T12:00:00Z.';
  when untranslatable_character or invalid_text_representation then
    raise invalid_parameter_value using message =
      'events: a field other than data has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

-- The overload for text, which untyped parameters of `pg` and literals of psql resolve to. The data is stored unchanged.
create function posthorn.publish_events(organization text, events text)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    perform events::json;
  exception when invalid_text_representation then
    raise invalid_parameter_value using message = 'events: it is not JSON: ' || sqlerrm || '.';
  end;
  return query select * from posthorn.publish_events(organization, events::json);
end
$$;

-- The overload for jsonb, which Postgres has normalized: keys are sorted, duplicate keys and white space are gone.
create function posthorn.publish_events(organization text, events jsonb)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select * from posthorn.publish_events(organization, events::json)
$$;

-- Publishes one event: `publish_events` with named arguments.
--   select * from posthorn.publish_event('org_…', 'invoice.paid', '{"id": 7}', idempotency_key => 'invoice-7')
create function posthorn.publish_event(
  organization text, type text, data json, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if data is null then
    raise invalid_parameter_value using message = 'data: it is required.';
  end if;
  if not isfinite(occurred_at) or extract(year from occurred_at at time zone 'UTC') not between 1 and 9999 then
    raise invalid_parameter_value using message = 'occurred_at: give a time in the years 1 to 9999.';
  end if;
  -- json_build_object would also keep `data` unchanged, but adds spaces around the keys.
  return query select * from posthorn.publish_events(organization, (
    '[{"data":' || data::text
      || coalesce(',"type":' || to_json(type)::text, '')
      || coalesce(',"idempotencyKey":' || to_json(idempotency_key)::text, '')
      || coalesce(',"timestamp":"'
        || to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
      || coalesce(',"traceparent":' || to_json(traceparent)::text, '')
      || '}]')::json);
exception
  -- Replaces the keys of `publish_events` with the parameter names of this function.
  when invalid_parameter_value or sqlstate 'PH409' then
    raise exception using errcode = sqlstate,
      message = replace(replace(sqlerrm, 'events[0].', ''), 'idempotencyKey:', 'idempotency_key:');
end
$$;

create function posthorn.publish_event(
  organization text, type text, data text, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  begin
    perform data::json;
  exception when invalid_text_representation then
    raise invalid_parameter_value using message = 'data: it is not JSON: ' || sqlerrm || '.';
  end;
  return query select * from posthorn.publish_event(
    organization, type, data::json, idempotency_key, occurred_at, traceparent);
end
$$;

create function posthorn.publish_event(
  organization text, type text, data jsonb, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select * from posthorn.publish_event(organization, type, data::json, idempotency_key, occurred_at, traceparent)
$$;
