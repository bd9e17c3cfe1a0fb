-- Searching the volume by any filter, counting attempts as they are made, and showing the exact request of each.

-- What the request of an attempt carried besides what is known otherwise. Null for attempts of earlier versions.
alter table posthorn.attempts
  add column request_header_prefix text,
  add column request_user_agent text;

-- The lists of deliveries.
--
-- An attempt that succeeds at once, as nearly all do, must change no indexed column, so that its update stays HOT.
-- So `state` and `last_status_class` are in no index; two columns made from them are, which are null all along that
-- way and differ only for deliveries that take another one. A change of theirs is rare: the first failure, the end.
alter table posthorn.deliveries
  -- The first digit of the last response's status (5 for what is no class of HTTP), 0 when there was no response,
  -- null before the first attempt.
  add column last_status_class smallint,
  -- Whether it was found pending long after it was made (see `mark_lingering_deliveries`), or became so again.
  add column lingering boolean not null default false;

update posthorn.deliveries as d set last_status_class = last.class
from (
  select distinct on (delivery_id) delivery_id, posthorn_class.class
  from posthorn.attempts,
    lateral (select case
      when status is null then 0 when status between 200 and 499 then status / 100 else 5 end as class) as posthorn_class
  order by delivery_id, number desc
) as last
where d.id = last.delivery_id;

alter table posthorn.deliveries
  -- Null for those that succeeded, and for those that wait for their first attempt and are younger than a few minutes.
  add column listed_state posthorn.delivery_state generated always as (
    case when state in ('exhausted', 'canceled')
      or (state = 'pending' and (attempt_count > 0 or waiting_since is not null or lingering)) then state end
  ) stored,
  -- Null for those that succeeded, and for those that wait for their first attempt.
  add column listed_status_class smallint generated always as (
    case when state <> 'succeeded' then last_status_class end
  ) stored,
  add constraint last_status_class_is_known check (last_status_class in (0, 2, 3, 4, 5));

-- Serve: the deliveries of an organization and of a webhook by state. Where `listed_state` is null they have succeeded,
-- but for the youngest.
create index deliveries_organization_id_listed_state_id on posthorn.deliveries (organization_id, listed_state, id);
create index deliveries_webhook_id_listed_state_id on posthorn.deliveries (webhook_id, listed_state, id);
-- Serve: the same by what the last attempt was answered with.
create index deliveries_organization_id_listed_status_class_id
  on posthorn.deliveries (organization_id, listed_status_class, id) where listed_status_class is not null;
create index deliveries_webhook_id_listed_status_class_id
  on posthorn.deliveries (webhook_id, listed_status_class, id) where listed_status_class is not null;
-- Serve: the same, and events, by event type.
create index deliveries_organization_id_event_type_id on posthorn.deliveries (organization_id, event_type, id);
create index deliveries_webhook_id_event_type_id on posthorn.deliveries (webhook_id, event_type, id);
create index events_organization_id_type_id on posthorn.events (organization_id, type, id);

-- How far work got that goes through the volume in order, a step at a time.
create table posthorn.bookmarks (
  name text primary key,
  -- Everything before it is done.
  reached_at timestamptz not null,
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The step being waited for: ids before `next_id` are all visible once the transactions before `next_xid` have ended.
  next_id uuid,
  next_xid bigint
);
insert into posthorn.bookmarks (name, reached_at) values
  ('lingering deliveries', '2000-01-01T00:00:00Z'),
  ('hourly statistics', '2000-01-01T00:00:00Z');

-- Puts the deliveries that still wait for their first attempt into the index of states, once they are no longer fresh.
-- Before the bookmark none is missing from it, so that who looks for pending deliveries reads that index and the few
-- minutes after the bookmark, never the whole. A backlog of more than `at_most` is marked in several steps: it is
-- found at once anyway, and marking each would cost its workers more. Answers how many were marked.
create function posthorn.mark_lingering_deliveries(at_most int) returns int
  language plpgsql
as $$
declare
  bookmark posthorn.bookmarks;
  found_ids uuid[];
begin
  select * into bookmark from posthorn.bookmarks where name = 'lingering deliveries' for update skip locked;
  if not found then
    return 0;
  end if;
  if bookmark.next_id is not null
    and pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= bookmark.next_xid then
    found_ids := array(
      select id from posthorn.deliveries
      where id >= bookmark.reached_id and id < bookmark.next_id and state = 'pending' and listed_state is null
      order by id limit at_most
    );
    update posthorn.deliveries set lingering = true where id = any (found_ids) and state = 'pending';
    if cardinality(found_ids) < at_most then
      bookmark.reached_id := bookmark.next_id;
      bookmark.next_id := null;
    else
      bookmark.reached_id := found_ids[at_most];
    end if;
  end if;
  if bookmark.next_id is null then
    -- A transaction takes its number within moments of making its first id.
    bookmark.next_id := posthorn.uuid_v7_floor(clock_timestamp() - interval '30 seconds');
    bookmark.next_xid := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  end if;
  update posthorn.bookmarks set reached_at = posthorn.uuid_v7_time(bookmark.reached_id),
    reached_id = bookmark.reached_id, next_id = bookmark.next_id, next_xid = bookmark.next_xid
  where name = bookmark.name;
  return coalesce(cardinality(found_ids), 0);
end
$$;

-- The roll-ups: attempts counted by the minute as they are recorded, kept for two days, and by the hour, added up from
-- the minutes once an hour is over, kept as long as the deliveries.
create table posthorn.webhook_statistics (
  -- A webhook; or, by the hour, an organization for all of its webhooks together.
  subject_id uuid not null,
  organization_id uuid not null,
  -- 1 or 60.
  minutes smallint not null,
  bucket timestamptz not null,
  -- Each connection counts in a row of its own, so that those that record attempts of one webhook do not wait for
  -- each other. Hours have stripe 0 alone.
  stripe smallint not null,
  attempts int not null,
  succeeded int not null,
  failed_3xx int not null,
  failed_4xx int not null,
  failed_5xx int not null,
  failed_without_response int not null,
  -- How many attempts took how long, in the buckets of `src/webhooks/latency.ts`.
  latency int[] not null,
  primary key (subject_id, minutes, bucket, stripe),
  constraint buckets_are_minutes_or_hours check (minutes in (1, 60))
) with (fillfactor = 50);
-- Serves: what an organization counted since the last whole hour.
create index webhook_statistics_organization_id_bucket
  on posthorn.webhook_statistics (organization_id, bucket) where minutes = 1;
-- Serves: adding up an hour, and erasing what is old.
create index webhook_statistics_bucket on posthorn.webhook_statistics (bucket);

-- How the last attempts of a webhook went. Written when that changes, and once a minute while they succeed.
create table posthorn.webhook_conditions (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  -- To the minute.
  last_success_at timestamptz,
  -- Since when every attempt failed, if they do.
  failing_since timestamptz
) with (fillfactor = 50);
-- Serves: the webhooks that fail.
create index webhook_conditions_failing on posthorn.webhook_conditions (webhook_id) where failing_since is not null;

-- Adds up the hours that ended at least five minutes before `at`, when no statement of theirs can still be running.
-- Answers how many rows it made.
create function posthorn.add_up_hours(at timestamptz) returns bigint
  language plpgsql
as $$
declare
  since timestamptz;
  up_to constant timestamptz := date_trunc('hour', at - interval '5 minutes', 'UTC');
  made bigint;
begin
  select reached_at into since from posthorn.bookmarks where name = 'hourly statistics' for update skip locked;
  if not found or since >= up_to then
    return 0;
  end if;
  with hours as (
    select s.organization_id, s.webhook_id, date_trunc('hour', s.bucket, 'UTC') as bucket,
      sum(s.attempts) as attempts, sum(s.succeeded) as succeeded, sum(s.failed_3xx) as failed_3xx,
      sum(s.failed_4xx) as failed_4xx, sum(s.failed_5xx) as failed_5xx,
      sum(s.failed_without_response) as failed_without_response
    from (
      select *, subject_id as webhook_id from posthorn.webhook_statistics
      where minutes = 1 and bucket >= since and bucket < up_to
    ) as s
    group by grouping sets ((1, 2, 3), (1, 3))
  ),
  latencies as (
    select n.organization_id, n.webhook_id, n.bucket, array_agg(n.n order by n.i) as latency
    from (
      select s.organization_id, s.subject_id as webhook_id, date_trunc('hour', s.bucket, 'UTC') as bucket,
        l.i, sum(l.n)::int as n
      from posthorn.webhook_statistics as s, unnest(s.latency) with ordinality as l (n, i)
      where s.minutes = 1 and s.bucket >= since and s.bucket < up_to
      group by grouping sets ((1, 2, 3, 4), (1, 3, 4))
    ) as n
    group by 1, 2, 3
  )
  insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded,
    failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency)
  select coalesce(hours.webhook_id, hours.organization_id), hours.organization_id, 60, hours.bucket, 0, hours.attempts,
    hours.succeeded, hours.failed_3xx, hours.failed_4xx, hours.failed_5xx, hours.failed_without_response,
    latencies.latency
  from hours join latencies on hours.organization_id = latencies.organization_id
    and hours.webhook_id is not distinct from latencies.webhook_id and hours.bucket = latencies.bucket;
  get diagnostics made = row_count;
  update posthorn.bookmarks set reached_at = up_to where name = 'hourly statistics';
  return made;
end
$$;

-- Rows move between partitions by the names of their columns, as columns that are generated cannot be given.
create function posthorn.stored_columns(parent text) returns text
  language sql stable
begin atomic
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute as a
  where a.attrelid = to_regclass('posthorn.' || quote_ident(parent)) and a.attnum > 0
    and not a.attisdropped and a.attgenerated = '';
end;

create or replace function posthorn.ensure_partitions(first_day date, last_day date) returns int
  language plpgsql
as $$
declare
  made int := 0;
  parent text;
  columns text;
  day date;
  child text;
  low uuid;
  high uuid;
begin
  -- One at a time; the others find the work done.
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  foreach parent in array array['events', 'deliveries', 'attempts'] loop
    columns := posthorn.stored_columns(parent);
    for day in select generate_series(first_day, last_day, interval '1 day')::date loop
      child := parent || '_' || to_char(day, 'YYYYMMDD');
      continue when to_regclass('posthorn_partitions.' || child) is not null;
      low := posthorn.uuid_v7_floor(day::timestamp at time zone 'UTC');
      high := posthorn.uuid_v7_floor((day + 1)::timestamp at time zone 'UTC');
      execute format('create table posthorn_partitions.%I (like posthorn.%I including all)', child, parent);
      if parent = 'deliveries' then
        -- Room for the update that every row gets, on the same page: a HOT update, which touches no index.
        execute format('alter table posthorn_partitions.%I set (fillfactor = 50)', child);
      end if;
      execute format(
        'with moved as (delete from posthorn_partitions.%I where id >= %L and id < %L returning *)
         insert into posthorn_partitions.%I (%s) select %s from moved',
        parent || '_rest', low, high, child, columns, columns);
      execute format(
        'alter table posthorn.%I attach partition posthorn_partitions.%I for values from (%L) to (%L)',
        parent, child, low, high);
      made := made + 1;
    end loop;
  end loop;
  return made;
end
$$;

create or replace function posthorn.drop_partitions_before(first_kept_day date) returns int
  language plpgsql
as $$
declare
  dropped int := 0;
  bound constant uuid := posthorn.uuid_v7_floor(first_kept_day::timestamp at time zone 'UTC');
  child text;
  parent text;
begin
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  if not exists (select from posthorn.partitions_before(first_kept_day)) then
    return 0;
  end if;
  create temporary table owed on commit drop as
    select id, event_id from posthorn.deliveries
    where state = 'pending' and (id < bound or event_id < bound);
  for child, parent in select name, parent_name from posthorn.partitions_before(first_kept_day) loop
    execute format('alter table posthorn.%I detach partition posthorn_partitions.%I', parent, child);
    execute format(
      'insert into posthorn.%I (%s) select %s from posthorn_partitions.%I as old where %s',
      parent, posthorn.stored_columns(parent), posthorn.stored_columns(parent), child,
      case parent
        when 'events' then 'old.id in (select event_id from pg_temp.owed)'
        when 'deliveries' then 'old.id in (select id from pg_temp.owed)'
        else 'old.delivery_id in (select id from pg_temp.owed)'
      end);
    execute format('drop table posthorn_partitions.%I', child);
    dropped := dropped + 1;
  end loop;
  drop table pg_temp.owed;
  return dropped;
end
$$;
