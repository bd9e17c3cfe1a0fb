-- Statistics, recoveries, live subscriptions, and the view of backlogs for dashboards.

-- Attempts per minute, rolled up per hour once the hour is over, of each webhook; per hour also of each organization.
-- Each backend updates a stripe of its own, so that processes do not wait for each other's row locks.
create table posthorn.webhook_statistics (
  -- A webhook or an organization.
  subject_id uuid not null,
  organization_id uuid not null,
  minutes smallint not null,
  bucket timestamptz not null,
  stripe smallint not null,
  attempts int not null,
  succeeded int not null,
  failed_3xx int not null,
  failed_4xx int not null,
  failed_5xx int not null,
  failed_without_response int not null,
  -- A histogram of durations with the bounds of src/webhooks/latency.ts.
  latency int[] not null,
  primary key (subject_id, minutes, bucket, stripe),
  constraint buckets_are_minutes_or_hours check (minutes in (1, 60))
) with (fillfactor = 50);
-- Serve: the rollup and the deletion of old rows, and the per-minute rows of an organization.
create index webhook_statistics_bucket on posthorn.webhook_statistics (bucket);
create index webhook_statistics_organization_id_bucket on posthorn.webhook_statistics (organization_id, bucket)
  where minutes = 1;

-- Work that one process of all does, and which process that is until when.
create table posthorn.leases (
  name text primary key,
  holder uuid not null,
  expires_at timestamptz not null
);

-- The progress of background work that runs in steps.
create table posthorn.cursors (
  name text primary key,
  reached_at timestamptz not null,
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The next value of reached_id, once every transaction that may have created a smaller id has ended.
  next_id uuid,
  next_xid bigint
);
insert into posthorn.cursors (name, reached_at) values
  ('index_backfill', '2000-01-01T00:00:00Z'),
  ('statistics_rollup', '2000-01-01T00:00:00Z');

create type posthorn.recovery_include as enum ('failed', 'missed', 'all');
create type posthorn.recovery_state as enum ('running', 'following', 'completed', 'canceled', 'failed');
create type posthorn.recovery_step as enum ('failed', 'missed');

create table posthorn.recoveries (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  since timestamptz not null,
  until timestamptz not null,
  include posthorn.recovery_include not null,
  rate_per_second int not null,
  state posthorn.recovery_state not null default 'running',
  failure text,
  total int not null,
  total_is_exact boolean not null,
  redelivered int not null default 0,
  created int not null default 0,
  succeeded int not null default 0,
  exhausted int not null default 0,
  canceled int not null default 0,
  step posthorn.recovery_step not null,
  reached_id uuid not null,
  -- The last item that was looked at for its outcome.
  followed_id uuid not null default '00000000-0000-0000-0000-000000000000',
  next_page_at timestamptz not null default now(),
  -- Once every transaction before this one has ended, all events published before the recovery are visible.
  started_xid bigint not null default ((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint,
  fault_count int not null default 0,
  finished_at timestamptz,
  constraint since_is_before_until check (since < until),
  constraint rate_is_1_to_5000_per_second check (rate_per_second between 1 and 5000),
  constraint finished_or_finished_at_null check ((state in ('running', 'following')) = (finished_at is null)),
  constraint failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
create index recoveries_webhook_id_id on posthorn.recoveries (webhook_id, id);
create unique index recoveries_one_running on posthorn.recoveries (webhook_id) where state = 'running';

-- The deliveries that a recovery queued and that have not finished since.
create table posthorn.recovery_items (
  recovery_id uuid not null references posthorn.recoveries on delete cascade,
  delivery_id uuid not null,
  primary key (recovery_id, delivery_id)
);

alter table posthorn.recoveries enable row level security;
create policy own_organization on posthorn.recoveries
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

create function posthorn.delete_old_recoveries(retention interval) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  deleted bigint;
begin
  delete from posthorn.recoveries where finished_at < now() - retention;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

create type posthorn.delivery_task_action as enum ('redeliver', 'cancel');
create type posthorn.delivery_task_state as enum ('running', 'following', 'completed', 'canceled', 'failed');

-- A redelivery or cancelation of many deliveries, which a job does page by page.
create table posthorn.delivery_tasks (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- Set if all its deliveries are to one webhook.
  webhook_id uuid,
  action posthorn.delivery_task_action not null,
  -- Which deliveries: their ids, or a filter (src/delivery-tasks/task-selection.ts).
  delivery_ids uuid[],
  filter jsonb,
  rate_per_second int not null,
  state posthorn.delivery_task_state not null default 'running',
  failure text,
  total int not null,
  total_is_exact boolean not null,
  changed int not null default 0,
  succeeded int not null default 0,
  exhausted int not null default 0,
  canceled int not null default 0,
  -- The last delivery or, for a filter of attempts, the last attempt that a page has read.
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  next_page_at timestamptz not null default now(),
  fault_count int not null default 0,
  finished_at timestamptz,
  constraint ids_or_filter check ((delivery_ids is null) <> (filter is null)),
  constraint rate_is_1_to_5000_per_second check (rate_per_second between 1 and 5000),
  constraint finished_or_finished_at_null check ((state in ('running', 'following')) = (finished_at is null)),
  constraint failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
create index delivery_tasks_organization_id_id on posthorn.delivery_tasks (organization_id, id);

-- The deliveries that a task queued and that have not finished since, or were exhausted.
create table posthorn.delivery_task_items (
  task_id uuid not null references posthorn.delivery_tasks on delete cascade,
  delivery_id uuid not null,
  exhausted boolean not null default false,
  primary key (task_id, delivery_id)
);

alter table posthorn.delivery_tasks enable row level security;
create policy own_organization on posthorn.delivery_tasks
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The organizations with live subscribers; only they get notifications. Unlogged: listeners register again after a
-- crash.
create unlogged table posthorn.live_listeners (
  organization_id uuid not null,
  listener_id uuid not null,
  expires_at timestamptz not null,
  primary key (organization_id, listener_id)
);

-- The backlog of each webhook, for external dashboards. deploy/roles.sql creates a role that may read it.
create view posthorn.webhook_backlogs as
select
  posthorn.type_id('wh', w.id) as webhook_id,
  posthorn.type_id('org', w.organization_id) as organization_id,
  w.url,
  w.enabled,
  backlog.parked,
  backlog.oldest_parked_at,
  scheduled.scheduled,
  scheduled.next_attempt_at,
  s.on_hold_since,
  s.next_probe_at,
  c.failing_since,
  coalesce(c.consecutive_failures, 0) as consecutive_failures,
  c.last_error
from posthorn.webhooks as w
left join posthorn.webhook_schedules as s on s.webhook_id = w.id
left join posthorn.webhook_conditions as c on c.webhook_id = w.id
-- Served by the index deliveries_parked.
cross join lateral (
  select count(*) as parked, min(d.parked_at) as oldest_parked_at from posthorn.deliveries as d
  where d.webhook_id = w.id and d.parked_at is not null
) as backlog
-- Reads the index by state, and the new deliveries that are not in the index yet.
cross join lateral (
  select count(*) as scheduled, min(pending.next_attempt_at) as next_attempt_at from (
    select d.next_attempt_at from posthorn.deliveries as d
    where d.webhook_id = w.id and d.indexed_state in ('queued', 'retrying')
    union all
    select d.next_attempt_at from posthorn.deliveries as d
    where d.webhook_id = w.id and d.state = 'pending' and d.indexed_state is null
      and d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')
  ) as pending
) as scheduled
where w.deleted_at is null;

-- No function is public; host applications get single functions by `grant`.
revoke execute on all functions in schema posthorn from public;
