-- Search keys: paths in the data of an event type, such as $.order.id. Publishing stores the values at these paths in
-- `event_keys`, so that events and deliveries are found by them.

create type posthorn.search_key as (
  path text,
  -- The names and the array indexes of the path, such as {order,id}.
  steps text[]
);

-- The names and the array indexes of a path. src/event-types/search-key.ts has checked the path.
create function posthorn.search_key_steps(path text) returns text[]
  language sql immutable parallel safe
  return array(
    select coalesce(step[1], step[2], step[3])
    from regexp_matches(path, '\.([^.[]+)|\[(\d+)\]|\[''([^'']+)''\]', 'g') as step);

-- The values of the data at the keys, in their order: a string without its quotes, a number as it is written, or a
-- boolean. Null for an object, an array, null, a missing value, and more than 200 characters. Returns no values if
-- Postgres cannot read the data because of \u0000, a lone surrogate or very deep nesting.
create function posthorn.search_values(data text, keys posthorn.search_key[]) returns text[]
  language plpgsql immutable
as $$
declare
  document json;
  key posthorn.search_key;
  found json;
  value text;
  found_values text[] := '{}';
begin
  document := data;
  foreach key in array keys loop
    found := document #> key.steps;
    value := case when json_typeof(found) in ('string', 'number', 'boolean') then found #>> '{}' end;
    found_values := found_values || case when char_length(value) <= 200 then value end;
  end loop;
  return found_values;
exception
  when untranslatable_character or invalid_text_representation or statement_too_complex then
    return '{}';
end
$$;

-- Stores the values of events at the search keys of their types. The arrays are those of `insert_events`.
create function posthorn.insert_event_keys(
  event_ids uuid[], organization_ids uuid[], types text[], data text[], duplicates boolean[]
) returns void
  language sql
as $$
  with keyed as materialized (
    select name as type,
      array(select row(path, posthorn.search_key_steps(path))::posthorn.search_key from unnest(search_keys) as path) as keys
    from posthorn.event_types where name = any (types) and search_keys <> '{}'
  )
  insert into posthorn.event_keys (organization_id, path, value, event_id)
  select given.organization_id, key.path, given.found[key.i], given.id
  from (
    select given.id, given.organization_id, keyed.keys, posthorn.search_values(given.data, keyed.keys) as found
    from unnest(event_ids, organization_ids, types, data, duplicates)
      as given (id, organization_id, type, data, duplicate)
    join keyed on keyed.type = given.type
    where not given.duplicate
    offset 0
  ) as given
  cross join lateral unnest(given.keys) with ordinality as key (path, steps, i)
  where given.found[key.i] is not null
$$;
