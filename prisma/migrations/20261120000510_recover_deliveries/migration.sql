-- Recovery: what a webhook did not receive in some time is made due again, or for the first time. A recovery works in
-- the background, page by page; its row says how far it came, and changes in the transaction that does the work.

create type posthorn.recovery_include as enum ('failed', 'missed', 'all');
create type posthorn.recovery_state as enum ('running', 'completed', 'canceled', 'failed');
create type posthorn.recovery_step as enum ('failed', 'missed');

create table posthorn.recoveries (
  -- Made in Postgres, as its time is compared with that of deliveries.
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  -- The events that it is about: published at `since` or later, and before `until`.
  since timestamptz not null,
  until timestamptz not null,
  include posthorn.recovery_include not null,
  rate_per_second int not null,
  state posthorn.recovery_state not null default 'running',
  -- Why it failed, for whoever began it.
  failure text,
  -- How many deliveries there were to make due when it began, counted up to a bound.
  total int not null,
  total_is_exact boolean not null,
  redelivered int not null default 0,
  created int not null default 0,
  -- What it goes through at the moment, the deliveries that failed or the events that were missed, and the last id
  -- that it is done with there.
  step posthorn.recovery_step not null,
  reached_id uuid not null,
  -- Keeps the rate, whichever process makes the next page.
  next_page_at timestamptz not null default now(),
  -- Once all transactions before this one have ended, every event that was published before it began is visible.
  begun_xid bigint not null default pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
  -- How often a page of it failed since the last one that did not.
  fault_count int not null default 0,
  finished_at timestamptz,
  constraint since_is_before_until check (since < until),
  constraint rate_is_1_to_5000_per_second check (rate_per_second between 1 and 5000),
  constraint finished_or_finished_at_null check ((state = 'running') = (finished_at is null)),
  constraint failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
-- Holds: a webhook has one recovery that runs.
create unique index recoveries_one_running on posthorn.recoveries (webhook_id) where state = 'running';
-- Serves: the recoveries of a webhook, newest first.
create index recoveries_webhook_id_id on posthorn.recoveries (webhook_id, id);
