-- The errors of `publish_events` and `publish_event` for an unknown organization or type name the remedy; for a type, a
-- similar name, or the names that there are. PH409 of `publish_event` has the indexes as its detail, as that of `publish_events`.

create function posthorn.letter_pairs(name text) returns text[]
  language sql immutable parallel safe
  return array(
    select distinct substr(lower(name collate "C"), i, 2) from generate_series(1, char_length(name) - 1) as i);

-- The most similar name in the catalogue, by the pairs of letters that both have (Dice's coefficient), as Postgres has no
-- edit distance without an extension. Null for a type that is null.
create function posthorn.event_type_hint(given text) returns text
  language sql stable
as $$
  with known as materialized (
    select t.name from posthorn.event_types as t where t.archived_at is null order by t.name collate "C" limit 200
  ),
  compared as (
    select known.name, 2.0 * shared.count / nullif(cardinality(wanted.pairs) + cardinality(own.pairs), 0) as similarity
    from (select posthorn.letter_pairs(left(given, 100)) as pairs) as wanted
    cross join known
    cross join lateral (select posthorn.letter_pairs(known.name) as pairs) as own
    cross join lateral (
      select count(*) as count from unnest(own.pairs) as pair where pair = any (wanted.pairs)
    ) as shared
  )
  select case when given is not null then coalesce(
    (
      select format('Did you mean "%s"?', compared.name) from compared
      where compared.similarity >= 0.5 order by compared.similarity desc, compared.name collate "C" limit 1
    ),
    (
      select 'The event types are ' || string_agg(listed.name, ', ') || case when count(*) = 5 then ', …' else '.' end
      from (select known.name from known limit 5) as listed
    ),
    'The catalogue is empty: add the type with createEventType.'
  ) end
$$;

create or replace function posthorn.publish_events(organization text, events json)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
  given record;
  message text;
  more int;
begin
  if organization_id is null or not exists (select from posthorn.organizations as o where o.id = organization_id) then
    raise invalid_parameter_value using message = format(
      'organization: there is no organization %L. `posthorn organization list` shows their ids.',
      posthorn.excerpt(organization));
  end if;
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select count(*)::int as count,
    array_agg(format('events[%s]%s', i - 1, problem) order by i) filter (where problem is not null) as problems,
    array_agg(case when starts_with(problem, '.type:') then fields ->> 'type' end order by i)
      filter (where problem is not null) as unknown_types,
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
  -- Replace the keys of `publish_events` with the parameter names of this function.
  when invalid_parameter_value then
    raise invalid_parameter_value using message = regexp_replace(
      replace(replace(sqlerrm, 'events[0].', ''), 'idempotencyKey:', 'idempotency_key:'), '^events:', 'data:');
  when sqlstate 'PH409' then
    raise exception using errcode = 'PH409', detail = '[0]', message =
      replace(sqlerrm, 'events[0].idempotencyKey:', 'idempotency_key:');
end
$$;
