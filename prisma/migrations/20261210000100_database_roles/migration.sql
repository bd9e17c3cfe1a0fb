-- No code of a host application runs with the rights of Posthorn: the triggers of its tables read each column by the output
-- function of its type, no function is public, and each finds what it calls in the schemas that it names.

-- What a trigger of a table publishes, or null if its argument is not one that `publish_changes` gives.
create or replace function posthorn.published_changes(trigger_arguments bytea) returns json
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  changes json;
begin
  changes := convert_from(substring(trigger_arguments for octet_length(trigger_arguments) - 1), getdatabaseencoding());
  return case
    when changes ->> 'eventType' || '.' not like 'posthorn.%'
      and json_array_length(changes -> 'operations') > 0
      and array(select json_array_elements_text(changes -> 'operations')) <@ '{created,updated,deleted}'
      and changes ->> 'organization' is not null
      and json_array_length(changes -> 'key') > 0
      and json_array_length(changes -> 'columns') > 0
      and (changes ->> 'maxEvents')::int between 1 and 10000
    then changes end;
exception
  when others then
    return null;
end
$$;

-- A column as SQL that to_json takes. Types that are not of Postgres itself become texts by their output functions, which
-- only a superuser can create; a cast or an operator of a host would run with the rights of Posthorn.
create or replace function posthorn.column_sql(table_id oid, column_name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  first_own_type constant oid := 16384;
  kind record;
begin
  select t.oid, t.typtype, t.typbasetype, t.typcategory into kind
  from pg_attribute as a join pg_type as t on t.oid = a.atttypid
  where a.attrelid = table_id and a.attname = column_name::name;
  while kind.typtype = 'd' loop
    select t.oid, t.typtype, t.typbasetype, t.typcategory into kind from pg_type as t where t.oid = kind.typbasetype;
  end loop;
  return format(
    case
      when kind.oid < first_own_type then 'r.%1$I'
      when kind.typcategory = 'A' then
        -- In the list of a select, an item of a composite type is one column.
        'case when r.%1$I is distinct from null then array('
          'select case when item is distinct from null then concat(item) end from ('
          'select unnest(r.%1$I) as item, generate_series(1, cardinality(r.%1$I)) as i) as items order by i) end'
      else 'case when r.%1$I is distinct from null then concat(r.%1$I) end'
    end, column_name);
end
$$;

-- The rows of a transition table as SQL: the organization and the key that identify a row, and its data. Rows without an
-- organization are left out.
create or replace function posthorn.changed_rows_sql(table_id oid, changes json, rows_name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  organization_sql constant text := posthorn.column_sql(table_id, changes ->> 'organization');
  key_sql text;
  data_sql text;
begin
  select string_agg(posthorn.column_sql(table_id, name), ', ' order by i) into key_sql
  from json_array_elements_text(changes -> 'key') with ordinality as given (name, i);
  select string_agg(format('%s as %I', posthorn.column_sql(table_id, name), name), ', ' order by i) into data_sql
  from json_array_elements_text(changes -> 'columns') with ordinality as given (name, i);
  return format(
    'select (%s)::text collate "C" as organization, jsonb_build_array(%s) as key, '
      '(select row_to_json(listed.*) from (select %s) as listed)::text as data from %I as r where r.%I is distinct from null',
    organization_sql, key_sql, data_sql, rows_name, changes ->> 'organization');
end
$$;

-- The function of the triggers. It reads no table of the host, only the transition tables.
create or replace function posthorn.publish_row_changes() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
  -- What a value looks like as JSON does not depend on the session.
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'iso_8601' set bytea_output = 'hex'
  set extra_float_digits = 1 set lc_monetary = 'C' set xmlbinary = 'base64' set quote_all_identifiers = off
as $$
declare
  -- A trigger that somebody created by hand may lack the transition tables. Then `new_rows` could be a temporary view, whose
  -- functions would run here.
  changes constant json := (
    select posthorn.published_changes(t.tgargs) from pg_trigger as t
    where t.tgrelid = tg_relid and t.tgname = tg_name
      and (tg_op = 'INSERT' or t.tgoldtable = 'old_rows') and (tg_op = 'DELETE' or t.tgnewtable = 'new_rows'));
  event_type constant text := changes ->> 'eventType';
  operations constant text[] := array(select json_array_elements_text(changes -> 'operations'));
  max_events constant int := changes ->> 'maxEvents';
  published_table constant regclass := tg_relid;
  missing text[] := posthorn.missing_columns(tg_relid, changes);
  remedy constant text := format('Call posthorn.publish_changes(%L, …) again, or posthorn.stop_publishing_changes(%1$L).',
    published_table);
  rows_sql text;
  changed record;
  owners record;
begin
  if changes is null then
    raise object_not_in_prerequisite_state using message = format(
      'The trigger %s of the table %s is not one that posthorn.publish_changes creates. '
        'Drop it, and call posthorn.publish_changes(%L, …).', tg_name, published_table, published_table);
  end if;
  if cardinality(missing) > 0 then
    raise object_not_in_prerequisite_state using message = format(
      'The table %s publishes its changes and has no column %s any more. %s',
      published_table, array_to_string(missing, ', '), remedy);
  end if;

  rows_sql := case tg_op
    when 'INSERT' then format('select %L as operation, n.organization, n.key, n.data, null::text as previous from (%s) as n',
      'created', posthorn.changed_rows_sql(tg_relid, changes, 'new_rows'))
    when 'DELETE' then format('select %L as operation, o.organization, o.key, o.data, null::text as previous from (%s) as o',
      'deleted', posthorn.changed_rows_sql(tg_relid, changes, 'old_rows'))
    -- A row that gets another key or organization is deleted here and created there: the new organization must not see the
    -- data of the old one.
    else format(
      'select case when o.data is null then %L when n.data is null then %L else %L end as operation, '
        'coalesce(n.organization, o.organization) as organization, coalesce(n.key, o.key) as key, '
        'coalesce(n.data, o.data) as data, case when n.data is not null then o.data end as previous '
        'from (%s) as o full join (%s) as n on n.organization = o.organization and n.key = o.key '
        'where n.data is distinct from o.data',
      'created', 'deleted', 'updated', posthorn.changed_rows_sql(tg_relid, changes, 'old_rows'),
      posthorn.changed_rows_sql(tg_relid, changes, 'new_rows'))
  end;
  execute format(
    'select count(*)::int as count, array_agg(organization order by i) filter (where i <= $2) as organizations, '
      'array_agg($3 || operation order by i) filter (where i <= $2) as types, '
      'array_agg(data order by i) filter (where i <= $2) as data, '
      'array_agg(previous order by i) filter (where i <= $2) as previous, '
      'max(octet_length(data) + coalesce(octet_length(previous), 0)) as bytes '
      'from (select c.*, row_number() over (order by operation = %L, operation, key) as i '
      'from (%s) as c where operation = any ($1)) as numbered', 'created', rows_sql)
    into changed using operations, max_events, event_type || '.';
  if changed.count = 0 then
    return null;
  end if;

  if changed.count > max_events then
    raise exception using errcode = 'PH413', message = format(
      'The table %s would publish %s events for one statement, which is more than its limit of %s. '
        'Change fewer rows in a statement, or call posthorn.publish_changes(%L, …) again with a larger max_events.',
      published_table, changed.count, max_events, published_table);
  end if;
  if changed.bytes > 262144 then
    raise exception using errcode = 'PH413', message = format(
      'A row of the table %s has %s bytes of data and previous data as JSON. An event may have 256 KiB (262,144 bytes). '
        'Call posthorn.publish_changes(%L, …) again without the large columns.',
      published_table, changed.bytes, published_table);
  end if;
  missing := posthorn.missing_change_types(event_type, operations);
  if cardinality(missing) > 0 and missing && changed.types then
    raise object_not_in_prerequisite_state using message = format(
      'The table %s publishes its changes, and %s is not in the catalogue of event types. %s',
      published_table, array_to_string(missing, ', '), remedy);
  end if;

  select array_agg(o.id order by given.i) as ids, min(given.organization) filter (where o.id is null) as unknown
  into owners
  from unnest(changed.organizations) with ordinality as given (organization, i)
  left join (
    select organization, case
      when organization ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then organization::uuid
      else posthorn.parse_type_id('org', organization) end as id
    from (select distinct unnest(changed.organizations) as organization) as named
  ) as parsed on parsed.organization = given.organization
  left join posthorn.organizations as o on o.id = parsed.id;
  if owners.unknown is not null then
    raise invalid_parameter_value using message = format(
      'A row of the table %s has %L in its column %s, and there is no such organization. '
        'Give the id of an organization, or null for a row that publishes nothing.',
      published_table, posthorn.excerpt(owners.unknown), changes ->> 'organization');
  end if;

  perform from posthorn.insert_events(
    owners.ids, changed.types, array_fill(null::bigint, array[changed.count]), changed.data,
    array_fill(now(), array[changed.count]), array_fill(null::text, array[changed.count]),
    array_fill(null::text, array[changed.count]), null, changed.previous);
  return null;
end
$$;

-- Other functions are bound to what they call when they are created (`begin atomic`).
do $$
declare
  routine regprocedure;
begin
  for routine in
    select p.oid from pg_proc as p
    where p.pronamespace = 'posthorn'::regnamespace and p.prosqlbody is null
      and not exists (select from unnest(p.proconfig) as setting where setting like 'search\_path=%')
  loop
    execute format('alter function %s set search_path = pg_catalog, pg_temp', routine);
  end loop;
end
$$;

revoke execute on all functions in schema posthorn from public;
