-- A table of a host application publishes its changes: `publish_changes` puts triggers on it, which publish once for a
-- statement, in its transaction. docs/changed-fields.md describes it.

-- The event types of these changes that are not in the catalogue. Reads it for a role that may not.
create function posthorn.missing_change_types(event_type text, operations text[]) returns text[]
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select event_type || '.' || operation from unnest(operations) with ordinality as given (operation, i)
    where not exists (
      select from posthorn.event_types as t
      where t.name = event_type || '.' || operation and t.archived_at is null
    )
    order by i);
end
$$;

-- What a trigger of a table publishes, or null if its argument is not of `publish_changes`.
create function posthorn.published_changes(trigger_arguments bytea) returns json
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return convert_from(substring(trigger_arguments for octet_length(trigger_arguments) - 1), getdatabaseencoding());
exception
  when others then
    return null;
end
$$;

-- The columns that a table publishes or reads, and no longer has.
create function posthorn.missing_columns(table_id oid, changes json) returns text[]
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select given.name
    from (
      select changes ->> 'organization' as name
      union select json_array_elements_text(changes -> 'key')
      union select json_array_elements_text(changes -> 'columns')
    ) as given
    where not exists (
      select from pg_attribute as a
      where a.attrelid = table_id and a.attname = given.name::name and a.attnum > 0 and not a.attisdropped
    )
    order by given.name);
end
$$;

-- A column as SQL that to_json takes. Types that are not of Postgres itself become texts by their output functions: a cast
-- to json, which anybody can create for a type, would run with the rights of Posthorn.
create function posthorn.column_sql(table_id oid, column_name text) returns text
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
        'case when r.%1$I is distinct from null then array('
          'select case when item is distinct from null then concat(item) end '
          'from unnest(r.%1$I) with ordinality as items (item, i) order by i) end'
      else 'case when r.%1$I is distinct from null then concat(r.%1$I) end'
    end, column_name);
end
$$;

-- The rows of a transition table as SQL: the organization and the key that identify a row, and its data. Rows without an
-- organization are left out.
create function posthorn.changed_rows_sql(table_id oid, changes json, rows_name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  key_sql text;
  data_sql text;
begin
  select string_agg(posthorn.column_sql(table_id, name), ', ' order by i) into key_sql
  from json_array_elements_text(changes -> 'key') with ordinality as given (name, i);
  select string_agg(format('%s as %I', posthorn.column_sql(table_id, name), name), ', ' order by i) into data_sql
  from json_array_elements_text(changes -> 'columns') with ordinality as given (name, i);
  return format(
    'select r.%I::text as organization, jsonb_build_array(%s) as key, '
      '(select row_to_json(listed) from (select %s) as listed)::text as data from %I as r where r.%1$I is not null',
    changes ->> 'organization', key_sql, data_sql, rows_name);
end
$$;

-- The function of the triggers. It reads no table of the host, only the transition tables.
create function posthorn.publish_row_changes() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set standard_conforming_strings = on
  -- What a value looks like as JSON does not depend on the session.
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'iso_8601' set bytea_output = 'hex'
  set extra_float_digits = 1 set lc_monetary = 'C' set xmlbinary = 'base64' set quote_all_identifiers = off
as $$
declare
  changes constant json := tg_argv[0];
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

-- Checks the arguments of `publish_changes`, and returns the argument of the triggers.
create function posthorn.check_changes(
  table_name regclass, organization_column name, columns name[], event_type text, key_columns name[], operations text[],
  max_events int
) returns json
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  known constant text[] := '{created,updated,deleted}';
  relation pg_class;
  key name[] := key_columns;
  changes json;
  found_name text;
  missing text[];
begin
  select c.* into relation from pg_class as c where c.oid = table_name;
  if relation.oid is null or relation.relkind not in ('r', 'p') then
    raise invalid_parameter_value using message = 'table_name: give a table, not a view, a foreign table or null.';
  end if;
  select n.nspname into found_name from pg_namespace as n
  where n.oid = relation.relnamespace and n.nspname in ('posthorn', 'posthorn_partitions', 'pg_catalog');
  if found then
    raise invalid_parameter_value using message = format(
      'table_name: %s is a table of %s. Give a table of your application.', table_name, found_name);
  end if;
  select p.relid::regclass::text into found_name
  from pg_partition_tree(table_name) as p join pg_class as c on c.oid = p.relid where c.relkind not in ('r', 'p') limit 1;
  if found then
    raise invalid_parameter_value using message = format(
      'table_name: the partition %s is a foreign table, which can have no such triggers. Detach it.', found_name);
  end if;
  if coalesce(cardinality(columns), 0) = 0 or array_position(columns, null) is not null then
    raise invalid_parameter_value using message = 'columns: give one or more names of columns, such as {id,status}.';
  end if;
  if cardinality(columns) <> (select count(distinct name) from unnest(columns) as name) then
    raise invalid_parameter_value using message = 'columns: a name stands twice. Give each column once.';
  end if;
  if coalesce(cardinality(operations), 0) = 0 or not operations <@ known then
    raise invalid_parameter_value using message = 'operations: give one or more of created, updated and deleted.';
  end if;
  if max_events is null or max_events not between 1 and 10000 then
    raise invalid_parameter_value using message = 'max_events: give a number from 1 to 10000.';
  end if;
  if organization_column is null then
    raise invalid_parameter_value using message =
      'organization_column: give the column with the organization of each row.';
  end if;

  if key is null then
    select array_agg(a.attname order by k.i) into key
    from pg_index as x, unnest(x.indkey[:x.indnkeyatts - 1]) with ordinality as k (attnum, i)
    join pg_attribute as a on a.attrelid = table_name and a.attnum = k.attnum
    where x.indrelid = table_name and x.indisprimary and x.indimmediate;
    if key is null then
      raise invalid_parameter_value using message = format(
        'key_columns: %s has no primary key, or a deferrable one. Give the columns of a unique index that are not null.',
        table_name);
    end if;
  end if;

  changes := json_build_object('eventType', event_type, 'operations',
    array(select operation from unnest(known) as operation where operation = any (operations)),
    'organization', organization_column, 'key', key, 'columns', columns, 'maxEvents', max_events);
  missing := posthorn.missing_columns(table_name, changes);
  if cardinality(missing) > 0 then
    raise invalid_parameter_value using message = format('%s: %s has no column %s.',
      case when missing && columns::text[] then 'columns' when missing && key::text[] then 'key_columns'
        else 'organization_column' end,
      table_name, array_to_string(missing, ', '));
  end if;
  -- 'v': virtual, whose values transition tables do not have.
  select a.attname into found_name from pg_attribute as a
  where a.attrelid = table_name and a.attgenerated = 'v' and a.attname = any (columns || key || organization_column) limit 1;
  if found then
    raise invalid_parameter_value using message = format(
      'columns: %s is a virtual generated column, whose value triggers do not see. Make it stored, or leave it out.',
      found_name);
  end if;
  if key_columns is not null and (cardinality(key) = 0 or not exists (
    select from pg_index as x
    where x.indrelid = table_name and x.indisunique and x.indimmediate and x.indisvalid and x.indpred is null
      and x.indexprs is null
      and array(
        select a.attname::text from unnest(x.indkey[:x.indnkeyatts - 1]) as k (attnum)
        join pg_attribute as a on a.attrelid = table_name and a.attnum = k.attnum
        where a.attnotnull order by 1
      ) = array(select distinct name::text from unnest(key) as name order by 1)
      and x.indnkeyatts = cardinality(key)
  )) then
    raise invalid_parameter_value using message = format(
      'key_columns: %s has no unique index of these columns, all not null. Give the columns of one that has, or create it.',
      table_name);
  end if;
  with recursive kind as (
    select t.oid, t.typbasetype from pg_attribute as a join pg_type as t on t.oid = a.atttypid
    where a.attrelid = table_name and a.attname = organization_column
    union all
    select t.oid, t.typbasetype from kind join pg_type as t on t.oid = kind.typbasetype
  )
  select format_type(kind.oid, null) into found_name from kind
  where kind.typbasetype = 0 and kind.oid not in ('text'::regtype, 'varchar'::regtype, 'uuid'::regtype);
  if found then
    raise invalid_parameter_value using message = format(
      'organization_column: %s is of type %s. Give a column of type text or uuid with ids of organizations.',
      organization_column, found_name);
  end if;
  if event_type is null or event_type || '.' like 'posthorn.%' then
    raise invalid_parameter_value using message =
      'event_type: give the beginning of names of event types, such as order for order.created. It must not be posthorn.';
  end if;
  missing := posthorn.missing_change_types(event_type, operations);
  if cardinality(missing) > 0 then
    raise invalid_parameter_value using message = format(
      'event_type: %s is not in the catalogue of event types. Create it, or leave it out of operations.',
      array_to_string(missing, ', '));
  end if;
  return changes;
end
$$;

-- Whether the table published its changes. It does not after this call, nor do its partitions.
create function posthorn.stop_publishing_changes(table_name regclass) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  installed record;
  was_publishing boolean := false;
begin
  for installed in
    select t.tgname, t.tgrelid::regclass as relation from pg_trigger as t
    where t.tgfoid = 'posthorn.publish_row_changes'::regproc and not t.tgisinternal
      and (t.tgrelid = table_name or t.tgrelid in (select relid from pg_partition_tree(table_name)))
    order by t.tgrelid, t.tgname
  loop
    execute format('drop trigger %I on %s', installed.tgname, installed.relation);
    was_publishing := true;
  end loop;
  return was_publishing;
end
$$;

-- Lets a table publish its changes: <event_type>.created, .updated and .deleted, or those of `operations`. `data` has the
-- listed columns, and for an update `previous` has them as they were. The triggers are created with the rights of the
-- caller. A second call replaces the first.
create function posthorn.publish_changes(
  table_name regclass,
  -- Of type text (org_…) or uuid. A row without an organization publishes nothing.
  organization_column name,
  columns name[],
  event_type text,
  -- What identifies a row. Default: the primary key.
  key_columns name[] default null,
  operations text[] default '{created,updated,deleted}',
  -- A statement that would publish more fails.
  max_events int default 1000
) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  changes constant text := posthorn.check_changes(
    table_name, organization_column, columns, event_type, key_columns, operations, max_events);
  relation regclass;
begin
  perform posthorn.stop_publishing_changes(table_name);
  -- A statement on a partition fires the triggers of the partition only, and one on its parent those of the parent only.
  for relation in
    select table_name union select p.relid from pg_partition_tree(table_name) as p order by 1
  loop
    if operations && '{created}' then
      execute format('create trigger posthorn_changes_insert after insert on %s referencing new table as new_rows '
        'for each statement execute function posthorn.publish_row_changes(%L)', relation, changes);
    end if;
    -- Also without `updated`: an update that gives a row another key or organization creates and deletes.
    execute format('create trigger posthorn_changes_update after update on %s referencing old table as old_rows '
      'new table as new_rows for each statement execute function posthorn.publish_row_changes(%L)', relation, changes);
    if operations && '{deleted}' then
      execute format('create trigger posthorn_changes_delete after delete on %s referencing old table as old_rows '
        'for each statement execute function posthorn.publish_row_changes(%L)', relation, changes);
    end if;
  end loop;
end
$$;

-- Why a table with triggers does not publish all changes, or null.
create function posthorn.publishing_problem(table_id oid, changes json, is_enabled boolean) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  missing text[];
  partition text;
begin
  if changes is null then
    return 'The argument of a trigger is not of posthorn.publish_changes.';
  elsif not is_enabled then
    return 'A trigger is disabled.';
  end if;
  missing := posthorn.missing_columns(table_id, changes);
  if cardinality(missing) > 0 then
    return format('The table has no column %s any more, so its writes fail.', array_to_string(missing, ', '));
  end if;
  missing := posthorn.missing_change_types(changes ->> 'eventType',
    array(select json_array_elements_text(changes -> 'operations')));
  if cardinality(missing) > 0 then
    return format('%s is not in the catalogue of event types, so writes fail.', array_to_string(missing, ', '));
  end if;
  select p.relid::regclass::text into partition from pg_partition_tree(table_id::regclass) as p
  where p.relid <> table_id and not exists (
    select from pg_trigger as t where t.tgrelid = p.relid and t.tgfoid = 'posthorn.publish_row_changes'::regproc
  )
  order by 1 limit 1;
  if found then
    return format('The partition %s publishes nothing for statements on itself.', partition);
  end if;
  return null;
end
$$;

-- The tables that publish their changes, for review.
create view posthorn.published_tables as
  select installed.table_id::regclass as table_name,
    (select i.inhparent::regclass from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
      where i.inhrelid = installed.table_id and c.relispartition) as partition_of,
    installed.changes ->> 'eventType' as event_type,
    array(select json_array_elements_text(installed.changes -> 'operations')) as operations,
    installed.changes ->> 'organization' as organization_column,
    array(select json_array_elements_text(installed.changes -> 'columns')) as columns,
    array(select json_array_elements_text(installed.changes -> 'key')) as key_columns,
    (installed.changes ->> 'maxEvents')::int as max_events,
    posthorn.publishing_problem(installed.table_id, installed.changes, installed.is_enabled) as problem
  from (
    select t.tgrelid as table_id, posthorn.published_changes(decode(min(encode(t.tgargs, 'hex')), 'hex')) as changes,
      bool_and(t.tgenabled <> 'D') as is_enabled
    from pg_trigger as t
    where t.tgfoid = 'posthorn.publish_row_changes'::regproc and not t.tgisinternal
    group by t.tgrelid
  ) as installed
  order by 1;

revoke execute on function posthorn.missing_change_types(text, text[]), posthorn.published_changes(bytea),
  posthorn.missing_columns(oid, json), posthorn.column_sql(oid, text), posthorn.changed_rows_sql(oid, json, text),
  posthorn.publish_row_changes(), posthorn.stop_publishing_changes(regclass),
  posthorn.check_changes(regclass, name, name[], text, name[], text[], int),
  posthorn.publish_changes(regclass, name, name[], text, name[], text[], int),
  posthorn.publishing_problem(oid, json, boolean)
from public;
