-- The catalogue of event types, and webhooks with their signing secrets, condition and schedule.

create table posthorn.event_types (
  name text primary key,
  description text not null,
  schema jsonb,
  example jsonb,
  -- Paths in the data of events, such as $.order.id, in the form that src/event-types/search-key.ts gives them.
  search_keys text[] not null default '{}',
  -- Counts the changes. An event that was validated against an older revision is validated again.
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint name_is_dotted_words check (
    name ~ '^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$' and char_length(name) <= 128),
  constraint search_keys_are_at_most_eight check (cardinality(search_keys) <= 8)
);

create table posthorn.webhooks (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  url text not null,
  description text,
  enabled boolean not null default false,
  event_subscriptions text[] not null,
  headers_ciphertext bytea,
  -- Null: the default of the installation.
  rate_limit_per_second int,
  max_in_flight int,
  own_retry_schedule boolean not null default false,
  retry_schedule_seconds int[] not null default '{}',
  timeout_seconds int,
  ordered boolean not null default false,
  -- Counts the changes. A process that has cached an older revision reads the webhook again.
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint url_is_https check (url ~* '^https://' and char_length(url) <= 2048),
  constraint description_has_at_most_1000_characters check (char_length(description) <= 1000),
  constraint event_subscriptions_are_not_empty check (cardinality(event_subscriptions) > 0),
  constraint rate_limit_per_second_is_1_to_10000 check (rate_limit_per_second between 1 and 10000),
  constraint max_in_flight_is_1_to_200 check (max_in_flight between 1 and 200),
  constraint timeout_seconds_is_1_to_30 check (timeout_seconds between 1 and 30),
  constraint retry_delays_are_1_second_to_1_day check (
    1 <= all (retry_schedule_seconds) and 86400 >= all (retry_schedule_seconds)
    and array_position(retry_schedule_seconds, null) is null),
  constraint retry_schedule_has_at_most_20_delays check (cardinality(retry_schedule_seconds) <= 20),
  constraint retry_delays_need_own_retry_schedule check (own_retry_schedule or retry_schedule_seconds = '{}'),
  constraint deleted_means_disabled_without_headers check (
    deleted_at is null or not enabled and headers_ciphertext is null)
);
-- Serves: the webhooks of an organization, and those that subscribe to an event.
create index webhooks_organization_id_id on posthorn.webhooks (organization_id, id) where deleted_at is null;

alter table posthorn.api_keys
  add constraint api_keys_webhook_id_fkey foreign key (webhook_id) references posthorn.webhooks on delete cascade;

create table posthorn.signing_secrets (
  id uuid primary key default posthorn.uuid_v7(),
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  key_ciphertext bytea not null,
  created_at timestamptz not null default now(),
  -- Null for the current secret; 24 hours after the rotation for a previous one.
  expires_at timestamptz
);
create index signing_secrets_webhook_id on posthorn.signing_secrets (webhook_id);
create unique index signing_secrets_one_current on posthorn.signing_secrets (webhook_id) where expires_at is null;
-- Serves: deleting expired secrets.
create index signing_secrets_expires_at on posthorn.signing_secrets (expires_at) where expires_at is not null;

-- The outcome of the last attempts of each webhook.
create table posthorn.webhook_conditions (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  last_success_at timestamptz,
  -- Since the last success: the start of the first failed attempt, the number of failures, and the last error.
  failing_since timestamptz,
  consecutive_failures int not null default 0,
  last_error text
) with (fillfactor = 50);
-- Serves: the failing webhooks.
create index webhook_conditions_failing on posthorn.webhook_conditions (webhook_id) where failing_since is not null;

-- The scheduling state of each webhook. A webhook without a row has no backlog and no reservation, and is not on hold.
create table posthorn.webhook_schedules (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  -- While set, new deliveries are parked behind the backlog.
  backlog_since timestamptz,
  -- When the backlog was last found empty. Workers check it for another minute, because a concurrent publisher may still
  -- park a delivery.
  backlog_drained_at timestamptz,
  -- The earliest time that the rate limit can still reserve.
  next_reservation_at timestamptz,
  -- Counts the releases and probes, so that a release that waited for another one detects that its data is stale.
  revision bigint not null default 0,
  -- The head of the backlog of an ordered webhook; the other deliveries wait for it.
  head_delivery_id uuid,
  -- While the circuit breaker is open.
  on_hold_since timestamptz,
  probe_delivery_id uuid,
  next_probe_at timestamptz,
  probe_count int not null default 0,
  -- After a hold, the backlog is released slowly at first.
  slow_start_since timestamptz,
  slow_start_released int not null default 0,
  -- The adaptive concurrency limit of the worker that reported last.
  concurrency_limit int,
  constraint on_hold_means_backlog check (on_hold_since is null or backlog_since is not null),
  constraint probed_only_on_hold check (next_probe_at is null or on_hold_since is not null)
) with (fillfactor = 50);
-- Serves: the workers' check of all backlogs.
create index webhook_schedules_backlogs on posthorn.webhook_schedules (webhook_id)
  where backlog_since is not null or backlog_drained_at is not null;

-- The holds of each webhook, past and present, for charts.
create table posthorn.webhook_holds (
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  started_at timestamptz not null,
  -- Null while the webhook is on hold.
  ended_at timestamptz,
  primary key (webhook_id, started_at)
);

-- The waiting deliveries of each webhook with a backlog, counted once a minute, for charts.
create table posthorn.backlog_samples (
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  organization_id uuid not null,
  sampled_at timestamptz not null,
  waiting int not null,
  primary key (webhook_id, sampled_at)
);
-- Serve: the samples of an organization, and the deletion of old samples.
create index backlog_samples_organization_id_sampled_at on posthorn.backlog_samples (organization_id, sampled_at);
create index backlog_samples_sampled_at on posthorn.backlog_samples (sampled_at);

alter table posthorn.webhooks enable row level security;
create policy own_organization on posthorn.webhooks
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
alter table posthorn.signing_secrets enable row level security;
create policy own_organization on posthorn.signing_secrets
  using ((select posthorn.current_organization()) is null or exists (
    select from posthorn.webhooks as w where w.id = webhook_id
  ));
