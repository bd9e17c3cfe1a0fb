-- Each partition is created in a transaction of its own: a transaction that holds locks on one table and waits for
-- another one deadlocks with a reader of both. Dropping the partitions of a day reads no partition from end to end, and
-- deletes the files of one table at a time, after the locks that publishers wait for.
--
-- A lock timeout below Postgres's `deadlock_timeout` of 1 s: a reader that locks the tables in another order is never
-- canceled because of the maintenance, and publishers wait behind it for no longer than this.

-- The partitions that these days lack.
create function posthorn.missing_partitions(first_day date, last_day date)
  returns table (parent_name text, day date)
  language sql stable
  begin atomic
    select parent, each_day::date from generate_series(first_day, last_day, interval '1 day') as each_day,
      unnest(array['events', 'event_keys', 'deliveries', 'attempts']) with ordinality as parents (parent, position)
    where not exists (
      select from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions')
        and relname = parent || '_' || to_char(each_day, 'YYYYMMDD')
    )
    order by each_day, position;
  end;

-- Creates the partition of a day, and moves the rows of that day into it. Returns whether it was missing. Runs with the
-- owner's privileges, because the service's role cannot change the schema.
create function posthorn.create_partition(parent text, day date) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  child constant text := parent || '_' || to_char(day, 'YYYYMMDD');
  columns constant text := posthorn.stored_columns(parent);
  low constant uuid := posthorn.uuid_v7_lower_bound(day::timestamp at time zone 'UTC');
  high constant uuid := posthorn.uuid_v7_lower_bound((day + 1)::timestamp at time zone 'UTC');
begin
  -- A process that waits for the lock finds the partition created.
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if not exists (select from posthorn.missing_partitions(day, day) where parent_name = parent) then
    return false;
  end if;
  execute format('create table posthorn_partitions.%I (like posthorn.%I including all)', child, parent);
  if parent = 'deliveries' then
    execute format('alter table posthorn_partitions.%I set (fillfactor = 50)', child);
  end if;
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

-- Called by processes of version 0.2.0. Returns how many partitions it created.
create or replace function posthorn.create_partitions(first_day date, last_day date) returns int
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where posthorn.create_partition(parent_name, day))::int
  from posthorn.missing_partitions(first_day, last_day);
$$;

create function posthorn.detached_partitions() returns setof text
  language sql stable
  begin atomic
    select relname::text from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions')
      and relkind = 'r' and relname ~ '_[0-9]{8}$' and not relispartition
    order by right(relname, 8), relname;
  end;

-- The pending deliveries of the days before the bound, and those of an event of these days. Served by the indexes on the
-- state and on the event. The index on the state lacks new deliveries (src/deliveries/backfill-index.ts), but has each one
-- that became pending again.
create function posthorn.indexed_pending_deliveries_before(bound uuid) returns table (id uuid, event_id uuid)
  language sql stable
  begin atomic
    select d.id, d.event_id from posthorn.organizations as o
    cross join lateral (
      select id, event_id from posthorn.deliveries
      where organization_id = o.id and indexed_state in ('queued', 'retrying', 'waiting') and id < bound
    ) as d
    union
    select d.id, d.event_id from posthorn.deliveries as d
    where d.id >= bound and d.event_id < bound and d.state = 'pending';
  end;

-- All of them. The index on the state is complete before the cursor.
create function posthorn.pending_deliveries_before(bound uuid) returns table (id uuid, event_id uuid)
  language sql stable
  begin atomic
    select id, event_id from posthorn.indexed_pending_deliveries_before(bound)
    union
    select d.id, d.event_id from posthorn.deliveries as d
    where d.id < bound and d.state = 'pending'
      and d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill');
  end;

-- Detaches the partitions before the day. Pending deliveries move to the default partitions, with their events and
-- attempts. Returns how many partitions it detached.
create function posthorn.detach_partitions_before(first_kept_day date) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  detached int := 0;
  bound constant uuid := posthorn.uuid_v7_lower_bound(first_kept_day::timestamp at time zone 'UTC');
  child text;
  parent text;
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if not exists (
    select name from posthorn.partitions_before(first_kept_day) except select posthorn.detached_partitions()
  ) then
    return 0;
  end if;
  create temporary table pending on commit drop as select id, event_id from posthorn.pending_deliveries_before(bound);
  -- In the order of a publisher.
  lock table only posthorn.events, only posthorn.event_keys, only posthorn.deliveries, only posthorn.attempts
    in access exclusive mode;
  -- Those that became pending again since the search.
  insert into pg_temp.pending
    select id, event_id from posthorn.indexed_pending_deliveries_before(bound)
    except select id, event_id from pg_temp.pending;
  analyze pg_temp.pending;
  for child, parent in
    select name, parent_name from posthorn.partitions_before(first_kept_day)
    where name not in (select posthorn.detached_partitions())
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

-- Drops one detached partition, and returns its name, or null if there is none. Only other maintenance uses the table,
-- and may have dropped it meanwhile. Its files are deleted after the commit.
create function posthorn.drop_detached_partition() returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  child constant text := (select posthorn.detached_partitions() limit 1);
begin
  if child is not null then
    execute format('drop table if exists posthorn_partitions.%I', child);
  end if;
  return child;
end
$$;

-- Called by processes of version 0.2.0. Returns how many partitions it dropped.
create or replace function posthorn.drop_partitions_before(first_kept_day date) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  dropped int := 0;
begin
  perform posthorn.detach_partitions_before(first_kept_day);
  while posthorn.drop_detached_partition() is not null loop
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$$;

revoke execute on function posthorn.missing_partitions(date, date), posthorn.create_partition(text, date),
  posthorn.detached_partitions(), posthorn.indexed_pending_deliveries_before(uuid),
  posthorn.pending_deliveries_before(uuid), posthorn.detach_partitions_before(date),
  posthorn.drop_detached_partition() from public;
