-- For every wrong argument of `publish_events` and `publish_event`, a host application gets 22023 with the field and the
-- remedy, in a message of a bounded length. Before, an offset such as +99:99 raised 22009, deep JSON 54001, and a thousand
-- wrong events were listed in full.

-- A caller's text, short enough for a message.
create function posthorn.excerpt(given text) returns text
  language sql immutable parallel safe
  return case when char_length(given) > 100 then left(given, 100) || '…' else given end;

-- Validates one event of a host application. Returns a message with the field and the remedy, or null if it is valid.
-- `event` does not include its data.
create or replace function posthorn.event_problem(event json, data text) returns text
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
    where spelling = lower(regexp_replace(left(unknown, 100), '[^a-zA-Z]', '', 'g'));
    return format('.%s: this key is unknown; ', posthorn.excerpt(unknown)) || coalesce(
      'did you mean "' || suggestion || '"?', 'the keys are ' || array_to_string(known, ', ') || '.');
  end if;
  return case
    when event ->> 'type' is null then '.type: it is required.'
    when json_typeof(event -> 'type') <> 'string' then '.type: give a string.'
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then format('.type: %s is not in the catalogue of event types.', to_json(posthorn.excerpt(event ->> 'type')))
    when data is null then '.data: it is required.'
    when octet_length(data) > 262144 then '.data: it is larger than 256 KiB (262,144 bytes).'
    when event ->> 'timestamp' !~*
        '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      then '.timestamp: give an RFC 3339 time, such as 2026-01-31T12:00:00Z.'
    when extract(year from (event ->> 'timestamp')::timestamptz at time zone 'UTC') not between 1 and 9999
      then '.timestamp: give a time in the years 1 to 9999 of UTC.'
    when json_typeof(event -> 'idempotencyKey') not in ('string', 'null') then '.idempotencyKey: give a string.'
    when char_length(event ->> 'idempotencyKey') not between 1 and 255 then '.idempotencyKey: give 1 to 255 characters.'
    when event ->> 'traceparent' !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
      then '.traceparent: give the form of W3C Trace Context, 00-<32 hex>-<16 hex>-<2 hex>.'
  end;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    return '.timestamp: it is not a valid time. Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  when untranslatable_character or invalid_text_representation then
    return ': a field other than data has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

create or replace function posthorn.publish_events(organization text, events json)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
  given record;
  more int;
begin
  if organization_id is null or not exists (select from posthorn.organizations as o where o.id = organization_id) then
    raise invalid_parameter_value using message =
      format('organization: there is no organization %L.', posthorn.excerpt(organization));
  end if;
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select count(*)::int as count,
    array_agg(format('events[%s]%s', i - 1, problem) order by i) filter (where problem is not null) as problems,
    array_agg(fields ->> 'type' order by i) filter (where problem is null) as types,
    array_agg(data order by i) as data,
    array_agg(coalesce((fields ->> 'timestamp')::timestamptz, now()) order by i) filter (where problem is null)
      as occurred_at,
    array_agg(fields ->> 'idempotencyKey' order by i) filter (where problem is null) as idempotency_keys,
    array_agg(fields ->> 'traceparent' order by i) filter (where problem is null) as trace_parents
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
    more := cardinality(given.problems) - 5;
    raise invalid_parameter_value using message = array_to_string(given.problems[1:5], ' ')
      || case when more > 0 then format(' And %s more.', more) else '' end;
  end if;
  if given.count = 0 then
    return;
  end if;

  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(
      array_fill(organization_id, array[given.count]), given.types, array_fill(null::bigint, array[given.count]),
      given.data, given.occurred_at, given.idempotency_keys, given.trace_parents
    ) as stored
    order by stored.ordinal;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'events: the JSON is nested too deeply. Nest it less deeply.';
end
$$;

create or replace function posthorn.publish_events(organization text, events text)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  parsed json;
begin
  begin
    parsed := events::json;
  exception
    when invalid_text_representation then
      raise invalid_parameter_value using message = 'events: it is not JSON: ' || sqlerrm || '.';
    when statement_too_complex then
      raise invalid_parameter_value using message = 'events: the JSON is nested too deeply. Nest it less deeply.';
  end;
  return query select * from posthorn.publish_events(organization, parsed);
end
$$;

-- By way of text, as a value that is jsonb may be nested too deeply for json.
create or replace function posthorn.publish_events(organization text, events jsonb)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select * from posthorn.publish_events(organization, events::text)
$$;

create or replace function posthorn.publish_event(
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
  return query select * from posthorn.publish_events(organization,
    '[{"data":' || data::text
      || coalesce(',"type":' || to_json(type)::text, '')
      || coalesce(',"idempotencyKey":' || to_json(idempotency_key)::text, '')
      || coalesce(',"timestamp":"'
        || to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
      || coalesce(',"traceparent":' || to_json(traceparent)::text, '')
      || '}]');
exception
  -- Replaces the keys of `publish_events` with the parameter names of this function.
  when invalid_parameter_value or sqlstate 'PH409' then
    raise exception using errcode = sqlstate, message = regexp_replace(
      replace(replace(sqlerrm, 'events[0].', ''), 'idempotencyKey:', 'idempotency_key:'), '^events:', 'data:');
end
$$;

create or replace function posthorn.publish_event(
  organization text, type text, data text, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  parsed json;
begin
  begin
    parsed := data::json;
  exception
    when invalid_text_representation then
      raise invalid_parameter_value using message = 'data: it is not JSON: ' || sqlerrm || '.';
    when statement_too_complex then
      raise invalid_parameter_value using message = 'data: the JSON is nested too deeply. Nest it less deeply.';
  end;
  return query select * from posthorn.publish_event(
    organization, type, parsed, idempotency_key, occurred_at, traceparent);
end
$$;

create or replace function posthorn.publish_event(
  organization text, type text, data jsonb, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select * from posthorn.publish_event(organization, type, data::text, idempotency_key, occurred_at, traceparent)
$$;
