-- One table for the redeliveries, cancelations and recoveries of many deliveries, which had two, with two tables of what
-- their deliveries came to. Their rows move here, and those that run continue. The tables of 0.2.0 stay, empty, so that its
-- processes work until they stop.

create type posthorn.bulk_task_action as enum ('redeliver', 'cancel', 'recover');
create type posthorn.bulk_task_state as enum ('running', 'delivering', 'completed', 'canceled', 'failed');

create table posthorn.bulk_tasks (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- Set if all its deliveries are to one webhook.
  webhook_id uuid,
  action posthorn.bulk_task_action not null,
  -- Which deliveries (src/bulk-tasks/selection.ts).
  selection jsonb not null,
  rate_per_second int not null,
  state posthorn.bulk_task_state not null default 'running',
  failure text,
  total int not null,
  total_is_exact boolean not null,
  changed int not null default 0,
  created int not null default 0,
  succeeded int not null default 0,
  exhausted int not null default 0,
  canceled int not null default 0,
  -- The last delivery or, for a filter of attempts, the last attempt that a page has read.
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The last event whose delivery a recovery looked for. Null while it redelivers what failed.
  reached_event_id uuid,
  -- The last item that was looked at for its outcome.
  followed_id uuid not null default '00000000-0000-0000-0000-000000000000',
  next_page_at timestamptz not null default now(),
  -- Once every transaction before this one has ended, all events published before the task are visible.
  started_xid bigint not null default ((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint,
  fault_count int not null default 0,
  finished_at timestamptz,
  constraint recovery_has_a_webhook check (action <> 'recover' or webhook_id is not null),
  constraint rate_is_1_to_5000_per_second check (rate_per_second between 1 and 5000),
  constraint finished_or_finished_at_null check ((state in ('running', 'delivering')) = (finished_at is null)),
  constraint failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
-- Serve: the lists of an organization and of a webhook.
create index bulk_tasks_organization_id_id on posthorn.bulk_tasks (organization_id, id);
create index bulk_tasks_webhook_id_id on posthorn.bulk_tasks (webhook_id, id);
create unique index bulk_tasks_one_recovery_running on posthorn.bulk_tasks (webhook_id)
  where state = 'running' and action = 'recover';

-- The deliveries that a task queued and that have not finished since, or were exhausted. The primary key serves the pages
-- of both.
create table posthorn.bulk_task_items (
  task_id uuid not null references posthorn.bulk_tasks on delete cascade,
  exhausted boolean not null default false,
  delivery_id uuid not null,
  primary key (task_id, exhausted, delivery_id)
);

alter table posthorn.bulk_tasks enable row level security;
create policy own_organization on posthorn.bulk_tasks
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

create function posthorn.delete_old_bulk_tasks(retention interval) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  deleted bigint;
begin
  delete from posthorn.bulk_tasks where finished_at < now() - retention;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

lock table posthorn.recoveries, posthorn.delivery_tasks in exclusive mode;

insert into posthorn.bulk_tasks (id, organization_id, webhook_id, action, selection, rate_per_second, state, failure, total,
  total_is_exact, changed, created, succeeded, exhausted, canceled, reached_id, reached_event_id, followed_id, next_page_at,
  started_xid, fault_count, finished_at)
select id, organization_id, webhook_id, 'recover',
  jsonb_build_object('since', since, 'until', until, 'include', include), rate_per_second,
  replace(state::text, 'following', 'delivering')::posthorn.bulk_task_state, failure, total, total_is_exact,
  redelivered + created, created, succeeded, exhausted, canceled, reached_id,
  case when step = 'missed' then reached_id end, followed_id, next_page_at, started_xid, fault_count, finished_at
from posthorn.recoveries;

insert into posthorn.bulk_tasks (id, organization_id, webhook_id, action, selection, rate_per_second, state, failure, total,
  total_is_exact, changed, succeeded, exhausted, canceled, reached_id, next_page_at, fault_count, finished_at)
select id, organization_id, webhook_id, action::text::posthorn.bulk_task_action,
  jsonb_strip_nulls(jsonb_build_object('ids', delivery_ids, 'filter', filter)), rate_per_second,
  replace(state::text, 'following', 'delivering')::posthorn.bulk_task_state, failure, total, total_is_exact, changed,
  succeeded, exhausted, canceled, reached_id, next_page_at, fault_count, finished_at
from posthorn.delivery_tasks;

insert into posthorn.bulk_task_items (task_id, exhausted, delivery_id)
select recovery_id, false, delivery_id from posthorn.recovery_items
union all select recovery_id, true, delivery_id from posthorn.recovery_failures
union all select task_id, exhausted, delivery_id from posthorn.delivery_task_items;

-- The keys are those of the earlier jobs, which these jobs replace.
select posthorn.enqueue('continue_bulk_task', json_build_object('taskId', posthorn.type_id('task', id)),
  posthorn.type_id(case action when 'recover' then 'rec' else 'task' end, id), null,
  'posthorn:background:' || posthorn.type_id('org', organization_id))
from posthorn.bulk_tasks as t
where finished_at is null
  or exists (select from posthorn.bulk_task_items as i where i.task_id = t.id and not i.exhausted);

delete from posthorn.recoveries;
delete from posthorn.delivery_tasks;
