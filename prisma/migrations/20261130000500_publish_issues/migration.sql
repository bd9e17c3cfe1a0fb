-- `publish_event` names its own arguments in errors. Before, it replaced names in the messages of `publish_events`, so a
-- value in a message could be replaced too. Now `event_issue` returns field and rule, and each function puts them together.

-- Validates one event of a host application: the field that is wrong (null: the event) and the rule, or nulls if it is
-- valid. `event` does not include its data.
create function posthorn.event_issue(event json, data text, out field text, out rule text)
  language plpgsql stable
as $$
declare
  known constant text[] := array['type', 'data', 'timestamp', 'idempotencyKey', 'traceparent'];
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
      ('timestamp', 'timestamp'), ('occurredat', 'timestamp'), ('time', 'timestamp'), ('createdat', 'timestamp'),
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
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then array['type', format('%s is not in the catalogue of event types.', to_json(posthorn.excerpt(event ->> 'type')))]
    when data is null then array['data', 'it is required.']
    when octet_length(data) > 262144 then array['data', 'it is larger than 256 KiB (262,144 bytes).']
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
    rule := 'a field other than data has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

create function posthorn.require_organization(organization text) returns uuid
  language plpgsql stable
as $$
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
begin
  if exists (select from posthorn.organizations as o where o.id = organization_id) then
    return organization_id;
  end if;
  raise invalid_parameter_value using message = format(
    'organization: there is no organization %L. `posthorn organization list` shows their ids.',
    posthorn.excerpt(organization));
end
$$;

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
    array_agg(coalesce((fields ->> 'timestamp')::timestamptz, now()) order by i) filter (where issue.rule is null)
      as occurred_at,
    array_agg(fields ->> 'idempotencyKey' order by i) filter (where issue.rule is null) as idempotency_keys,
    array_agg(fields ->> 'traceparent' order by i) filter (where issue.rule is null) as trace_parents
  into given
  from json_array_elements(posthorn.mask_unicode_escapes(events)) with ordinality as element (event, i),
    lateral (
      select posthorn.unmask_unicode_escapes(event -> 'data') as data, case when json_typeof(event) <> 'object' then event
        else (
          select coalesce(json_object_agg(key, posthorn.unmask_unicode_escapes(value)::json), '{}')
          from json_each(event) where key <> 'data'
        ) end as fields
    ) as item,
    posthorn.event_issue(fields, data) as issue;
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
      given.data, given.occurred_at, given.idempotency_keys, given.trace_parents
    ) as stored
    order by stored.ordinal;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'events: the JSON is nested too deeply. Nest it less deeply.';
end
$$;

create or replace function posthorn.publish_event(
  organization text, type text, data json, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
declare
  organization_id constant uuid := posthorn.require_organization(organization);
  issue record;
begin
  if not isfinite(occurred_at) or extract(year from occurred_at at time zone 'UTC') not between 1 and 9999 then
    raise invalid_parameter_value using message = 'occurred_at: give a time in the years 1 to 9999.';
  end if;
  issue := posthorn.event_issue(
    json_strip_nulls(json_build_object('type', type, 'idempotencyKey', idempotency_key, 'traceparent', traceparent)),
    data::text);
  if issue.rule is not null then
    raise invalid_parameter_value using message = concat_ws(' ',
      case issue.field when 'idempotencyKey' then 'idempotency_key' else issue.field end || ': ' || issue.rule,
      case issue.field when 'type' then posthorn.event_type_hint(type) end);
  end if;
  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(array[organization_id], array[type], array[null::bigint], array[data::text],
      array[coalesce(occurred_at, now())], array[idempotency_key], array[traceparent]) as stored;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'data: the JSON is nested too deeply. Nest it less deeply.';
  when sqlstate 'PH409' then
    raise exception using errcode = 'PH409', detail = '[0]', message =
      'idempotency_key: it was used for another event in the last 24 hours. Use a new key for a new event.';
end
$$;

drop function posthorn.event_problem(json, text);
