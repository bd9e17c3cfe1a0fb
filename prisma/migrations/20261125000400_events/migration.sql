-- Events with their search keys, deliveries and attempts, partitioned by day. Ids include their time, so a lookup by id
-- reads one partition, and retention drops whole partitions. The tables have no foreign keys to each other, because
-- dropping a partition would check them row by row.

create table posthorn.events (
  id uuid primary key,
  organization_id uuid not null,
  type text not null,
  occurred_at timestamptz not null,
  -- JSON, character for character as published.
  data text not null,
  -- The trace context of the publisher, for the deliveries.
  trace_parent text,
  trace_state text,
  is_test boolean not null default false
) partition by range (id);
-- Serve: the events of an organization, all and by type, newest first.
create index events_organization_id_id on posthorn.events (organization_id, id);
create index events_organization_id_type_id on posthorn.events (organization_id, type, id);

-- The values of events at the search keys of their types, in the day of the event. The order of the key serves: the
-- events of an organization with a value at a path, newest first.
create table posthorn.event_keys (
  organization_id uuid not null,
  path text collate "C" not null,
  value text collate "C" not null,
  event_id uuid not null,
  primary key (organization_id, path, value, event_id)
) partition by range (event_id);

create type posthorn.delivery_state as enum ('pending', 'succeeded', 'exhausted', 'canceled');
-- The states that people see, without `succeeded`. A pending delivery is queued, retrying or waiting.
create type posthorn.indexed_delivery_state as enum ('queued', 'retrying', 'waiting', 'exhausted', 'canceled');

create table posthorn.deliveries (
  id uuid primary key,
  organization_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  state posthorn.delivery_state not null default 'pending',
  attempt_count int not null default 0,
  -- How many attempts of the retry schedule have run. Probes count in attempt_count only.
  schedule_position int not null default 0,
  -- The number of attempts if all fail.
  max_attempts int not null,
  next_attempt_at timestamptz,
  finished_at timestamptz,
  -- A parked delivery waits for its webhook and has no job.
  parked_at timestamptz,
  parked_reason text,
  -- The time that the rate limit of its webhook reserved for it.
  reserved_for timestamptz,
  -- Whether it leaves the backlog before other deliveries, because a person requested it.
  has_priority boolean not null default false,
  -- Whether a person requested a redelivery during an attempt.
  redelivery_requested boolean not null default false,
  -- When Posthorn last wrote its job. An operator made any later change of the job.
  job_written_at timestamptz not null default now(),
  -- The error of the last attempt, such as `HTTP 503 from https://hooks.example.com`, or the reason of the cancellation.
  last_error text,
  -- The first digit of the last attempt's status; 0 if there was no response.
  last_status_class smallint,
  is_test boolean not null default false,
  -- State and status class change with every attempt, and if an indexed column changes, an update writes to all indexes.
  -- So the indexed columns are null for most deliveries: those that succeed, and new ones. `is_backfilled` adds a new
  -- delivery without an attempt to the index after a minute (src/deliveries/backfill-index.ts).
  is_backfilled boolean not null default false,
  indexed_state posthorn.indexed_delivery_state generated always as (
    case
      when state = 'exhausted' then 'exhausted'::posthorn.indexed_delivery_state
      when state = 'canceled' then 'canceled'
      when state = 'succeeded' then null
      when parked_at is not null then 'waiting'
      when attempt_count > 0 then 'retrying'
      when is_backfilled then 'queued'
    end
  ) stored,
  indexed_status_class smallint generated always as (case when state <> 'succeeded' then last_status_class end) stored,
  canceled_at timestamptz generated always as (case when state = 'canceled' then finished_at end) stored,
  constraint finished_or_finished_at_null check ((state = 'pending') = (finished_at is null)),
  constraint next_attempt_only_while_pending check (next_attempt_at is null or state = 'pending'),
  constraint parked_only_while_pending check (parked_at is null or state = 'pending'),
  constraint parked_means_reason_given check ((parked_at is null) = (parked_reason is null)),
  constraint parked_reason_is_known check (
    parked_reason in ('disabled', 'on_hold', 'concurrency_limit', 'rate_limit', 'ordered')),
  constraint last_status_class_is_known check (last_status_class in (0, 2, 3, 4, 5))
) partition by range (id);
-- Serve: the deliveries of an organization or a webhook, newest first, by state, status class or event type.
create index deliveries_organization_id_id on posthorn.deliveries (organization_id, id);
create index deliveries_organization_id_indexed_state_id on posthorn.deliveries (organization_id, indexed_state, id);
create index deliveries_organization_id_indexed_status_class_id
  on posthorn.deliveries (organization_id, indexed_status_class, id) where indexed_status_class is not null;
create index deliveries_organization_id_event_type_id on posthorn.deliveries (organization_id, event_type, id);
create index deliveries_webhook_id_id on posthorn.deliveries (webhook_id, id);
create index deliveries_webhook_id_indexed_state_id on posthorn.deliveries (webhook_id, indexed_state, id);
create index deliveries_webhook_id_indexed_status_class_id
  on posthorn.deliveries (webhook_id, indexed_status_class, id) where indexed_status_class is not null;
create index deliveries_webhook_id_event_type_id on posthorn.deliveries (webhook_id, event_type, id);
-- Serves: the cancellations that a subscriber missed.
create index deliveries_organization_id_canceled_at on posthorn.deliveries (organization_id, canceled_at)
  where canceled_at is not null;
-- Serves: the deliveries of an event.
create index deliveries_event_id on posthorn.deliveries (event_id);
-- Serves: the backlog of a webhook, in the order of release.
create index deliveries_parked on posthorn.deliveries (webhook_id, has_priority desc, event_id)
  where parked_at is not null;

create table posthorn.attempts (
  id uuid primary key,
  delivery_id uuid not null,
  organization_id uuid not null,
  webhook_id uuid not null,
  number int not null,
  started_at timestamptz not null,
  succeeded boolean not null,
  -- The wait for a free connection before the attempt, which duration_ms does not include.
  waited_ms int not null default 0,
  duration_ms int not null,
  -- The phases of opening the connection. Null on a reused connection, and for phases that did not begin.
  lookup_ms int,
  connect_ms int,
  tls_ms int,
  first_byte_ms int,
  -- Whether the request was sent twice because the reused connection was already closed.
  resent boolean not null default false,
  status int,
  error_code text,
  error text,
  request_url text not null,
  request_signature text,
  request_header_names text[],
  request_header_prefix text,
  request_user_agent text,
  -- Null: that of the event.
  request_trace_parent text,
  response_headers jsonb,
  response_body bytea,
  response_body_truncated boolean not null default false,
  -- The first digit of the status; 0 if there was no response.
  status_class smallint generated always as (
    case when status is null then 0 when status between 200 and 499 then status / 100 else 5 end) stored,
  -- Of a failure: its status, such as `502`, or its error code. The index on it also finds the groups of failures.
  cause text generated always as (case when not succeeded then coalesce(error_code, status::text) end) stored,
  -- Of an attempt of at least a second: the largest of 1, 2, 5, 10 and 15 seconds that its duration reached.
  slow_class smallint generated always as (
    case
      when duration_ms >= 15000 then 15
      when duration_ms >= 10000 then 10
      when duration_ms >= 5000 then 5
      when duration_ms >= 2000 then 2
      when duration_ms >= 1000 then 1
    end) stored,
  constraint answered_or_error check ((status is null) = (error_code is not null)),
  constraint succeeded_means_2xx check (succeeded = coalesce(status between 200 and 299, false))
) partition by range (id);
-- Serves: the attempts of a delivery, in order.
create index attempts_delivery_id_number on posthorn.attempts (delivery_id, number);
-- Serve: the attempts of an organization or a webhook, newest first, all and by status class.
create index attempts_organization_id_status_class_id on posthorn.attempts (organization_id, status_class, id);
create index attempts_webhook_id_status_class_id on posthorn.attempts (webhook_id, status_class, id);
-- Serve: the failures by cause, and their groups. Successes have no entry.
create index attempts_organization_id_cause_id on posthorn.attempts (organization_id, cause, id)
  where cause is not null;
create index attempts_organization_id_webhook_id_cause_id
  on posthorn.attempts (organization_id, webhook_id, cause, id) where cause is not null;
-- Serve: the slow attempts. Attempts of less than a second have no entry.
create index attempts_organization_id_slow_class_id on posthorn.attempts (organization_id, slow_class, id)
  where slow_class is not null;
create index attempts_webhook_id_slow_class_id on posthorn.attempts (webhook_id, slow_class, id)
  where slow_class is not null;

-- The default partitions have the rows of days without a partition.
create table posthorn_partitions.events_default partition of posthorn.events default;
create table posthorn_partitions.event_keys_default partition of posthorn.event_keys default;
-- Half of each page stays free, so that the update after an attempt is heap-only and touches no index.
create table posthorn_partitions.deliveries_default partition of posthorn.deliveries default with (fillfactor = 50);
create table posthorn_partitions.attempts_default partition of posthorn.attempts default;

-- The columns of a table, in order, without generated ones.
create function posthorn.stored_columns(parent text) returns text
  language sql stable
  begin atomic
    select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
    where attrelid = to_regclass('posthorn.' || quote_ident(parent))
      and attnum > 0 and not attisdropped and attgenerated = '';
  end;

-- The column that a table is partitioned by.
create function posthorn.partition_column(parent text) returns text
  language sql immutable parallel safe
  return case parent when 'event_keys' then 'event_id' else 'id' end;

-- Creates the missing partitions of these days, and moves the rows of those days into them. Returns how many partitions
-- it created. Runs with the owner's privileges, because the service's role cannot change the schema.
create function posthorn.create_partitions(first_day date, last_day date) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  created int := 0;
  parent text;
  columns text;
  day date;
  child text;
  low uuid;
  high uuid;
begin
  -- Processes that wait for the lock find the partitions created.
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  foreach parent in array array['events', 'event_keys', 'deliveries', 'attempts'] loop
    columns := posthorn.stored_columns(parent);
    for day in select generate_series(first_day, last_day, interval '1 day')::date loop
      child := parent || '_' || to_char(day, 'YYYYMMDD');
      continue when to_regclass('posthorn_partitions.' || child) is not null;
      low := posthorn.uuid_v7_lower_bound(day::timestamp at time zone 'UTC');
      high := posthorn.uuid_v7_lower_bound((day + 1)::timestamp at time zone 'UTC');
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
      created := created + 1;
    end loop;
  end loop;
  return created;
end
$$;

create function posthorn.partitions_before(first_kept_day date) returns table (name text, parent_name text)
  language sql stable
  begin atomic
    select relname::text, regexp_replace(relname::text, '_[0-9]{8}$', '') from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions')
      and relkind = 'r' and relname ~ '_[0-9]{8}$' and to_date(right(relname, 8), 'YYYYMMDD') < first_kept_day
    order by right(relname, 8), array_position(array['events', 'event_keys', 'deliveries', 'attempts'],
      regexp_replace(relname::text, '_[0-9]{8}$', ''));
  end;

-- Drops the partitions before the day. Pending deliveries with their events and attempts move to the default partitions
-- first. Returns how many partitions it dropped.
create function posthorn.drop_partitions_before(first_kept_day date) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  dropped int := 0;
  bound constant uuid := posthorn.uuid_v7_lower_bound(first_kept_day::timestamp at time zone 'UTC');
  child text;
  parent text;
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if not exists (select from posthorn.partitions_before(first_kept_day)) then
    return 0;
  end if;
  create temporary table pending on commit drop as
    select id, event_id from posthorn.deliveries
    where state = 'pending' and (id < bound or event_id < bound);
  for child, parent in select name, parent_name from posthorn.partitions_before(first_kept_day) loop
    execute format('alter table posthorn.%I detach partition posthorn_partitions.%I', parent, child);
    execute format(
      'insert into posthorn.%I (%s) select %s from posthorn_partitions.%I as old where %s',
      parent, posthorn.stored_columns(parent), posthorn.stored_columns(parent), child,
      case parent
        when 'events' then 'old.id in (select event_id from pg_temp.pending)'
        when 'event_keys' then 'old.event_id in (select event_id from pg_temp.pending)'
        when 'deliveries' then 'old.id in (select id from pg_temp.pending)'
        else 'old.delivery_id in (select id from pg_temp.pending)'
      end);
    execute format('drop table posthorn_partitions.%I', child);
    dropped := dropped + 1;
  end loop;
  drop table pg_temp.pending;
  return dropped;
end
$$;

select posthorn.create_partitions((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 7);
