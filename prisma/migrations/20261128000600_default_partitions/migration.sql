-- After days without maintenance, the default partitions have rows, and events arrive there. A partition is created
-- beside them, however many rows they have, and retention deletes these when their time has come. Each table is
-- maintained by itself, so that a lock on one of them stops no other.

-- Serves: the deletion of the search keys past retention. The primary key begins with other columns.
create index event_keys_default_event_id on posthorn_partitions.event_keys_default (event_id);

-- The partitions that these days lack. What only has the name of one is none.
create or replace function posthorn.missing_partitions(first_day date, last_day date)
  returns table (parent_name text, day date)
  language sql stable
  begin atomic
    select parent, each_day.day from generate_series(0, last_day - first_day) as n,
      lateral (select first_day + n as day) as each_day,
      unnest(array['events', 'event_keys', 'deliveries', 'attempts']) with ordinality as parents (parent, position)
    where not exists (
      select from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions') and relispartition
        and relname = parent || '_' || to_char(each_day.day, 'YYYYMMDD')
    )
    order by each_day.day, position;
  end;

-- Creates the partition of a day. Returns whether it was missing. Runs with the owner's privileges, because the service's
-- role cannot change the schema.
--
-- A partition of today, or of a tomorrow that is close, begins in five minutes. Earlier rows stay in the default
-- partition, so none has to move while others wait, and what is inserted meanwhile still belongs there: Postgres rejects
-- the row of a statement that began before the partition was attached and belongs to it.
create or replace function posthorn.create_partition(parent text, day date) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  child constant text := parent || '_' || to_char(day, 'YYYYMMDD');
  columns constant text := posthorn.stored_columns(parent);
  starts_at constant timestamptz := day::timestamp at time zone 'UTC';
  ends_at constant timestamptz := (day + 1)::timestamp at time zone 'UTC';
  low constant uuid := posthorn.uuid_v7_lower_bound(
    case when ends_at > clock_timestamp() then greatest(starts_at, clock_timestamp() + interval '5 minutes')
      else starts_at end);
  high constant uuid := posthorn.uuid_v7_lower_bound(ends_at);
begin
  -- A process that waits for the lock finds the partition created.
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if low >= high or not exists (select from posthorn.missing_partitions(day, day) where parent_name = parent) then
    return false;
  end if;
  execute format('create table posthorn_partitions.%I (like posthorn.%I including all)', child, parent);
  if parent = 'deliveries' then
    execute format('alter table posthorn_partitions.%I set (fillfactor = 50)', child);
  end if;
  execute format('lock table only posthorn_partitions.%I in access exclusive mode', parent || '_default');
  -- Those of past days, and those that were stored while the clock was wrong.
  execute format(
    'with moved as (delete from posthorn_partitions.%1$I where %2$I >= %3$L and %2$I < %4$L returning *)
     insert into posthorn_partitions.%5$I (%6$s) select %6$s from moved',
    parent || '_default', posthorn.partition_column(parent), low, high, child, columns);
  execute format(
    'alter table posthorn.%I attach partition posthorn_partitions.%I for values from (%L) to (%L)',
    parent, child, low, high);
  return true;
end
$$;

-- Prepares the default partition of a table for the partitions of these days, in order, and returns the first day that may
-- get one. Attaching a partition reads the default partition under a lock, unless a constraint proves that it has no row
-- of the new one. A large default partition gets that constraint for as long as the creation lasts. If every worker
-- stopped in the middle and none came back, rows after the bound would be rejected, so the bound is at least a day away.
create function posthorn.bound_default_partition(parent text, missing_days date[]) returns date
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  child constant text := parent || '_default';
  first_day constant date := greatest((now() at time zone 'UTC')::date + 2, missing_days[1]);
  bound constant uuid := posthorn.uuid_v7_lower_bound(first_day::timestamp at time zone 'UTC');
  has_later_rows boolean;
begin
  perform posthorn.unbound_default_partition(parent);
  if pg_relation_size('posthorn_partitions.' || quote_ident(child)) < 16 * 1024 * 1024 then
    return missing_days[1];
  end if;
  if first_day > all (missing_days) then
    return first_day;
  end if;
  -- They were stored while the clock was wrong, and move to the new partition.
  execute format('select %1$I >= $1 from posthorn_partitions.%2$I order by %1$I desc limit 1',
    posthorn.partition_column(parent), child)
  into has_later_rows using bound;
  if has_later_rows then
    return missing_days[1];
  end if;
  execute format('alter table posthorn_partitions.%I add constraint before_new_partitions check (%I < %L) not valid',
    child, posthorn.partition_column(parent), bound);
  return first_day;
end
$$;

-- Reads the default partition beside all others. Does nothing without the constraint.
create function posthorn.validate_default_partition(parent text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
begin
  if posthorn.has_bound(parent) then
    execute format('alter table posthorn_partitions.%I validate constraint before_new_partitions', parent || '_default');
  end if;
end
$$;

create function posthorn.unbound_default_partition(parent text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
begin
  if posthorn.has_bound(parent) then
    execute format('alter table posthorn_partitions.%I drop constraint before_new_partitions', parent || '_default');
  end if;
end
$$;

create function posthorn.has_bound(parent text) returns boolean
  language sql stable
  return exists (
    select from pg_constraint
    where conname = 'before_new_partitions'
      and conrelid = to_regclass('posthorn_partitions.' || quote_ident(parent || '_default')));

-- Detaches the partitions of a table before the day. What pending deliveries need moves to the default partition. Returns
-- how many partitions it detached.
create function posthorn.detach_partitions_before(parent text, first_kept_day date) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  bound constant uuid := posthorn.uuid_v7_lower_bound(first_kept_day::timestamp at time zone 'UTC');
  detached int := 0;
  child text;
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if not exists (
    select name from posthorn.partitions_before(first_kept_day) where parent_name = parent
    except select posthorn.detached_partitions()
  ) then
    return 0;
  end if;
  create temporary table pending on commit drop as select id, event_id from posthorn.pending_deliveries_before(bound);
  execute format('lock table only posthorn.%I in access exclusive mode', parent);
  if parent = 'events' then
    -- A finished delivery of a later day may become pending again, and needs its event.
    lock table only posthorn.deliveries in share mode;
  end if;
  -- Those that became pending again since the search.
  insert into pg_temp.pending
    select id, event_id from posthorn.indexed_pending_deliveries_before(bound)
    except select id, event_id from pg_temp.pending;
  analyze pg_temp.pending;
  for child in
    select name from posthorn.partitions_before(first_kept_day)
    where parent_name = parent and name not in (select posthorn.detached_partitions())
  loop
    execute format('alter table posthorn.%I detach partition posthorn_partitions.%I', parent, child);
    execute format(
      'insert into posthorn.%1$I (%2$s) select %2$s from posthorn_partitions.%3$I as old where %4$s',
      parent, posthorn.stored_columns(parent), child,
      case parent
        when 'events' then 'old.id in (select event_id from pg_temp.pending)'
        when 'event_keys' then 'old.event_id in (select event_id from pg_temp.pending)'
        when 'deliveries' then 'old.id in (select id from pg_temp.pending)'
        else 'old.delivery_id in (select id from pg_temp.pending)'
      end);
    detached := detached + 1;
  end loop;
  drop table pg_temp.pending;
  return detached;
end
$$;

-- Called by earlier versions. Returns how many partitions it detached.
create or replace function posthorn.detach_partitions_before(first_kept_day date) returns int
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select sum(posthorn.detach_partitions_before(parent, first_kept_day))::int
  from unnest(array['deliveries', 'attempts', 'events', 'event_keys']) as parent;
$$;

-- Drops a detached partition. Returns whether it was there. Its files are deleted after the commit. A dump of the database
-- may hold a lock on it for hours.
create function posthorn.drop_detached_partition(child text) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
begin
  if child not in (select posthorn.detached_partitions()) then
    return false;
  end if;
  execute format('drop table if exists posthorn_partitions.%I', child);
  return true;
end
$$;

-- SQL: whether no pending delivery needs the row `old` of a default partition. `offset 0` prevents the planner from
-- reading all deliveries or events instead of looking up these by their indexes.
create function posthorn.deletable_condition(parent text) returns text
  language sql immutable
  return case parent
    when 'events' then
      'not exists (select from posthorn.deliveries as d where d.event_id = old.id and d.state = ''pending'' offset 0)'
    when 'event_keys' then 'not exists (select from posthorn.events as e where e.id = old.event_id offset 0)'
    when 'deliveries' then 'old.state <> ''pending'''
    else 'not exists (select from posthorn.deliveries as d where d.id = old.delivery_id and d.state = ''pending'' offset 0)'
  end;

-- Deletes rows of the days before the bound from the default partition of a table, except what pending deliveries need.
-- Reads at most `max_rows` rows, those after an id. Returns the last id that it read, or null if there are no more.
create function posthorn.delete_default_rows_before(
  parent text, first_kept_day date, after uuid, max_rows int, out deleted int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  page uuid[];
begin
  execute format(
    'select array(select %1$I from posthorn_partitions.%2$I where %1$I > $1 and %1$I < $2 order by %1$I limit $3)',
    posthorn.partition_column(parent), parent || '_default')
  into page
  using after, posthorn.uuid_v7_lower_bound(first_kept_day::timestamp at time zone 'UTC'), max_rows;
  execute format(
    'delete from posthorn_partitions.%I as old where %I = any ($1) and %s',
    parent || '_default', posthorn.partition_column(parent), posthorn.deletable_condition(parent))
  using page;
  get diagnostics deleted = row_count;
  reached := page[max_rows];
end
$$;

-- The default partitions with rows that retention should have deleted, among the last 1,000 before the bound: those before
-- are older, and are more likely to be of pending deliveries.
create function posthorn.default_partitions_before(first_kept_day date) returns setof text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  parent text;
  is_past boolean;
begin
  foreach parent in array array['events', 'event_keys', 'deliveries', 'attempts'] loop
    execute format(
      'select exists (
         select from (
           select * from posthorn_partitions.%1$I where %2$I < $1 order by %2$I desc limit 1000
         ) as old where %3$s
       )',
      parent || '_default', posthorn.partition_column(parent), posthorn.deletable_condition(parent))
    into is_past using posthorn.uuid_v7_lower_bound(first_kept_day::timestamp at time zone 'UTC');
    if is_past then
      return next parent || '_default';
    end if;
  end loop;
end
$$;

revoke execute on function posthorn.bound_default_partition(text, date[]),
  posthorn.validate_default_partition(text), posthorn.unbound_default_partition(text), posthorn.has_bound(text),
  posthorn.detach_partitions_before(text, date), posthorn.drop_detached_partition(text),
  posthorn.deletable_condition(text), posthorn.delete_default_rows_before(text, date, uuid, int),
  posthorn.default_partitions_before(date) from public;
