-- An event may have the data before the change that it reports: `previous`.

-- Validates one event of a host application: the field that is wrong (null: the event) and the rule, or nulls if it is
-- valid. `event` does not include its data, nor the data before the change.
create function posthorn.event_issue(event json, data text, previous text, out field text, out rule text)
  language plpgsql stable
as $$
declare
  known constant text[] := array['type', 'data', 'previous', 'timestamp', 'idempotencyKey', 'traceparent'];
  unknown text;
  suggestion text;
begin
  if json_typeof(event) <> 'object' then
    rule := 'give an object, not ' || json_typeof(event) || '.';
    return;
  end if;
  select key into unknown from json_object_keys(event) as key where key <> all (known) limit 1;
  if found then
    select name into suggestion from (values
      ('type', 'type'), ('eventtype', 'type'), ('event', 'type'), ('name', 'type'),
      ('data', 'data'), ('payload', 'data'), ('body', 'data'),
      ('previous', 'previous'), ('before', 'previous'), ('old', 'previous'), ('olddata', 'previous'),
      ('previousdata', 'previous'), ('timestamp', 'timestamp'), ('occurredat', 'timestamp'), ('time', 'timestamp'), ('createdat', 'timestamp'),
      ('idempotencykey', 'idempotencyKey'), ('idempotency', 'idempotencyKey'), ('key', 'idempotencyKey'),
      ('traceparent', 'traceparent'), ('trace', 'traceparent')
    ) as alias (spelling, name)
    where spelling = lower(regexp_replace(left(unknown, 100), '[^a-zA-Z]', '', 'g'));
    field := posthorn.excerpt(unknown);
    rule := 'this key is unknown; '
      || coalesce('did you mean "' || suggestion || '"?', 'the keys are ' || array_to_string(known, ', ') || '.');
    return;
  end if;
  select issue[1], issue[2] into field, rule from (select case
    when event ->> 'type' is null then array['type', 'it is required.']
    when json_typeof(event -> 'type') <> 'string' then array['type', 'give a string.']
    when event ->> 'type' like 'posthorn.%'
      then array['type', 'Posthorn itself publishes the events whose types begin with posthorn. Choose another type.']
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then array['type', format('%s is not in the catalogue of event types.', to_json(posthorn.excerpt(event ->> 'type')))]
    when data is null then array['data', 'it is required.']
    when octet_length(data) > 262144 then array['data', 'it is larger than 256 KiB (262,144 bytes).']
    when octet_length(data) + octet_length(previous) > 262144
      then array['previous', 'it is larger than 256 KiB (262,144 bytes) together with data.']
    when event ->> 'timestamp' !~*
        '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      then array['timestamp', 'give an RFC 3339 time, such as 2026-01-31T12:00:00Z.']
    when extract(year from (event ->> 'timestamp')::timestamptz at time zone 'UTC') not between 1 and 9999
      then array['timestamp', 'give a time in the years 1 to 9999 of UTC.']
    when json_typeof(event -> 'idempotencyKey') not in ('string', 'null') then array['idempotencyKey', 'give a string.']
    when char_length(event ->> 'idempotencyKey') not between 1 and 255 then array['idempotencyKey', 'give 1 to 255 characters.']
    when event ->> 'traceparent' !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
      then array['traceparent', 'give the form of W3C Trace Context, 00-<32 hex>-<16 hex>-<2 hex>.']
  end as issue) as checked;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    field := 'timestamp';
    rule := 'it is not a valid time. Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  when untranslatable_character or invalid_text_representation then
    field := null;
    rule := 'a field other than data and previous has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

-- A further key of an event is
--   previous        the whole data before the change that the event reports, stored unchanged; null: not given
-- `data` and `previous` have at most 256 KiB together.
create or replace function posthorn.publish_events(organization text, events json)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.require_organization(organization);
  given record;
  message text;
  more int;
begin
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select count(*)::int as count,
    array_agg(format('events[%s]%s: %s', i - 1, '.' || issue.field, issue.rule) order by i)
      filter (where issue.rule is not null) as problems,
    array_agg(case when issue.field = 'type' then fields ->> 'type' end order by i)
      filter (where issue.rule is not null) as unknown_types,
    array_agg(fields ->> 'type' order by i) filter (where issue.rule is null) as types,
    array_agg(data order by i) as data,
    array_agg(previous order by i) as previous,
    array_agg(coalesce((fields ->> 'timestamp')::timestamptz, now()) order by i) filter (where issue.rule is null)
      as occurred_at,
    array_agg(fields ->> 'idempotencyKey' order by i) filter (where issue.rule is null) as idempotency_keys,
    array_agg(fields ->> 'traceparent' order by i) filter (where issue.rule is null) as trace_parents
  into given
  from json_array_elements(posthorn.mask_unicode_escapes(events)) with ordinality as element (event, i),
    lateral (
      select posthorn.unmask_unicode_escapes(event -> 'data') as data,
        case when json_typeof(event -> 'previous') <> 'null' then posthorn.unmask_unicode_escapes(event -> 'previous') end
          as previous,
        case when json_typeof(event) <> 'object' then event
        else (
          select coalesce(json_object_agg(key, posthorn.unmask_unicode_escapes(value)::json), '{}')
          from json_each(event) where key not in ('data', 'previous')
        ) end as fields
    ) as item,
    posthorn.event_issue(fields, data, previous) as issue;
  if given.problems is not null then
    select string_agg(listed.problem || coalesce(' ' || posthorn.event_type_hint(listed.type), ''), ' ' order by listed.i)
    into message
    from unnest(given.problems[1:5], given.unknown_types[1:5]) with ordinality as listed (problem, type, i);
    more := cardinality(given.problems) - 5;
    raise invalid_parameter_value using message = message
      || case when more > 0 then format(' And %s more.', more) else '' end;
  end if;
  if given.count = 0 then
    return;
  end if;

  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(
      array_fill(organization_id, array[given.count]), given.types, array_fill(null::bigint, array[given.count]),
      given.data, given.occurred_at, given.idempotency_keys, given.trace_parents, null, given.previous
    ) as stored
    order by stored.ordinal;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'events: the JSON is nested too deeply. Nest it less deeply.';
end
$$;

-- The overloads of `publish_event` with `previous`. A function with one more default would make every call of the functions
-- that exist ambiguous, and views and SQL functions of hosts depend on these, so they stay. `previous` is JSON and stands
-- fourth, where the others have the text of the idempotency key: a call without the name `previous` keeps its meaning.
--   select * from posthorn.publish_event('org_…', 'invoice.paid', to_jsonb(new), previous => to_jsonb(old))
-- A role needs execute on the overload that it calls, by the type of its data: json, jsonb or text (also untyped):
--   grant execute on function posthorn.publish_event(text, text, text, json, timestamptz, text, text) to host;
create function posthorn.publish_event(
  organization text, type text, data json, previous json, occurred_at timestamptz default null,
  idempotency_key text default null, traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
declare
  organization_id constant uuid := posthorn.require_organization(organization);
  issue record;
  previous_text constant text := case when json_typeof(previous) <> 'null' then previous::text end;
begin
  if not isfinite(occurred_at) or extract(year from occurred_at at time zone 'UTC') not between 1 and 9999 then
    raise invalid_parameter_value using message = 'occurred_at: give a time in the years 1 to 9999.';
  end if;
  issue := posthorn.event_issue(
    json_strip_nulls(json_build_object('type', type, 'idempotencyKey', idempotency_key, 'traceparent', traceparent)),
    data::text, previous_text);
  if issue.rule is not null then
    raise invalid_parameter_value using message = concat_ws(' ',
      case issue.field when 'idempotencyKey' then 'idempotency_key' else issue.field end || ': ' || issue.rule,
      case issue.field when 'type' then posthorn.event_type_hint(type) end);
  end if;
  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(array[organization_id], array[type], array[null::bigint], array[data::text],
      array[coalesce(occurred_at, now())], array[idempotency_key], array[traceparent], null,
      array[previous_text]) as stored;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'data or previous: the JSON is nested too deeply. Nest it less deeply.';
  when sqlstate 'PH409' then
    raise exception using errcode = 'PH409', detail = '[0]', message =
      'idempotency_key: it was used for another event in the last 24 hours. Use a new key for a new event.';
end
$$;

-- The functions without `previous`.
create or replace function posthorn.publish_event(
  organization text, type text, data json, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from posthorn.publish_event(
    organization, type, data, null::json, occurred_at, idempotency_key, traceparent);
end
$$;

drop function posthorn.event_issue(json, text);

create function posthorn.publish_event(
  organization text, type text, data text, previous json, occurred_at timestamptz default null,
  idempotency_key text default null, traceparent text default null
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
    organization, type, parsed, previous, occurred_at, idempotency_key, traceparent);
end
$$;

-- By way of text, as a value that is jsonb may be nested too deeply for json.
create function posthorn.publish_event(
  organization text, type text, data jsonb, previous jsonb, occurred_at timestamptz default null,
  idempotency_key text default null, traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from posthorn.publish_event(
    organization, type, data::text, previous::text::json, occurred_at, idempotency_key, traceparent);
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'previous: the JSON is nested too deeply. Nest it less deeply.';
end
$$;

-- No function is public.
revoke execute on function
  posthorn.event_issue(json, text, text),
  posthorn.publish_event(text, text, json, json, timestamptz, text, text),
  posthorn.publish_event(text, text, text, json, timestamptz, text, text),
  posthorn.publish_event(text, text, jsonb, jsonb, timestamptz, text, text)
from public;
