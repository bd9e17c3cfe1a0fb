-- Ids: UUIDv7 (RFC 9562) in the tables, TypeIDs (https://github.com/jetify-com/typeid) for people.
create schema if not exists posthorn;

-- Partitions live here, so that tools that read the schema `posthorn` see only their parents.
create schema if not exists posthorn_partitions;

-- PostgreSQL 18 has `uuidv7()`. The replacement for older versions puts microseconds into the 12 bits after the
-- milliseconds (RFC 9562, section 6.2, method 3), so that ids of one session ascend.
do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function posthorn.uuid_v7() returns uuid
      language sql volatile parallel safe
      return uuidv7();
  else
    create function posthorn.uuid_v7() returns uuid
      language plpgsql volatile parallel safe set search_path = pg_catalog, pg_temp
    as $$
    declare
      microseconds constant bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
      fraction constant int := (microseconds % 1000 * 4096 / 1000)::int;
      random constant bytea := uuid_send(gen_random_uuid());
    begin
      return encode(
        substring(int8send(microseconds / 1000) from 3)
          || substring(int4send(7 << 12 | fraction) from 3)
          || substring(random from 9),
        'hex')::uuid;
    end
    $$;
  end if;
end
$do$;

-- The smallest UUIDv7 of a time: the bound of partitions and of time ranges over ids.
create function posthorn.uuid_v7_lower_bound(at timestamptz) returns uuid
  language sql immutable parallel safe
  return encode(
    substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) || '\x70008000000000000000'::bytea,
    'hex')::uuid;

-- The time in a UUIDv7, to the millisecond.
create function posthorn.uuid_v7_timestamp(id uuid) returns timestamptz
  language sql immutable parallel safe
  return to_timestamp((('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint) / 1000.0);

-- A uuid as a TypeID: the prefix and 26 characters of Crockford's base 32, five bits each.
create function posthorn.type_id(prefix text, id uuid) returns text
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  bits constant bit(130) := B'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  encoded text := prefix || '_';
begin
  for i in 0..25 loop
    encoded := encoded || substr(alphabet, substring(bits from 5 * i + 1 for 5)::int + 1, 1);
  end loop;
  return encoded;
end
$$;

-- The uuid in a TypeID with this prefix; null for any other text.
create function posthorn.parse_type_id(prefix text, given text) returns uuid
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  encoded constant text := substr(given, length(prefix) + 2);
  bits text := '';
begin
  if left(given, length(prefix) + 1) is distinct from prefix || '_'
    or encoded !~ '^[0-7][0-9a-hjkmnp-tv-z]{25}$' then
    return null;
  end if;
  for i in 1..26 loop
    bits := bits || (strpos(alphabet, substr(encoded, i, 1)) - 1)::bit(5)::text;
  end loop;
  -- 26 characters carry 130 bits; the first two are zero.
  return encode(
    int8send(substr(bits, 3, 64)::bit(64)::bigint) || int8send(substr(bits, 67, 64)::bit(64)::bigint),
    'hex')::uuid;
end
$$;

-- The organization that the transaction acts for; null: all organizations, as in the worker.
create function posthorn.current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('posthorn.organization', true), '')::uuid;

-- A caller's text, short enough for a message.
create function posthorn.excerpt(given text) returns text
  language sql immutable parallel safe
  return case when char_length(given) > 100 then left(given, 100) || '…' else given end;

-- A hash of each label of a map of strings, because a label can be longer than an entry of an index.
create function posthorn.label_hashes(metadata jsonb) returns text[]
  language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select encode(sha256(convert_to(label.key || chr(10) || label.value, 'UTF8')), 'hex')
    from jsonb_each_text(metadata) as label
  );
end
$$;

-- # Types

-- The tokens that an application gives to its own users: for the portal, and for pages that the application builds.
create type posthorn.session_kind as enum ('portal', 'frontend');

-- The audit log has an entry for each change, written in the transaction of the change. It has none for published
-- events, because the events table records them.
create type posthorn.audit_source as enum ('graphql', 'rest', 'cli', 'console', 'system');

create type posthorn.delivery_state as enum ('pending', 'succeeded', 'exhausted', 'canceled');

-- The states that people see, without `succeeded`. A pending delivery is queued, retrying or waiting.
create type posthorn.indexed_delivery_state as enum ('queued', 'retrying', 'waiting', 'exhausted', 'canceled');

-- A new delivery with a job.
create type posthorn.queued_delivery as (id uuid, event_id uuid, webhook_id uuid, body_id uuid);

-- The webhooks that receive the events of a type or, with filters, the event with this ordinal of a publishing call.
create type posthorn.event_webhooks as (
  organization_id uuid, event_type text, event_ordinal bigint, webhook_ids uuid[], has_ordered boolean, filtering_ids uuid[]
);

-- The job to write for a delivery.
create type posthorn.delivery_job as (
  delivery_id uuid,
  webhook_id uuid,
  organization_id uuid,
  event_type text,
  -- The time of the next attempt. Null: all attempts failed, and the job becomes permanently failed.
  run_at timestamptz,
  attempts int,
  max_attempts int,
  last_error text
);

-- Search keys: paths in the data of an event type, such as $.order.id. Publishing stores the values at these paths in
-- `event_keys`, so that events and deliveries are found by them.

create type posthorn.search_key as (
  path text,
  -- The names and the array indexes of the path, such as {order,id}.
  steps text[]
);

create type posthorn.bulk_task_action as enum (
  'redeliver', 'cancel', 'recover', 'erase', 'delete_webhook', 'delete_organization');

create type posthorn.bulk_task_state as enum ('running', 'completed', 'canceled', 'failed');

create type posthorn.exact_time as (
  -- Since 1970 in UTC.
  seconds bigint,
  -- The digits of the fraction, without zeros at its end.
  fraction text
);

create sequence posthorn.stream_positions;

-- # Tables, with their indexes and policies

-- Organizations, their API keys and sessions, the rate limits of keys, and the audit log.
create table posthorn.organizations (
  id uuid primary key default posthorn.uuid_v7(),
  name text not null,
  created_at timestamptz not null default now(),
  -- Counts the renames.
  revision bigint not null default 1,
  uid text,
  -- A map of strings.
  metadata jsonb not null default '{}',
  label_hashes text[] not null generated always as (posthorn.label_hashes(metadata)) stored,
  -- Set until the row is deleted too, as the last one.
  deleted_at timestamptz,
  -- Null: the retention of the installation.
  retention_days int,
  keep_response_bodies boolean not null default true,
  keep_payloads boolean not null default true,
  -- While `keep_payloads` is false: all older events have been queued in `unkept_payloads`.
  payloads_queued_to uuid,
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200),
  constraint a_uid_has_1_to_255_characters check (length(uid) between 1 and 255),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint retention_days_in_range check (retention_days between 1 and 3650)
);

-- Finds an organization by its uid, and keeps uids unique in the installation.
create unique index organizations_uid_key on posthorn.organizations (uid);

-- Finds organizations by their labels.
create index organizations_labels on posthorn.organizations using gin (label_hashes);

-- The first request with each idempotency key. Repeated requests within 24 hours get the same response.
create table posthorn.idempotency_keys (
  organization_id uuid not null references posthorn.organizations on delete cascade,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  resource_id uuid not null,
  response_ciphertext bytea,
  created_at timestamptz not null default now(),
  primary key (organization_id, operation, key),
  constraint key_has_1_to_255_characters check (char_length(key) between 1 and 255)
);
alter table posthorn.idempotency_keys enable row level security;
-- Serves: deleting expired keys.
create index idempotency_keys_created_at on posthorn.idempotency_keys (created_at);
create policy own_organization on posthorn.idempotency_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

create table posthorn.audit_log (
  -- A UUIDv7, which includes the time of the change.
  id uuid primary key default posthorn.uuid_v7(),
  -- Null for changes of the installation, such as of the catalogue. No foreign keys: entries outlive their subjects.
  organization_id uuid,
  -- Null for changes on the command line and by Posthorn itself.
  api_key_id uuid,
  -- The name and email address of a person who signed in by OpenID Connect.
  person text,
  source posthorn.audit_source not null,
  address text,
  forwarded_for text,
  user_agent text,
  action text not null,
  subject_id text not null,
  -- The fields that changed, before and after the change. Never a secret.
  before jsonb,
  after jsonb,
  constraint action_is_noun_and_verb check (action ~ '^[a-z_]+[.][a-z_]+$')
);
-- Serve: the entries of an organization, and those of one subject, newest first.
create index audit_log_organization_id_id on posthorn.audit_log (organization_id, id);
create index audit_log_organization_id_subject_id_id on posthorn.audit_log (organization_id, subject_id, id);

-- The catalogue of event types, and webhooks with their signing secrets, condition and schedule.
create table posthorn.event_types (
  name text primary key,
  description text not null,
  schema json,
  example json,
  -- Paths in the data of events, such as $.order.id, in the form that src/event-types/search-key.ts gives them.
  search_keys text[] not null default '{}',
  -- Counts the changes. An event that was validated against an older revision is validated again.
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  group_name text,
  -- The newest version of the schema.
  version integer not null default 1,
  retention_days int,
  constraint name_is_dotted_words check (
    name ~ '^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$' and char_length(name) <= 128),
  constraint search_keys_are_at_most_eight check (cardinality(search_keys) <= 8),
  constraint group_has_1_to_100_characters check (char_length(group_name) between 1 and 100),
  constraint retention_days_in_range check (retention_days between 1 and 3650)
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
  -- Its JSON, whose numbers keep their digits.
  filter text,
  -- What `insert_events` evaluates; src/events/filters/compile-filter.ts makes it of the filter.
  filter_path text,
  filter_query jsonpath generated always as (filter_path::jsonpath) stored,
  filter_times jsonb,
  filter_scans int,
  -- Both null: the whole event. Otherwise body_id is the current version, with the same text.
  selection text,
  template text,
  body_id uuid,
  uid text,
  metadata jsonb not null default '{}',
  label_hashes text[] not null generated always as (posthorn.label_hashes(metadata)) stored,
  -- Both count only while the organization has the same value.
  keep_response_bodies boolean not null default true,
  keep_payloads boolean not null default true,
  -- The prefix of the headers with the id, the timestamp and the signature. Null: that of the installation.
  header_prefix text,
  -- Whether a URL is only used once its endpoint has answered a challenge.
  verify_endpoint boolean not null default false,
  -- When the endpoint of the URL answered a challenge. Null: never.
  endpoint_verified_at timestamptz,
  -- `filter_steps`: of any event; `filter_scans`: for each value and each 64 bytes of its data.
  filter_steps int,
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
    deleted_at is null or not enabled and headers_ciphertext is null),
  constraint a_filter_is_compiled
    check ((filter is null) = (filter_path is null) and (filter is null) = (filter_scans is null)),
  constraint a_chosen_body_has_a_version check (
    num_nonnulls(selection, template) = num_nonnulls(body_id)),
  constraint a_uid_has_1_to_255_characters check (length(uid) between 1 and 255),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint header_prefix_is_known check (header_prefix in ('wh-', 'webhook-', 'svix-')),
  constraint only_verified_endpoints_are_used
      check (not verify_endpoint or endpoint_verified_at is not null),
  constraint a_filter_has_steps check ((filter is null) = (filter_steps is null))
);
alter table posthorn.webhooks enable row level security;
-- Serves: the webhooks of an organization, and those that subscribe to an event.
create index webhooks_organization_id_id on posthorn.webhooks (organization_id, id) where deleted_at is null;
create policy own_organization on posthorn.webhooks
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- Finds a webhook by its uid, and keeps uids unique in the organization. The uid of a deleted webhook is free again.
create unique index webhooks_own_uid on posthorn.webhooks (organization_id, uid)
  where deleted_at is null and uid is not null;

-- Finds webhooks by their labels, in an organization with many webhooks.
create index webhooks_labels on posthorn.webhooks using gin (label_hashes) where deleted_at is null;

create table posthorn.signing_secrets (
  id uuid primary key default posthorn.uuid_v7(),
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  key_ciphertext bytea not null,
  created_at timestamptz not null default now(),
  -- Null for the current secret; 24 hours after the rotation for a previous one.
  expires_at timestamptz
);
alter table posthorn.signing_secrets enable row level security;
create index signing_secrets_webhook_id on posthorn.signing_secrets (webhook_id);
create unique index signing_secrets_one_current on posthorn.signing_secrets (webhook_id) where expires_at is null;
-- Serves: deleting expired secrets.
create index signing_secrets_expires_at on posthorn.signing_secrets (expires_at) where expires_at is not null;
create policy own_organization on posthorn.signing_secrets
  using ((select posthorn.current_organization()) is null or exists (
    select from posthorn.webhooks as w where w.id = webhook_id
  ));

-- The outcome of the last attempts of each webhook.
create table posthorn.webhook_conditions (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  last_success_at timestamptz,
  -- Since the last success: the start of the first failed attempt, the number of failures, and the last error.
  failing_since timestamptz,
  consecutive_failures int not null default 0,
  last_error text,
  -- Of an enabled webhook that is not on hold. src/webhooks/evaluate-health.ts sets it.
  state text not null default 'healthy'
    constraint state_is_known check (state in ('healthy', 'degraded', 'behind', 'failing')),
  -- Null until the state has changed once.
  state_since timestamptz,
  behind_cause text
    constraint behind_cause_is_known check (
      behind_cause in ('rate_limit', 'concurrency_limit', 'ordered', 'capacity', 'catching_up')),
  -- As of the last evaluation: deliveries that were first attempted in the window, and those of them that failed.
  first_attempts int not null default 0,
  first_attempts_failed int not null default 0,
  -- When the oldest delivery that waits for the webhook or for a worker was created, as of the last evaluation.
  oldest_waiting_at timestamptz,
  -- Null while nothing can change the state but a failure or a backlog.
  next_evaluation_at timestamptz,
  constraint behind_means_cause_given check ((state = 'behind') = (behind_cause is not null))
) with (fillfactor = 50);
-- Serve: the webhooks to evaluate, the longest overdue first, and the webhooks in trouble.
create index webhook_conditions_next_evaluation_at on posthorn.webhook_conditions (next_evaluation_at)
  where next_evaluation_at is not null;
create index webhook_conditions_in_trouble on posthorn.webhook_conditions (webhook_id) where state <> 'healthy';

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
  -- Why the webhook is on hold, if it is.
  on_hold_reason text not null default 'failing'
    constraint on_hold_reason_known check (on_hold_reason in ('failing', 'retry_after')),
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
  is_test boolean not null default false,
  -- The data before the change that the event reports, character for character as published. Null: not given.
  previous text,
  -- When the payload was erased. Then `data` is the JSON text null, and `previous` is null.
  erased_at timestamptz,
  -- The size of a payload that was erased because it is not kept after its delivery. Null for one that is kept, and for one
  -- that somebody erased.
  unkept_bytes int
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
  -- The one of the webhook when the delivery was created, so that retries and redeliveries send the same bytes.
  body_id uuid,
  -- Whether its event is erased. The statement that records an attempt reads it in the locked row, so that the answer of an
  -- attempt in flight is not stored after the erasure.
  is_erased boolean not null default false,
  -- How many workers in a row died with the job of the delivery, since the last recorded attempt. With 2, its job is in the
  -- queue of suspects, which run one at a time. With 4, the next attempt fails without a request.
  worker_deaths smallint not null default 0,
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
  -- The size of a response body, as far as it was read, that is not kept. Null for one that is kept.
  unkept_body_bytes int,
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

-- The queue: the jobs of deliveries and other tasks in graphile-worker, and the workers that run them.
--
-- The functions whose comment begins with "Calls graphile-worker." use graphile-worker's functions and view without a
-- schema name. `posthorn migrate` sets their search_path to POSTHORN_WORKER_SCHEMA (src/queue/worker-schema.ts). They
-- use only the SQL functions and the view that graphile-worker documents.

-- The worker runners of all processes. A runner with a late heartbeat is dead, and its jobs are rescued.
create table posthorn.workers (
  -- The id of the runner's pool in graphile-worker; also in `locked_by` of its jobs.
  id text primary key,
  started_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp()
);

-- Publishing. GraphQL and the command line call `insert_events`; host applications call `publish_events` or
-- `publish_event` inside their own transactions.

-- The settings that SQL functions need: one row, which every worker updates when it starts.
create table posthorn.settings (
  only_row boolean primary key default true,
  -- The attempts of a delivery whose webhook has no retry schedule of its own.
  default_max_attempts int not null default 10,
  -- Of webhooks without their own. The API shows both, as its own environment need not be that of the workers.
  default_retry_schedule_ms int[] not null
    default '{5000,300000,1800000,7200000,18000000,36000000,50400000,72000000,86400000}',
  default_timeout_ms int not null default 15000,
  -- Both are null until an operator sets them. The links of alerts lead to public_url.
  public_url text,
  operator_organization_id uuid
    references posthorn.organizations on delete set null,
  -- POSTHORN_RETENTION of the worker that started last.
  retention_ms bigint not null default 2592000000,
  constraint only_one_row check (only_row)
);

-- Attempts per minute, rolled up per hour once the hour is over, of each webhook; per hour also of each organization.
-- Each backend updates a stripe of its own, so that processes do not wait for each other's row locks.
create table posthorn.webhook_statistics (
  -- A webhook or an organization.
  subject_id uuid not null,
  organization_id uuid not null,
  minutes smallint not null,
  bucket timestamptz not null,
  stripe smallint not null,
  attempts int not null default 0,
  succeeded int not null default 0,
  failed_3xx int not null default 0,
  failed_4xx int not null default 0,
  failed_5xx int not null default 0,
  failed_without_response int not null default 0,
  -- A histogram of durations with the bounds of src/webhooks/latency.ts.
  latency int[] not null default array_fill(0, '{27}'::int[]),
  -- First attempts, and those that failed.
  first_attempts int not null default 0,
  first_attempts_failed int not null default 0,
  -- Deliveries that succeeded within a minute of their creation, that succeeded later, and that were exhausted.
  on_time int not null default 0,
  late int not null default 0,
  exhausted int not null default 0,
  -- A histogram of the time from when a delivery could be sent to its first attempt, with the bounds of the latency.
  first_delay int[] not null default array_fill(0, '{27}'::int[]),
  filtered_out int not null default 0,
  filter_undecided int not null default 0,
  primary key (subject_id, minutes, bucket, stripe),
  constraint buckets_are_minutes_or_hours check (minutes in (1, 60))
) with (fillfactor = 50);
-- Serve: the rollup and the deletion of old rows, and the per-minute rows of an organization.
create index webhook_statistics_bucket on posthorn.webhook_statistics (bucket);

-- The progress of background work that runs in steps.
create table posthorn.cursors (
  name text primary key,
  reached_at timestamptz not null,
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The next value of reached_id, once every transaction that may have created a smaller id has ended.
  next_id uuid,
  next_xid bigint
);

-- An event for many webhooks is stored and answered at once; its deliveries are created afterwards, in pages, by a job:
-- one statement for all of them would delay every organization whose events the same statement stores.

-- Events whose deliveries are not all created yet. An organization's rows are worked off in the order of their ids.
create table posthorn.fan_outs (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- The events in their order, and for each one its type and its webhooks as of publishing: how many there are, and how
  -- many come before them in webhook_ids. Events of one type have the same ones.
  event_ids uuid[] not null,
  event_types text[] not null,
  webhook_counts int[] not null,
  webhook_offsets int[] not null,
  webhook_ids uuid[] not null,
  delivery_count bigint not null,
  -- The deliveries are created event by event, and for each event webhook by webhook.
  created_count bigint not null default 0,
  constraint each_event_has_a_type_and_webhooks check (
    cardinality(event_types) = cardinality(event_ids) and cardinality(webhook_counts) = cardinality(event_ids)
    and cardinality(webhook_offsets) = cardinality(event_ids)),
  constraint some_deliveries_are_not_created check (created_count >= 0 and created_count < delivery_count)
);
-- Serves: the oldest row of an organization.
create index fan_outs_organization_id_id on posthorn.fan_outs (organization_id, id);

-- Work in pages (src/queue/long-work.ts).
create table posthorn.bulk_tasks (
  id uuid primary key default posthorn.uuid_v7(),
  -- No foreign key: the deletion of an organization outlives it, as its tombstone.
  organization_id uuid not null,
  -- Set if all its deliveries are to one webhook.
  webhook_id uuid,
  action posthorn.bulk_task_action not null,
  -- Which deliveries or events. Of a search key, the path. Of the deletion of an organization, who requested it: the person, the
  -- id of the API key, or `command line`.
  selection jsonb not null,
  -- The value of a search key, encrypted, until the task has ended.
  value_ciphertext bytea,
  -- Null for an erasure and for deletions.
  rate_per_second int,
  state posthorn.bulk_task_state not null default 'running',
  failure text,
  total int not null,
  total_is_exact boolean not null,
  changed int not null default 0,
  canceled int not null default 0,
  -- The events that the last pass of an erasure left: their deliveries are not sent yet.
  waiting int not null default 0,
  -- The last delivery that a page has read: the last attempt for a filter of attempts, the last event for a recovery or an
  -- erasure.
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- How far an erasure or a deletion is, besides (src/bulk-tasks/erase.ts, src/organizations/deletion/delete-rows.ts).
  progress jsonb not null default '{}',
  next_page_at timestamptz not null default now(),
  -- Once every transaction before this one has ended, all events published before the task are visible.
  started_xid bigint not null default ((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint,
  finished_at timestamptz,
  constraint recovery_has_a_webhook check (action not in ('recover', 'delete_webhook') or webhook_id is not null),
  constraint rate_is_1_to_5000_per_second check (rate_per_second between 1 and 5000),
  constraint erasures_and_deletions_have_no_rate
    check ((action in ('erase', 'delete_webhook', 'delete_organization')) = (rate_per_second is null)),
  constraint only_running_tasks_have_a_value check (value_ciphertext is null or state = 'running'),
  constraint finished_or_finished_at_null check ((state = 'running') = (finished_at is null)),
  constraint failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
alter table posthorn.bulk_tasks enable row level security;
-- Serve: the lists of an organization and of a webhook.
create index bulk_tasks_organization_id_id on posthorn.bulk_tasks (organization_id, id);
create index bulk_tasks_webhook_id_id on posthorn.bulk_tasks (webhook_id, id);
create unique index bulk_tasks_one_recovery_running on posthorn.bulk_tasks (webhook_id)
  where state = 'running' and action = 'recover';
create unique index bulk_tasks_one_deletion on posthorn.bulk_tasks (organization_id) where action = 'delete_organization';
-- Serves: the jobs that are missing.
create index bulk_tasks_running on posthorn.bulk_tasks (id) where state = 'running';
create policy own_organization on posthorn.bulk_tasks
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The states of a webhook that alerts reported, until the webhook recovers: each is reported once.
create table posthorn.reported_states (
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  type text not null,
  reported_at timestamptz not null default now(),
  primary key (webhook_id, type)
);

-- The exhausted deliveries of a webhook in the hour after an alert of one. They share the next alert.
create table posthorn.exhausted_deliveries (
  webhook_id uuid primary key references posthorn.webhooks on delete cascade,
  reported_at timestamptz not null default now(),
  count int not null default 0,
  data jsonb,
  constraint count_is_not_negative check (count >= 0)
);

-- Who gets alerts by e-mail.
create table posthorn.alert_addresses (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  email text not null,
  -- The types of the alerts, such as posthorn.webhook.on_hold.
  kinds text[] not null,
  created_at timestamptz not null default now(),
  portal_page_url text,
  -- When a person used the link. Null: never, or the owner unsubscribed since, or the mail server rejected the address.
  confirmed_at timestamptz,
  -- Since when a mail with a link waits to be sent. Null: none waits.
  confirmation_requested_at timestamptz default now(),
  -- What the mail server answered when it rejected the address for good.
  rejection text,
  unique (organization_id, email),
  constraint email_has_3_to_254_characters check (char_length(email) between 3 and 254),
  constraint kinds_are_not_empty check (cardinality(kinds) > 0),
  constraint portal_page_url_is_https_without_fragment
    check (portal_page_url ~ '^https://[^#]+$' and char_length(portal_page_url) <= 2048)
);
alter table posthorn.alert_addresses enable row level security;
create policy own_organization on posthorn.alert_addresses
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The mails about alerts that are not sent yet. Each has a job.
create table posthorn.alert_mails (
  id uuid primary key default posthorn.uuid_v7(),
  address_id uuid not null references posthorn.alert_addresses on delete cascade,
  data jsonb not null,
  created_at timestamptz not null default now()
);
-- Serves: the deletion of an address.
create index alert_mails_address_id on posthorn.alert_mails (address_id);

-- An incident is one time of trouble of a webhook, until it is healthy, disabled or deleted.
create table posthorn.incidents (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  -- The state of the webhook; of a resolved incident, the last one.
  webhook_state text not null,
  -- What a webhook that is behind waits for; else the status or error code of the last failure when the state changed. Null
  -- if there was no recent failure.
  cause text,
  -- Since when the webhook is in trouble.
  opened_at timestamptz not null,
  acknowledged_at timestamptz,
  acknowledged_by text,
  resolved_at timestamptz,
  -- 4 is the worst; 0 for a resolved incident.
  severity smallint not null generated always as (
    case when resolved_at is not null then 0
      else array_position(array['degraded', 'behind', 'failing', 'on_hold'], webhook_state) end) stored,
  constraint webhook_state_is_trouble check (webhook_state in ('degraded', 'behind', 'failing', 'on_hold')),
  constraint acknowledged_means_by_given check ((acknowledged_at is null) = (acknowledged_by is null))
);
alter table posthorn.incidents enable row level security;
create unique index incidents_one_open on posthorn.incidents (webhook_id) where resolved_at is null;
-- Serve: the incidents of an organization and of a webhook.
create index incidents_organization_id_severity_resolved_at_id
  on posthorn.incidents (organization_id, severity, resolved_at, id);
create index incidents_webhook_id_id on posthorn.incidents (webhook_id, id);
-- Serves: the deletion of old incidents.
create index incidents_resolved_at on posthorn.incidents (resolved_at) where resolved_at is not null;
create policy own_organization on posthorn.incidents
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The events that filters refused, and those that they could not decide, by webhook: appended by each publishing statement,
-- and counted in the statistics by a worker. Publishers do not wait for each other, as they would for one row.
create table posthorn.filtered_events (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null,
  -- Parallel arrays.
  webhook_ids uuid[] not null,
  refused_counts int[] not null,
  undecided_counts int[] not null
);

create table posthorn.event_type_versions (
  event_type text not null references posthorn.event_types (name) on delete cascade,
  version integer not null,
  -- As the author wrote it. Null: any JSON is valid.
  schema json,
  created_at timestamptz not null default now(),
  primary key (event_type, version),
  constraint version_is_positive check (version > 0)
);

-- What the body of a webhook contains, the data of an event before a change, and the order in which events are streamed.

-- A version of what the deliveries of a webhook contain instead of the whole event. It never changes.
create table posthorn.webhook_bodies (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null,
  webhook_id uuid not null references posthorn.webhooks (id) on delete cascade,
  version int not null,
  -- GraphQL on the event graph, with what src/bodies/event-graph makes of it when it is saved.
  selection text,
  plan text,
  -- JSON with placeholders.
  template text,
  created_at timestamptz not null default now(),
  unique (webhook_id, version),
  constraint a_body_is_a_selection_or_a_template check ((selection is null) = (template is not null)),
  constraint a_selection_is_compiled check ((selection is null) = (plan is null))
);

-- The organizations whose events are read in the order of their commits, since their first reader.
create table posthorn.event_streams (
  organization_id uuid primary key,
  -- The last event that the stream no longer has: a cursor before it may have missed some. A stream begins at a new position,
  -- so that a cursor of an earlier stream of the organization is before it.
  begins_after bigint not null default nextval('posthorn.stream_positions'),
  begins_after_index int not null default 0
);

-- The events that a statement published, in an organization with a stream. Ids of events are older than their commits, so
-- a reader cannot go by them: it gives the committed batches their positions, one reader of an organization at a time.
create table posthorn.published_batches (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null,
  event_ids uuid[] not null,
  position bigint
);
-- Serve: the batches after a position, and those without one.
create unique index published_batches_organization_id_position on posthorn.published_batches (organization_id, position)
  where position is not null;
create index published_batches_without_position on posthorn.published_batches (organization_id, id) where position is null;

-- A named reader of the stream of an organization.
create table posthorn.event_consumers (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  name text not null,
  -- What the last pull asked for: names and patterns of event types (empty: all), and the JSON of a filter.
  types text[] not null default '{}',
  filter text,
  -- Reading goes on after this event of the stream. What was read before is acknowledged, or in a lease.
  read_position bigint not null,
  read_index int not null,
  last_pulled_at timestamptz,
  -- Events that were deleted at the end of their retention before they were acknowledged.
  missed_count bigint not null default 0,
  last_missed_at timestamptz,
  constraint name_is_valid check (name ~ '^[a-z0-9._-]{1,64}$')
);
alter table posthorn.event_consumers enable row level security;
create unique index event_consumers_organization_id_name on posthorn.event_consumers (organization_id, name);
-- Serves: the list of an organization.
create index event_consumers_organization_id_id on posthorn.event_consumers (organization_id, id);
create policy own_organization on posthorn.event_consumers
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The events of one pull, until they are acknowledged. After its time, they are given to the next pull.
create table posthorn.consumer_leases (
  id uuid primary key default posthorn.uuid_v7(),
  consumer_id uuid not null references posthorn.event_consumers on delete cascade,
  -- Parallel arrays: the events in the order of the stream, and their places in it.
  event_ids uuid[] not null,
  positions bigint[] not null,
  indexes int[] not null,
  expires_at timestamptz not null,
  constraint arrays_are_parallel
    check (cardinality(event_ids) = cardinality(positions) and cardinality(event_ids) = cardinality(indexes))
);
create index consumer_leases_consumer_id_expires_at on posthorn.consumer_leases (consumer_id, expires_at);

-- Events with a delivery that has ended, whose payload is not kept. The statement that ends the delivery adds the row, so that
-- a crash loses none. An event can have several rows: uniqueness would make these statements wait for each other.
create table posthorn.unkept_payloads (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  event_id uuid not null,
  due_at timestamptz not null
);
alter table posthorn.unkept_payloads enable row level security;
-- Serves: the next rows.
create index unkept_payloads_due_at on posthorn.unkept_payloads (due_at);
-- Serves: the deletion of an organization.
create index unkept_payloads_organization_id_id on posthorn.unkept_payloads (organization_id, id);
create policy own_organization on posthorn.unkept_payloads
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The mails of the last day, also to addresses that were removed since: they count towards the limits on mails.
create table posthorn.sent_mails (
  id uuid primary key default posthorn.uuid_v7(),
  -- Who added the address.
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- SHA-256 of the mailbox.
  recipient_hash bytea not null,
  -- Whether the mail had a link to confirm the address.
  is_confirmation boolean not null,
  sent_at timestamptz not null default now()
);
-- Serves: the limits of a mailbox.
create index sent_mails_recipient on posthorn.sent_mails (recipient_hash, sent_at);
-- Serves: the limit of an organization, and its deletion.
create index sent_mails_organization on posthorn.sent_mails (organization_id, id);

create table posthorn.api_keys (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  name text,
  -- SHA-256 of the token. The token itself is never stored.
  token_hash bytea not null unique,
  token_hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  requests_per_second int not null,
  events_per_second int not null,
  deliveries_per_second int not null,
  -- Set for the key of a portal or frontend session, with the API key that created the session.
  session_kind posthorn.session_kind,
  granted_by uuid references posthorn.api_keys on delete cascade,
  -- The only webhook that the session sees; null: all of the organization. The next migration adds the foreign key.
  webhook_id uuid,
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200),
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32),
  constraint scopes_are_not_empty check (cardinality(scopes) > 0),
  constraint requests_per_second_is_from_1_to_1000000 check (requests_per_second between 1 and 1000000),
  constraint events_per_second_is_from_1_to_1000000 check (events_per_second between 1 and 1000000),
  constraint only_sessions_are_granted check (granted_by is null or session_kind is not null),
  constraint only_sessions_are_for_one_webhook check (webhook_id is null or session_kind is not null),
  constraint sessions_expire check (session_kind is null or expires_at is not null),
  constraint sessions_manage_nothing check (session_kind is null or not scopes && array['admin', 'keys:manage']),
  constraint api_keys_webhook_id_fkey foreign key (webhook_id) references posthorn.webhooks on delete cascade,
  constraint deliveries_per_second_is_from_1_to_1000000
    check (deliveries_per_second between 1 and 1000000),
  constraint scopes_are_known check (scopes <@ array[
    'webhooks:read', 'webhooks:write', 'alerts:write', 'secrets:read', 'secrets:rotate', 'events:publish', 'events:read',
    'deliveries:read', 'deliveries:write', 'data:erase', 'keys:manage', 'admin'
  ])
);

-- Changes with all that a process remembers of a key between requests, except its expiry, which passes without a change.
create function posthorn.api_key_version(k posthorn.api_keys) returns text
  language sql stable parallel safe
  return row(k.revoked_at, k.scopes, k.requests_per_second, k.events_per_second, k.deliveries_per_second)::text;

-- Row-level security for every role except the owner: a transaction that acts for one organization can neither see nor
-- change the settings of another. Events, deliveries and attempts have none, because it would slow down the worker.
alter table posthorn.api_keys enable row level security;
-- Serve: the keys of an organization, and its frontend sessions, also those with a name. There can be many sessions.
create index api_keys_keys on posthorn.api_keys (organization_id, id) where session_kind is null;
create index api_keys_sessions on posthorn.api_keys (organization_id, id) where session_kind is not null;
create index api_keys_session_name on posthorn.api_keys (organization_id, name, id) where session_kind is not null;
-- Serve: deleting the keys that a revoked key granted, the keys of a deleted webhook, and ended sessions.
create index api_keys_granted_by on posthorn.api_keys (granted_by) where granted_by is not null;
create index api_keys_webhook_id on posthorn.api_keys (webhook_id) where webhook_id is not null;
create index api_keys_session_expiry on posthorn.api_keys (expires_at) where session_kind is not null;
create policy own_organization on posthorn.api_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
-- Serves: the keys that expire soon.
create index api_keys_expires_at on posthorn.api_keys (expires_at) where session_kind is null;

-- A session of the console, created in exchange for an API key, or for a person's sign-in by OpenID Connect.
create table posthorn.sessions (
  id uuid primary key default posthorn.uuid_v7(),
  token_hash bytea not null unique,
  -- The session has the rights of this key. For a person, the key of the role.
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  -- Null for a session of an API key: the provider's id of the person, and the person's name and email address.
  person_subject text,
  person text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
create index sessions_api_key_id on posthorn.sessions (api_key_id);
create index sessions_expires_at on posthorn.sessions (expires_at);

-- A single-use link that signs in.
create table posthorn.sign_in_links (
  id uuid primary key default posthorn.uuid_v7(),
  token_hash bytea not null unique,
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
create index sign_in_links_api_key_id on posthorn.sign_in_links (api_key_id);

-- The default partitions have the rows of days without a partition.
create table posthorn_partitions.events_default partition of posthorn.events default;

create table posthorn_partitions.event_keys_default partition of posthorn.event_keys default;

-- Half of each page stays free, so that the update after an attempt is heap-only and touches no index.
create table posthorn_partitions.deliveries_default partition of posthorn.deliveries default with (fillfactor = 50);

create table posthorn_partitions.attempts_default partition of posthorn.attempts default;

-- After days without maintenance, the default partitions have rows, and events arrive there. A partition is created
-- beside them, however many rows they have, and retention deletes these when their time has come. Each table is
-- maintained by itself, so that a lock on one of them stops no other.

-- Serves: the deletion of the search keys past retention. The primary key begins with other columns.
create index event_keys_default_event_id on posthorn_partitions.event_keys_default (event_id);

-- # Functions and views

-- `actor` has the keys source, api_key_id, person, address, forwarded_for and user_agent. An organization that is deleted, or
-- is being deleted, gets no entry: a change that began before the deletion would leave one behind.
create function posthorn.write_audit_entry(
  actor jsonb, organization_id uuid, action text, subject_id text, before jsonb, after jsonb
) returns void
  language sql volatile set search_path = pg_catalog, pg_temp
as $$
  insert into posthorn.audit_log
    (organization_id, api_key_id, person, source, address, forwarded_for, user_agent, action, subject_id, before, after)
  select
    write_audit_entry.organization_id, (actor ->> 'api_key_id')::uuid, actor ->> 'person',
    (actor ->> 'source')::posthorn.audit_source,
    actor ->> 'address', actor ->> 'forwarded_for', actor ->> 'user_agent',
    write_audit_entry.action, write_audit_entry.subject_id, write_audit_entry.before, write_audit_entry.after
  where not exists (
    select from posthorn.bulk_tasks as d
    where d.organization_id = write_audit_entry.organization_id and d.action = 'delete_organization'
  )
$$;

create function posthorn.minimum_audit_retention() returns interval
  language sql immutable parallel safe
  return interval '30 days';

-- Rejects changes of entries by every role, except the deletion of old entries, and of those of an organization that is being
-- deleted.
create function posthorn.protect_audit_log() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    if posthorn.uuid_v7_timestamp(old.id) < now() - posthorn.minimum_audit_retention() or exists (
      select from posthorn.bulk_tasks as d
      where d.organization_id = old.organization_id and d.action = 'delete_organization' and d.state = 'running'
    ) then
      return old;
    end if;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.audit_log is append-only: no role can change its entries, or delete them within 30 days.';
end
$$;

-- The service's role cannot delete entries or keys, so these functions delete old ones with the owner's privileges.
create function posthorn.delete_old_audit_entries(retention interval) returns bigint
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with deleted as (
    delete from posthorn.audit_log
    where id < posthorn.uuid_v7_lower_bound(now() - greatest(retention, posthorn.minimum_audit_retention())) returning 1
  )
  select count(*) from deleted
$$;

create function posthorn.delete_ended_session_keys() returns bigint
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with deleted as (
    delete from posthorn.api_keys where session_kind is not null and expires_at < now() - interval '1 day' returning 1
  )
  select count(*) from deleted
$$;

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

create function posthorn.partitions_before(first_kept_day date) returns table (name text, parent_name text)
  language sql stable
  begin atomic
    select relname::text, regexp_replace(relname::text, '_[0-9]{8}$', '') from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = 'posthorn_partitions')
      and relkind = 'r' and relname ~ '_[0-9]{8}$' and to_date(right(relname, 8), 'YYYYMMDD') < first_kept_day
    order by right(relname, 8), array_position(array['events', 'event_keys', 'deliveries', 'attempts'],
      regexp_replace(relname::text, '_[0-9]{8}$', ''));
  end;

-- Gives each delivery exactly one job, with the delivery's id as its key and the delivery's attempt counts. A delivery
-- must not occur twice in the array. A running job with the key loses the key, and graphile-worker removes it when it
-- ends.
--
-- Jobs for later, and those of more than 100 deliveries of an organization at once, get the priority 1. Jobs of priority 0
-- run before them, so that a large batch delays no other organization.
create function posthorn.schedule_deliveries(jobs posthorn.delivery_job[], queue text default null) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  keys constant text[] := array(
    select posthorn.type_id('msg', job.delivery_id) from unnest(jobs) with ordinality as job order by job.ordinality);
  added_ids bigint[];
  added_keys text[];
  added record;
begin
  if coalesce(cardinality(jobs), 0) = 0 then
    return;
  end if;
  select coalesce(array_agg(job.id), '{}'), coalesce(array_agg(job.key), '{}') into added_ids, added_keys
  from add_jobs(array(
    select row(
      'posthorn:deliver',
      json_build_object(
        'deliveryId', given.key, 'webhookId', named.webhook, 'eventType', given.event_type,
        'organizationId', named.organization),
      schedule_deliveries.queue, coalesce(given.run_at, now()), least(given.max_attempts, 32767), given.key,
      case when given.run_at <= now() and named.deliveries <= 100 then 0 else 1 end, null
    )::job_spec
    from unnest(jobs, keys) with ordinality as given
      (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key, ordinality)
    join (
      select webhook_id, posthorn.type_id('wh', webhook_id) as webhook,
        posthorn.type_id('org', organization_id) as organization,
        sum(count(*)) over (partition by organization_id) as deliveries
      from unnest(jobs) group by webhook_id, organization_id
    ) as named using (webhook_id)
    order by given.ordinality
  )) as job;

  -- `add_jobs` has no parameters for attempts and errors. Workers see the jobs only after the transaction commits.
  if exists (select from unnest(jobs) as job where job.attempts > 0 or job.run_at is null) then
    for added in
      select array_agg(job.id) as ids, format('%s (attempt %s of %s)', last_error, attempts, max_attempts) as error
      from unnest(jobs, keys) as given
        (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
      join unnest(added_ids, added_keys) as job (id, key) using (key)
      where attempts > 0 and last_error is not null or run_at is null
      group by 2
    loop
      perform permanently_fail_jobs(added.ids, added.error);
    end loop;
    for added in
      select array_agg(job.id) as ids, least(attempts, 32766) as attempts
      from unnest(jobs, keys) as given
        (delivery_id, webhook_id, organization_id, event_type, run_at, attempts, max_attempts, last_error, key)
      join unnest(added_ids, added_keys) as job (id, key) using (key)
      where attempts > 0 and run_at is not null
      group by 2
    loop
      perform reschedule_jobs(added.ids, attempts := added.attempts);
    end loop;
  end if;

  -- `add_jobs` skips a job that a worker claims at the same time. Its key is free now.
  if cardinality(added_keys) < cardinality(jobs) then
    perform posthorn.schedule_deliveries(array(
      select job from unnest(jobs) as job
      where posthorn.type_id('msg', job.delivery_id) <> all (added_keys)), queue);
  end if;
end
$$;

-- Restores the jobs of deliveries after a job was lost or failed, or after its worker died, and removes the jobs of
-- deliveries that need none. A locked job loses its key, so that a worker that was taken for dead cannot complete the
-- new job.
create function posthorn.restore_delivery_jobs(delivery_ids uuid[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  restored posthorn.delivery_job[];
  suspects posthorn.delivery_job[];
begin
  perform posthorn.complete_delivery_jobs(array(
    select posthorn.type_id('msg', d.id) from posthorn.deliveries as d
    where d.id = any (delivery_ids) and d.state <> 'exhausted'));
  with restorable as (
    update posthorn.deliveries as d set job_written_at = now(), redelivery_requested = false
    where d.id = any (delivery_ids) and d.state = 'pending' and d.parked_at is null
    returning d.*
  )
  select array_agg(job) filter (where worker_deaths < 2), array_agg(job) filter (where worker_deaths >= 2)
  into restored, suspects
  from (
    select d.worker_deaths, row(
      d.id, d.webhook_id, d.organization_id, d.event_type, coalesce(d.next_attempt_at, now()), d.attempt_count,
      greatest(d.max_attempts, d.attempt_count + 1), d.last_error)::posthorn.delivery_job as job
    from restorable as d
  ) as restorable;
  perform posthorn.schedule_deliveries(restored);
  perform posthorn.schedule_deliveries(suspects, 'posthorn:suspects');
end
$$;

-- Runs the job of a delivery now. Returns false, and changes nothing, if an attempt is running.
create function posthorn.run_delivery_now(job posthorn.delivery_job) returns boolean
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  found_id bigint;
begin
  select id into found_id from jobs where key = posthorn.type_id('msg', job.delivery_id);
  if not found then
    perform posthorn.schedule_deliveries(array[job]);
    return true;
  end if;
  -- Returns no row if the job is locked.
  perform from reschedule_jobs(array[found_id], run_at := job.run_at, priority := 0, attempts := job.attempts,
    max_attempts := job.max_attempts);
  return found;
end
$$;

-- Removes the jobs with these keys, except running ones. Returns how many.
create function posthorn.complete_delivery_jobs(keys text[]) returns int
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select count(*) from complete_jobs(array(
      select id from jobs where key = any (keys) and locked_at is null)));
end
$$;

-- The names and the array indexes of a path. src/event-types/search-key.ts has checked the path.
create function posthorn.search_key_steps(path text) returns text[]
  language sql immutable parallel safe
  return array(
    select coalesce(step[1], step[2], step[3])
    from regexp_matches(path, '\.([^.[]+)|\[(\d+)\]|\[''([^'']+)''\]', 'g') as step);

-- The values of the data at the keys, in their order: a string without its quotes, a number as it is written, or a
-- boolean. Null for an object, an array, null, a missing value, and more than 200 characters. Returns no values if
-- Postgres cannot read the data because of \u0000, a lone surrogate or very deep nesting.
create function posthorn.search_values(data text, keys posthorn.search_key[]) returns text[]
  language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  document json;
  key posthorn.search_key;
  found json;
  value text;
  found_values text[] := '{}';
begin
  document := data;
  foreach key in array keys loop
    found := document #> key.steps;
    value := case when json_typeof(found) in ('string', 'number', 'boolean') then found #>> '{}' end;
    found_values := found_values || case when char_length(value) <= 200 then value end;
  end loop;
  return found_values;
exception
  when untranslatable_character or invalid_text_representation or statement_too_complex then
    return '{}';
end
$$;

-- Stores the values of events at the search keys of their types. The arrays are those of `insert_events`.
create function posthorn.insert_event_keys(
  event_ids uuid[], organization_ids uuid[], types text[], data text[], duplicates boolean[]
) returns void
  language sql set search_path = pg_catalog, pg_temp
as $$
  with keyed as materialized (
    select name as type,
      array(select row(path, posthorn.search_key_steps(path))::posthorn.search_key from unnest(search_keys) as path) as keys
    from posthorn.event_types where name = any (types) and search_keys <> '{}'
  )
  insert into posthorn.event_keys (organization_id, path, value, event_id)
  select given.organization_id, key.path, given.found[key.i], given.id
  from (
    select given.id, given.organization_id, keyed.keys, posthorn.search_values(given.data, keyed.keys) as found
    from unnest(event_ids, organization_ids, types, data, duplicates)
      as given (id, organization_id, type, data, duplicate)
    join keyed on keyed.type = given.type
    where not given.duplicate
    offset 0
  ) as given
  cross join lateral unnest(given.keys) with ordinality as key (path, steps, i)
  where given.found[key.i] is not null
$$;

-- Postgres rejects \u0000 and lone surrogates when it unescapes JSON strings, but Posthorn must keep such data unchanged.
-- So mask_unicode_escapes turns each \u into an escaped backslash and a u, and unmask_unicode_escapes restores it. \x01
-- marks escaped backslashes in between; valid JSON cannot contain that control character.
create function posthorn.mask_unicode_escapes(given json) returns json
  language sql immutable parallel safe
  return case when strpos(given::text, '\u') = 0 then given
    else replace(replace(replace(given::text, '\\', e'\x01'), '\u', '\\u'), e'\x01', '\\\\')::json end;

create function posthorn.unmask_unicode_escapes(masked json) returns text
  language sql immutable parallel safe
  return replace(replace(replace(masked::text, '\\\\', e'\x01'), '\\u', '\u'), e'\x01', '\\');

-- The comment on the overload for text says what the callers need. Raises 22023 (invalid_parameter_value) with a list of what is
-- wrong in the input, and PH409 if an idempotency key was used for another event.
create function posthorn.publish_events(organization text, events json)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  organization_id constant uuid := posthorn.require_organization(organization);
  given record;
  message text;
  more int;
begin
  if events is null or json_typeof(events) <> 'array' then
    raise invalid_parameter_value using message = 'events: give a JSON array of events.';
  end if;

  select count(*)::int as count,
    array_agg(format('events[%s]%s: %s', i - 1, '.' || issue.field, issue.rule) order by i)
      filter (where issue.rule is not null) as problems,
    array_agg(case when issue.field = 'type' then fields ->> 'type' end order by i)
      filter (where issue.rule is not null) as unknown_types,
    array_agg(fields ->> 'type' order by i) filter (where issue.rule is null) as types,
    array_agg(data order by i) as data,
    array_agg(previous order by i) as previous,
    array_agg(coalesce((fields ->> 'timestamp')::timestamptz, now()) order by i) filter (where issue.rule is null)
      as occurred_at,
    array_agg(fields ->> 'idempotencyKey' order by i) filter (where issue.rule is null) as idempotency_keys,
    array_agg(fields ->> 'traceparent' order by i) filter (where issue.rule is null) as trace_parents
  into given
  from json_array_elements(posthorn.mask_unicode_escapes(events)) with ordinality as element (event, i),
    lateral (
      select posthorn.unmask_unicode_escapes(event -> 'data') as data,
        case when json_typeof(event -> 'previous') <> 'null' then posthorn.unmask_unicode_escapes(event -> 'previous') end
          as previous,
        case when json_typeof(event) <> 'object' then event
        else (
          select coalesce(json_object_agg(key, posthorn.unmask_unicode_escapes(value)::json), '{}')
          from json_each(event) where key not in ('data', 'previous')
        ) end as fields
    ) as item,
    posthorn.event_issue(fields, data, previous) as issue;
  if given.problems is not null then
    select string_agg(listed.problem || coalesce(' ' || posthorn.event_type_hint(listed.type), ''), ' ' order by listed.i)
    into message
    from unnest(given.problems[1:5], given.unknown_types[1:5]) with ordinality as listed (problem, type, i);
    more := cardinality(given.problems) - 5;
    raise invalid_parameter_value using message = message
      || case when more > 0 then format(' And %s more.', more) else '' end;
  end if;
  if given.count = 0 then
    return;
  end if;

  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(
      array_fill(organization_id, array[given.count]), given.types, array_fill(null::bigint, array[given.count]),
      given.data, given.occurred_at, given.idempotency_keys, given.trace_parents, null, given.previous
    ) as stored
    order by stored.ordinal;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'events: the JSON is nested too deeply. Nest it less deeply.';
end
$$;

-- JSON that a caller has given as text. Names the argument if it is none.
create function posthorn.parse_json(argument text, given text) returns json
  language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  return given::json;
exception
  when invalid_text_representation then
    raise invalid_parameter_value using message = argument || ': it is not JSON: ' || sqlerrm || '.';
  when statement_too_complex then
    raise invalid_parameter_value using message = argument || ': the JSON is nested too deeply. Nest it less deeply.';
end
$$;

create function posthorn.publish_events(organization text, events text)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from posthorn.publish_events(organization, posthorn.parse_json('events', events));
end
$$;

-- By way of text, as a value that is jsonb may be nested too deeply for json.
create function posthorn.publish_events(organization text, events jsonb)
  returns table (event_id text, delivery_count int, duplicate boolean)
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select * from posthorn.publish_events(organization, events::text)
$$;

-- The partitions that these days lack. What only has the name of one is none.
create function posthorn.missing_partitions(first_day date, last_day date)
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
create function posthorn.create_partition(parent text, day date) returns boolean
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

-- Adds a job for another task. It replaces a waiting job with the same key.
create function posthorn.enqueue(
  task text, payload json, job_key text default null, run_at timestamptz default null, queue text default null
) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform add_job('posthorn:' || task, payload := enqueue.payload, queue_name := enqueue.queue,
    run_at := enqueue.run_at, job_key := enqueue.job_key);
end
$$;

-- Creates one delivery for each element of the parallel arrays, with its job, as the webhook is now: parked if it is
-- ordered, on hold or has a backlog, and canceled if it was deleted since the event was published. If there are few, returns
-- those with a job, so that the process that published the events need not load them.
create function posthorn.create_deliveries(
  organization_ids uuid[], event_ids uuid[], event_types text[], webhook_ids uuid[]
) returns posthorn.queued_delivery[]
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  default_max_attempts constant int := (select s.default_max_attempts from posthorn.settings as s);
  max_returned constant int := 20;
  queued posthorn.queued_delivery[];
begin
  with created as materialized (
    select posthorn.uuid_v7() as id, in_order.*, not in_order.is_deleted and in_order.parked_reason is null as is_queued
    from (
      select given.*, w.*
      from unnest(organization_ids, event_ids, event_types, webhook_ids) with ordinality
        as given (organization_id, event_id, event_type, webhook_id, i)
      -- `offset 0` prevents the planner from flattening the subqueries, so that the primary keys of webhooks and
      -- webhook_schedules serve them even if the tables were small at planning time.
      join lateral (
        select w.ordered, w.body_id, w.deleted_at is not null as is_deleted,
          case when w.own_retry_schedule then 1 + cardinality(w.retry_schedule_seconds)
            else default_max_attempts end as max_attempts,
          case
            when w.deleted_at is not null then null
            when w.ordered then 'ordered'
            when s.on_hold_since is not null then 'on_hold'
            when s.backlog_since is null then null
            when w.rate_limit_per_second is not null then 'rate_limit'
            else 'concurrency_limit'
          end as parked_reason
        from posthorn.webhooks as w
        left join lateral (
          select s.on_hold_since, s.backlog_since from posthorn.webhook_schedules as s where s.webhook_id = w.id
          offset 0
        ) as s on true
        where w.id = given.webhook_id
        offset 0
      ) as w on true
      order by given.i
    ) as in_order
  ),
  inserted as (
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, state, finished_at,
      max_attempts, next_attempt_at, parked_at, parked_reason, body_id)
    select c.id, c.organization_id, c.webhook_id, c.event_id, c.event_type,
      case when c.is_deleted then 'canceled' else 'pending' end::posthorn.delivery_state,
      case when c.is_deleted then now() end, c.max_attempts, case when c.is_queued then now() end,
      case when c.parked_reason is not null then now() end, c.parked_reason, c.body_id
    from created as c
  ),
  scheduled as (
    select posthorn.schedule_deliveries(array_agg(row(
      c.id, c.webhook_id, c.organization_id, c.event_type, now(), 0, c.max_attempts, null)::posthorn.delivery_job
      order by c.i))
    from created as c where c.is_queued having count(*) > 0
  ),
  -- All deliveries of an ordered webhook start in its backlog, so a job must release the first one.
  released as (
    select count(posthorn.enqueue('release_backlog',
      json_build_object('webhookId', posthorn.type_id('wh', ordered.webhook_id))))
    from (
      select distinct c.webhook_id from created as c where c.parked_reason = 'ordered'
    ) as ordered
  )
  select few.queued into queued
  from (
    select array_agg(row(c.id, c.event_id, c.webhook_id, c.body_id)::posthorn.queued_delivery) as queued
    from created as c where c.is_queued and cardinality(webhook_ids) <= max_returned
  ) as few
  left join scheduled on true left join released on true;
  return queued;
end
$$;

-- Adds a job that creates the deliveries of an organization's events that still fan out.
create function posthorn.start_fan_out(organization_id uuid) returns void
  language sql set search_path = pg_catalog, pg_temp
as $$
  select posthorn.enqueue('fan_out',
    json_build_object('organizationId', posthorn.type_id('org', start_fan_out.organization_id)))
$$;

-- Creates the next page of deliveries of an organization's events that fan out. Returns their number: 0 if there are none,
-- and null if another job creates a page of this organization at the same time.
--
-- A rest of up to a hundred belongs to the last page: fewer deliveries at once would get jobs of high priority.
create function posthorn.fan_out(organization_id uuid, page_size int) returns int
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  oldest posthorn.fan_outs;
  all_webhooks uuid[];
  reached_count bigint;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('posthorn.fan_out:' || fan_out.organization_id, 0)) then
    return null;
  end if;
  select f.* into oldest from posthorn.fan_outs as f
  where f.organization_id = fan_out.organization_id order by f.id limit 1;
  if not found then
    return 0;
  end if;
  reached_count := oldest.created_count + page_size;
  if reached_count + 100 >= oldest.delivery_count then
    reached_count := oldest.delivery_count;
  end if;
  all_webhooks := oldest.webhook_ids;
  perform posthorn.create_deliveries(
    array_agg(oldest.organization_id), array_agg(e.id order by e.i, w.n), array_agg(e.type order by e.i, w.n),
    array_agg(w.id order by e.i, w.n))
  from (
    -- For each event, how many deliveries come before its first one.
    select given.*, sum(given.webhooks) over (order by given.i) - given.webhooks as before
    from unnest(oldest.event_ids, oldest.event_types, oldest.webhook_counts, oldest.webhook_offsets) with ordinality
      as given (id, type, webhooks, skipped, i)
  ) as e
  cross join lateral unnest(all_webhooks[
    e.skipped + 1 + greatest(oldest.created_count - e.before, 0)
    : e.skipped + least(reached_count - e.before, e.webhooks)
  ]) with ordinality as w (id, n)
  where e.before < reached_count and e.before + e.webhooks > oldest.created_count;
  if reached_count = oldest.delivery_count then
    delete from posthorn.fan_outs as f where f.id = oldest.id;
  else
    update posthorn.fan_outs as f set created_count = reached_count where f.id = oldest.id;
  end if;
  return (reached_count - oldest.created_count)::int;
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
  -- `offset 0` prevents the planner from reading all deliveries or events instead of looking up these by their indexes.
  execute format(
    'delete from posthorn_partitions.%I as old where %I = any ($1) and %s',
    parent || '_default', posthorn.partition_column(parent), case parent
      when 'events' then
        'not exists (select from posthorn.deliveries as d where d.event_id = old.id and d.state = ''pending'' offset 0)'
      when 'event_keys' then 'not exists (select from posthorn.events as e where e.id = old.event_id offset 0)'
      when 'deliveries' then 'old.state <> ''pending'''
      else 'not exists (select from posthorn.deliveries as d where d.id = old.delivery_id and d.state = ''pending'' offset 0)'
    end)
  using page;
  get diagnostics deleted = row_count;
  reached := page[max_rows];
end
$$;

-- The remedy for an event type that the catalogue does not have: the names with the same first word, or with any. Null for a
-- type that is null.
create function posthorn.event_type_hint(given text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case when given is not null then coalesce(
    (
      select 'The event types are ' || string_agg(listed.name, ', ') || case when count(*) = 5 then ', …' else '.' end
      from (
        select t.name from posthorn.event_types as t where t.archived_at is null
        order by split_part(t.name, '.', 1) <> split_part(given, '.', 1), t.name collate "C" limit 5
      ) as listed
    ),
    'The catalogue is empty: add the type with createEventType.'
  ) end
$$;

create function posthorn.delete_old_bulk_tasks(retention interval) returns bigint
  language sql security definer set search_path = pg_catalog, pg_temp
as $$
  with deleted as (
    delete from posthorn.bulk_tasks
    where finished_at < now() - retention and action not in ('erase', 'delete_organization') returning 1
  )
  select count(*) from deleted
$$;

-- The uuid of an organization that a caller of SQL names. Throws for one that does not exist, or is being deleted.
create function posthorn.require_organization(organization text) returns uuid
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  organization_id constant uuid := posthorn.parse_type_id('org', organization);
begin
  if exists (
    select from posthorn.organizations as o where o.id = organization_id and o.deleted_at is null
  ) then
    return organization_id;
  end if;
  raise invalid_parameter_value using message = format(
    'organization: there is no organization %L. `posthorn organization list` shows their ids.',
    posthorn.excerpt(organization));
end
$$;

-- Tells something in the transaction that makes it true: by an event in the organization and in the operator's, and by
-- e-mail. `webhook_id` is null if the alert concerns no webhook. With the type of a state, such as posthorn.webhook.on_hold,
-- it does nothing if this state was reported since the last recovery. posthorn.webhook.recovered ends what was reported.
create function posthorn.alert(organization_id uuid, webhook_id uuid, type text, data jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
#variable_conflict use_column
declare
  state constant text := substring(alert.type from '^posthorn\.webhook\.(.*)$');
  contents jsonb := alert.data;
  ended record;
  host text;
  description text;
  is_receiver_of_alerts boolean := false;
  is_published constant boolean := posthorn.publishes_alerts(alert.type);
  recipients constant uuid[] := posthorn.alert_recipients(alert.organization_id, alert.type);
  recipient uuid;
  mail uuid;
  targets uuid[];
begin
  if state = 'recovered' then
    with reported as (
      delete from posthorn.reported_states as r where r.webhook_id = alert.webhook_id returning r.*
    )
    select substring(r.type from '[^.]*$') as state, r.reported_at into ended
    from reported as r order by r.reported_at desc limit 1;
    if not found then
      return;
    end if;
  end if;
  if not is_published and cardinality(recipients) = 0 then
    return;
  end if;
  if state = 'recovered' then
    contents := jsonb_build_object('state', 'healthy', 'previous_state', ended.state, 'since', ended.reported_at) || contents;
  elsif state is not null then
    insert into posthorn.reported_states as r (webhook_id, type) values (alert.webhook_id, alert.type)
    on conflict do nothing;
    if not found then
      return;
    end if;
    contents := jsonb_build_object('state', state) || contents;
  end if;
  if alert.webhook_id is not null then
    select lower(substring(w.url from '^[^:]+://(\[[^]]*\]|[^/:?#]+)')), w.description,
      not exists (select from unnest(w.event_subscriptions) as name where name not like 'posthorn.%')
    into host, description, is_receiver_of_alerts
    from posthorn.webhooks as w where w.id = alert.webhook_id and w.deleted_at is null;
    if not found then
      return;
    end if;
    contents := jsonb_build_object('webhook', jsonb_build_object(
      'id', posthorn.type_id('wh', alert.webhook_id), 'host', host, 'description', description)) || contents;
  end if;
  select contents
      || jsonb_build_object('organization', jsonb_build_object('id', posthorn.type_id('org', o.id), 'name', o.name))
      || jsonb_strip_nulls(jsonb_build_object('link', s.public_url || '/console/'
        || coalesce('webhooks/' || posthorn.type_id('wh', alert.webhook_id), 'api-keys'))),
    -- A receiver of operational events alone never hears of itself.
    array(
      select distinct t.id from unnest(array[o.id, s.operator_organization_id]) as t (id)
      where t.id is not null and not (is_receiver_of_alerts and t.id = o.id))
  into contents, targets
  from posthorn.organizations as o, posthorn.settings as s where o.id = alert.organization_id;
  contents := contents || posthorn.alert_words(alert.type, contents);
  foreach recipient in array recipients loop
    insert into posthorn.alert_mails (address_id, data) values (recipient, contents) returning id into mail;
    perform posthorn.enqueue('send_alert', json_build_object('mailId', posthorn.type_id('mail', mail)), 'mail:' || mail,
      queue := 'posthorn:mail');
  end loop;
  if is_published and cardinality(targets) > 0 then
    perform posthorn.insert_events(targets, array_agg(alert.type), array_agg(null::bigint), array_agg(contents::text),
      array_agg(now()), array_agg(null::text), array_agg(null::text))
    from unnest(targets);
  end if;
exception
  -- An operator has just archived the type.
  when sqlstate 'PH412' then
    return;
end
$$;

-- Whether an event of this operational type is published. The catalogue is the switch: without the type, there is none.
create function posthorn.publishes_alerts(type text) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from posthorn.event_types as t where t.name = publishes_alerts.type and t.archived_at is null)
$$;

-- The confirmed addresses of an organization and of the operator's that get the alerts of this type.
create function posthorn.alert_recipients(organization_id uuid, type text) returns uuid[]
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select a.id from posthorn.alert_addresses as a
    where a.organization_id in (
        alert_recipients.organization_id, (select s.operator_organization_id from posthorn.settings as s))
      and a.confirmed_at is not null and alert_recipients.type = any (a.kinds)
    order by a.id)
$$;

-- Reports exhausted deliveries of a webhook: the first one at once, and those of the hour afterwards together.
create function posthorn.alert_exhausted(organization_id uuid, webhook_id uuid, count int, data jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  is_first boolean;
begin
  if not posthorn.publishes_alerts('posthorn.delivery.exhausted') and cardinality(
    posthorn.alert_recipients(alert_exhausted.organization_id, 'posthorn.delivery.exhausted')) = 0
  then
    return;
  end if;
  insert into posthorn.exhausted_deliveries as e (webhook_id) values (alert_exhausted.webhook_id)
  on conflict (webhook_id) do update set count = e.count + alert_exhausted.count, data = alert_exhausted.data
  returning e.count = 0 into is_first;
  if is_first then
    perform posthorn.alert(alert_exhausted.organization_id, alert_exhausted.webhook_id,
      'posthorn.delivery.exhausted', alert_exhausted.data || jsonb_build_object('count', alert_exhausted.count));
  end if;
end
$$;

-- Reports the exhausted deliveries of the hours that are over, of up to 100 webhooks. Returns for how many webhooks.
create function posthorn.alert_more_exhausted() returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item record;
  webhooks int := 0;
begin
  for item in
    select e.*, w.organization_id
    from posthorn.exhausted_deliveries as e join posthorn.webhooks as w on w.id = e.webhook_id
    where e.reported_at <= now() - interval '1 hour'
    order by e.webhook_id limit 100 for update of e skip locked
  loop
    webhooks := webhooks + 1;
    if item.count = 0 then
      delete from posthorn.exhausted_deliveries as e where e.webhook_id = item.webhook_id;
    else
      update posthorn.exhausted_deliveries as e set reported_at = now(), count = 0 where e.webhook_id = item.webhook_id;
      perform posthorn.alert(item.organization_id, item.webhook_id, 'posthorn.delivery.exhausted',
        item.data || jsonb_build_object('count', item.count));
    end if;
  end loop;
  return webhooks;
end
$$;

-- Reports once each API key that expires within 7 days, and each old signing secret that expires within 4 hours. What was
-- created with less time left is not reported.
create function posthorn.alert_expiring() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  reported_until timestamptz;
  item record;
begin
  update posthorn.cursors as c set reached_at = now()
  from (select name, reached_at from posthorn.cursors where name = 'expiring' for update skip locked) as before
  where c.name = before.name returning before.reached_at into reported_until;
  if not found then
    return;
  end if;
  for item in
    select k.organization_id, k.id, k.name, k.token_hint, k.scopes, k.expires_at from posthorn.api_keys as k
    where k.session_kind is null and k.revoked_at is null
      and k.expires_at > reported_until + interval '7 days' and k.expires_at <= now() + interval '7 days'
    order by k.id
  loop
    perform posthorn.alert(item.organization_id, null, 'posthorn.api_key.expiring',
      posthorn.api_key_alert(item.id, item.name, item.token_hint, item.scopes, item.expires_at));
  end loop;
  for item in
    select w.organization_id, s.webhook_id, s.expires_at
    from posthorn.signing_secrets as s join posthorn.webhooks as w on w.id = s.webhook_id
    where s.expires_at > reported_until + interval '4 hours' and s.expires_at <= now() + interval '4 hours'
    order by s.id
  loop
    perform posthorn.alert(item.organization_id, item.webhook_id, 'posthorn.secret.expiring',
      jsonb_build_object('expires_at', item.expires_at));
  end loop;
end
$$;

-- What an alert says of an API key.
create function posthorn.api_key_alert(id uuid, name text, token_hint text, scopes text[], expires_at timestamptz)
  returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('api_key', jsonb_build_object('id', posthorn.type_id('key', api_key_alert.id),
    'name', api_key_alert.name, 'token_hint', api_key_alert.token_hint, 'scopes', api_key_alert.scopes,
    'expires_at', api_key_alert.expires_at))
$$;

-- Opens, changes and resolves the incidents of webhooks whose states changed in this transaction. Returns the number of
-- changed incidents. Most calls change none, and lock nothing.
create function posthorn.follow_incidents(webhook_ids uuid[]) returns int
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  trouble constant text[] := array['degraded', 'behind', 'failing', 'on_hold'];
  changed uuid[];
begin
  select array_agg(f.webhook_id order by f.webhook_id) into changed
  from posthorn.followed_states as f
  left join posthorn.incidents as i on i.webhook_id = f.webhook_id and i.resolved_at is null
  where f.webhook_id = any (webhook_ids)
    and (case when f.state = any (trouble) then f.state end) is distinct from i.webhook_state;
  if changed is null then
    return 0;
  end if;

  -- The locks make concurrent transactions decide one after the other: each reads what the one before committed.
  perform from posthorn.incidents as i
  where i.webhook_id = any (changed) and i.resolved_at is null order by i.webhook_id for update;
  insert into posthorn.incidents (organization_id, webhook_id, webhook_state, cause, opened_at)
  select f.organization_id, f.webhook_id, f.state,
    case f.state when 'behind' then f.behind_cause else posthorn.recent_failure(f.webhook_id) end,
    greatest(least(f.since, now()), (
      select max(i.resolved_at) from posthorn.incidents as i where i.webhook_id = f.webhook_id))
  from posthorn.followed_states as f
  where f.webhook_id = any (changed) and f.state = any (trouble) order by f.webhook_id
  on conflict (webhook_id) where resolved_at is null do nothing;
  update posthorn.incidents as i set
    webhook_state = f.state,
    cause = case
      when f.state = 'behind' then f.behind_cause
      else coalesce(posthorn.recent_failure(i.webhook_id), case when i.webhook_state <> 'behind' then i.cause end)
    end
  from posthorn.followed_states as f
  where f.webhook_id = any (changed) and f.state = any (trouble)
    and i.webhook_id = f.webhook_id and i.resolved_at is null and i.webhook_state <> f.state;
  update posthorn.incidents as i set resolved_at = greatest(now(), i.opened_at)
  from posthorn.followed_states as f
  where f.webhook_id = any (changed) and f.state <> all (trouble)
    and i.webhook_id = f.webhook_id and i.resolved_at is null;
  return cardinality(changed);
end
$$;

-- The cause of the last failure of the last hour, by the index on (webhook_id, status_class, id).
create function posthorn.recent_failure(webhook_id uuid) returns text
  language sql stable set search_path = pg_catalog, pg_temp
as $$
  select last.cause
  from unnest(array[0, 3, 4, 5]::smallint[]) as failed (class), lateral (
    select a.id, a.cause from posthorn.attempts as a
    where a.webhook_id = recent_failure.webhook_id and a.status_class = failed.class
      and a.id >= posthorn.uuid_v7_lower_bound(now() - interval '1 hour')
    order by a.id desc limit 1
  ) as last
  order by last.id desc limit 1
$$;

-- The data of an event as filters read it, or null if Postgres cannot read it: \u0000, a lone surrogate, a number beyond
-- `numeric`, or nesting beyond the stack.
create function posthorn.readable_data(data text) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  return data::jsonb;
exception
  when untranslatable_character or invalid_text_representation or numeric_value_out_of_range or statement_too_complex
    or program_limit_exceeded then
    return null;
end
$$;

-- An RFC 3339 time with all of its digits, or null for a text that is no time. src/events/filters/filter.ts has the same rule.
create function posthorn.parse_exact_time(given text) returns posthorn.exact_time
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  part constant text[] := regexp_match(given,
    '^([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})[Tt]([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])'
    '(?:[.]([0-9]+))?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))$');
  first_of_month date;
  day int;
begin
  if part is null or part[1] = '0000' then
    return null;
  end if;
  first_of_month := make_date(part[1]::int, part[2]::int, 1);
  day := part[3];
  if day not between 1 and extract(day from first_of_month + interval '1 month' - interval '1 day') then
    return null;
  end if;
  return row(
    (first_of_month - date '1970-01-01' + day - 1) * 86400::bigint
      + part[4]::int * 3600 + part[5]::int * 60 + part[6]::int
      - coalesce((part[8] || '1')::int * (part[9]::int * 3600 + part[10]::int * 60), 0),
    coalesce(rtrim(part[7], '0'), ''));
end
$$;

-- What a webhook can subscribe to for events of a type: its name, `*`, and a pattern for each of its beginnings. Patterns
-- never mean the events of Posthorn itself.
create function posthorn.subscriptions_to(type text) returns text[]
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  words constant text[] := string_to_array(type, '.');
  subscriptions text[] := array[type];
begin
  if starts_with(type, 'posthorn.') then
    return subscriptions;
  end if;
  subscriptions := subscriptions || '*'::text;
  for count in 1 .. cardinality(words) - 1 loop
    subscriptions := subscriptions || (array_to_string(words[:count], '.') || '.*');
  end loop;
  return subscriptions;
end
$$;

-- Triggers, because several statements write event types, also those of imports and of operators.
create function posthorn.count_event_type_version() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

create function posthorn.keep_event_type_version() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into posthorn.event_type_versions (event_type, version, schema)
  values (new.name, new.version, new.schema);
  return null;
end $$;

-- The data of an event as filters read it, or null if Postgres cannot read the data or the data before the change: filters
-- do not decide about such an event.
create function posthorn.readable_data(data text, previous text) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if previous is not null and posthorn.readable_data(previous) is null then
    return null;
  end if;
  return posthorn.readable_data(data);
end
$$;

-- The conditions of a filter on times and on changes, as the variable `t` of its path. Without earlier data, nothing has
-- changed.
create function posthorn.compare_times(data jsonb, previous jsonb, times jsonb) returns jsonb
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  leaf jsonb;
  bound posthorn.exact_time;
  at posthorn.exact_time;
  found jsonb;
  holds boolean;
  results jsonb := '[]';
begin
  for leaf in select value from jsonb_array_elements(times) with ordinality as given (value, i) order by i loop
    if leaf ->> 'op' = 'changed' then
      results := results || to_jsonb(previous is not null
        and jsonb_path_query_array(data, (leaf ->> 'path')::jsonpath)
          <> jsonb_path_query_array(previous, (leaf ->> 'path')::jsonpath));
      continue;
    end if;
    bound := row((leaf ->> 'seconds')::bigint, leaf ->> 'fraction');
    holds := false;
    for found in select value from jsonb_path_query(data, (leaf ->> 'path')::jsonpath) as given (value) loop
      at := posthorn.parse_exact_time(found #>> '{}');
      continue when at is null;
      holds := case leaf ->> 'op'
        when 'less' then (at.seconds, at.fraction collate "C") < (bound.seconds, bound.fraction collate "C")
        when 'lessOrEqual' then (at.seconds, at.fraction collate "C") <= (bound.seconds, bound.fraction collate "C")
        when 'greater' then (at.seconds, at.fraction collate "C") > (bound.seconds, bound.fraction collate "C")
        when 'greaterOrEqual' then (at.seconds, at.fraction collate "C") >= (bound.seconds, bound.fraction collate "C")
      end;
      exit when holds;
    end loop;
    results := results || to_jsonb(holds);
  end loop;
  return jsonb_build_object('t', results);
end
$$;

-- Whether data passes a compiled filter. Data that cannot be read passes.
create function posthorn.passes_filter(data jsonb, previous jsonb, path jsonpath, times jsonb) returns boolean
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return data is null or coalesce(jsonb_path_exists(data, path,
    case when times is null then '{}' else posthorn.compare_times(data, previous, times) end, silent => true), true);
end
$$;

-- Replaces the rows of types with filtering webhooks by one for each event, without the webhooks whose filters refuse the
-- event, and counts what the filters refuse or do not decide. The arrays are those of `insert_events`.
create function posthorn.apply_filters(
  subscribed posthorn.event_webhooks[], organization_ids uuid[], types text[], data text[], previous text[],
  duplicates boolean[], out matched posthorn.event_webhooks[])
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  with filters as materialized (
    select s.organization_id, s.event_type, w.id, w.filter_query, w.filter_times, w.filter_steps, w.filter_scans
    from unnest(subscribed) as s join posthorn.webhooks as w on w.id = any (s.filtering_ids)
  ),
  -- Each event is read once for all filters. `commas`: its values, at most.
  read as materialized (
    select given.i, s.organization_id, s.event_type, s.webhook_ids, s.has_ordered,
      (octet_length(whole.texts) - octet_length(replace(whole.texts, ',', '')))::bigint as commas,
      octet_length(whole.texts) / 64 as lines,
      posthorn.readable_data(given.data, given.previous) as data, posthorn.readable_data(given.previous) as previous
    from unnest(organization_ids, types, data, previous, duplicates) with ordinality
      as given (organization_id, type, data, previous, duplicate, i)
    join unnest(subscribed) as s on s.organization_id = given.organization_id and s.event_type = given.type
    cross join lateral (select given.data || coalesce(given.previous, '') as texts) as whole
    where s.filtering_ids is not null and not given.duplicate
  ),
  -- The steps of all filters of an organization together: for a call with few events, and for each of many. Postgres takes
  -- a million steps in 0.3 to 0.6 s.
  budgets as materialized (
    select organization_id, greatest(200000, 5000 * count(*)) as steps
    from unnest(organization_ids, duplicates) as given (organization_id, duplicate) where not duplicate group by 1
  ),
  -- The filters that would exceed the budget do not decide.
  counted_steps as (
    select read.i, f.*, read.data, read.previous,
      sum(f.filter_steps + read.lines + f.filter_scans * (1 + read.commas + read.lines))
        over (partition by f.organization_id order by read.i, f.id) as steps
    from read join filters as f on f.organization_id = read.organization_id and f.event_type = read.event_type
  ),
  decided as materialized (
    select c.i, c.organization_id, c.id as webhook_id, undecided,
      not undecided and not posthorn.passes_filter(c.data, c.previous, c.filter_query, c.filter_times) as refused
    from counted_steps as c join budgets as b on b.organization_id = c.organization_id
    cross join lateral (select c.data is null or c.steps > b.steps as undecided) as limited
  ),
  counted_filters as (
    insert into posthorn.filtered_events (organization_id, webhook_ids, refused_counts, undecided_counts)
    select d.organization_id, array_agg(d.webhook_id), array_agg(d.refused), array_agg(d.undecided)
    from (
      select organization_id, webhook_id, count(*) filter (where refused)::int as refused,
        count(*) filter (where undecided)::int as undecided
      from decided where refused or undecided group by 1, 2
    ) as d
    group by 1
  )
  select array_agg(row(receiving.*)::posthorn.event_webhooks) into matched
  from (
    select s.* from unnest(subscribed) as s where s.filtering_ids is null
    union all
    select read.organization_id, read.event_type, read.i, array_agg(w.id order by w.n), read.has_ordered, null
    from read
    cross join lateral unnest(read.webhook_ids) with ordinality as w (id, n)
    left join decided as d on d.i = read.i and d.webhook_id = w.id
    where d.refused is not true
    group by read.organization_id, read.event_type, read.i, read.has_ordered
  ) as receiving;
end
$$;

-- Stores events with their deliveries and jobs. Above a number of deliveries, they are only counted, and fan out later. The
-- arrays are parallel, with one element per event; the caller has checked sizes and schemas. Returns one row per event, in
-- order, the first one with the result of `create_deliveries`; for a repeated idempotency key, the event of its first use.
-- Raises PH412 if a type is not in the catalogue or does not have the given revision (null: any), and PH409 if a key was
-- used for another event, with a JSON array of the ordinals as the detail. Then nothing is stored. No event is stored for
-- an organization that is deleted, or is being deleted, nor if an API key was revoked, deleted or changed since its version
-- was read, or has expired: then it raises PH401.
create function posthorn.insert_events(
  organization_ids uuid[],
  types text[],
  type_revisions bigint[],
  data text[],
  occurred_at timestamptz[],
  idempotency_keys text[],
  trace_parents text[],
  trace_states text[] default null,
  previous text[] default null,
  api_key_ids uuid[] default null,
  api_key_versions text[] default null
) returns table (ordinal int, event_id uuid, delivery_count int, duplicate boolean, queued posthorn.queued_delivery[])
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  event_ids uuid[];
  duplicates boolean[] := array_fill(false, array[cardinality(types)]);
  conflicts int[] := '{}';
  -- A statement creates at most this many deliveries. The events of large calls have at most two each.
  max_deliveries constant int := greatest(250, 2 * cardinality(types));
  known record;
  item record;
  first_use record;
  matched posthorn.event_webhooks[];
  subscribed record;
  fans_out boolean[] := duplicates;
begin
  -- The ids are sorted, so that those of a call ascend in the order of the events.
  select
    array(select posthorn.uuid_v7() as id from generate_subscripts(types, 1) order by id) as event_ids,
    exists (select from unnest(api_key_ids, api_key_versions) as given (id, version)
      left join posthorn.api_keys as k on k.id = given.id
      where posthorn.api_key_version(k) is distinct from given.version or k.expires_at <= now()) as key_has_changed,
    -- Also for a caller that was authenticated before the deletion.
    exists (select from posthorn.bulk_tasks as d
      where d.organization_id = any (organization_ids) and d.action = 'delete_organization') as is_deleted,
    exists (select from posthorn.event_streams as s where s.organization_id = any (organization_ids)) as has_streams,
    min(given.type) filter (where t.name is null or t.revision <> given.revision) as outdated,
    bool_or(t.search_keys <> '{}') as has_search_keys
  into known
  from (select distinct type, revision from unnest(types, type_revisions) as given (type, revision)) as given
  left join posthorn.event_types as t on t.name = given.type and t.archived_at is null;
  if known.key_has_changed then
    raise exception using errcode = 'PH401', message = 'The API key is no longer as it was. Nothing was published.';
  end if;
  if known.is_deleted then
    raise exception using errcode = 'PH410', message = 'The organization was deleted. Nothing was published.';
  end if;
  if known.outdated is not null then
    raise exception using errcode = 'PH412', message = format('The event type %s has changed.', known.outdated);
  end if;
  event_ids := known.event_ids;

  if cardinality(array_remove(idempotency_keys, null)) > 0 then
    -- Ordered by key, so that concurrent calls with common keys cannot deadlock.
    for item in
      select i, organization_ids[i] as organization_id, idempotency_keys[i] as key,
        sha256(convert_to(types[i] || chr(10) || data[i] || coalesce(chr(10) || previous[i], ''), 'UTF8'))
          as request_hash
      from generate_subscripts(types, 1) as i
      where idempotency_keys[i] is not null
      order by 2, 3, 1
    loop
      insert into posthorn.idempotency_keys as kept (organization_id, operation, key, request_hash, resource_id)
      values (item.organization_id, 'publishEvent', item.key, item.request_hash, event_ids[item.i])
      on conflict (organization_id, operation, key) do update
        set request_hash = excluded.request_hash, resource_id = excluded.resource_id, created_at = now()
        where kept.created_at < now() - interval '24 hours';
      if not found then
        select k.resource_id, k.request_hash into first_use from posthorn.idempotency_keys as k
        where k.organization_id = item.organization_id and k.operation = 'publishEvent' and k.key = item.key;
        event_ids[item.i] := first_use.resource_id;
        duplicates[item.i] := true;
        if first_use.request_hash <> item.request_hash then
          conflicts := conflicts || (item.i - 1);
        end if;
      end if;
    end loop;
    if cardinality(conflicts) > 0 then
      raise exception using errcode = 'PH409', detail = to_json(conflicts)::text, message = format(
        'events[%s].idempotencyKey: it was used for another event in the last 24 hours. Use a new key for a new event.',
        conflicts[1]);
    end if;
  end if;

  insert into posthorn.events (id, organization_id, type, occurred_at, data, trace_parent, trace_state, previous)
  select id, organization_id, type, occurred_at, data, trace_parent, trace_state, previous
  from unnest(event_ids, organization_ids, types, data, occurred_at, trace_parents, trace_states, duplicates, previous)
    as given (id, organization_id, type, data, occurred_at, trace_parent, trace_state, duplicate, previous)
  where not duplicate;

  if known.has_streams then
    insert into posthorn.published_batches (organization_id, event_ids)
    select s.organization_id, array_agg(given.event_id order by given.i)
    from unnest(event_ids, organization_ids, duplicates) with ordinality as given (event_id, organization_id, duplicate, i)
    join posthorn.event_streams as s on s.organization_id = given.organization_id
    where not given.duplicate
    group by s.organization_id;
  end if;

  -- Once for each type, not for each event. `offset 0` prevents the planner from flattening the subqueries, so that the
  -- index webhooks_organization_id_id serves them even if the table was small at planning time.
  select array_agg(row(kind.organization_id, kind.type, null, w.webhook_ids, w.has_ordered, w.filtering_ids)
      ::posthorn.event_webhooks) as webhooks,
    sum(kind.events * cardinality(w.webhook_ids)) as deliveries, bool_or(w.has_ordered) as has_ordered,
    bool_or(w.filtering_ids is not null) as has_filters
  into subscribed
  from (
    select organization_id, type, count(*) as events, posthorn.subscriptions_to(type) as subscriptions
    from unnest(organization_ids, types, duplicates) as given (organization_id, type, duplicate)
    where not duplicate group by organization_id, type offset 0
  ) as kind
  join lateral (
    select array_agg(w.id order by w.id) as webhook_ids, bool_or(w.ordered) as has_ordered,
      array_agg(w.id order by w.id) filter (where w.filter_query is not null) as filtering_ids
    from posthorn.webhooks as w
    where w.organization_id = kind.organization_id and w.deleted_at is null and w.enabled
      and w.event_subscriptions && kind.subscriptions
    offset 0
  ) as w on w.webhook_ids is not null;
  matched := case when subscribed.has_filters
    then posthorn.apply_filters(subscribed.webhooks, organization_ids, types, data, previous, duplicates)
    else subscribed.webhooks end;
  if subscribed.deliveries > max_deliveries or subscribed.has_ordered then
    with counted as materialized (
      select m.*, cardinality(m.webhook_ids) as webhooks,
        (sum(cardinality(m.webhook_ids)) over (partition by m.organization_id order by m.event_type, m.event_ordinal)
          - cardinality(m.webhook_ids))::int as skipped
      from unnest(matched) as m
    ),
    -- The organizations with the fewest deliveries come first, and the events of each in their order. An event for an
    -- ordered webhook must not overtake an earlier one that still fans out.
    placed as materialized (
      select given.*, sum(given.webhooks) over (order by given.total, given.organization_id, given.i) > max_deliveries
          or given.has_ordered and exists (
            select from posthorn.fan_outs as f where f.organization_id = given.organization_id) as fans_out
      from (
        select e.*, c.webhooks, c.skipped, c.has_ordered, sum(c.webhooks) over (partition by c.organization_id) as total
        from unnest(event_ids, organization_ids, types, duplicates) with ordinality
          as e (event_id, organization_id, type, duplicate, i)
        join counted as c on c.organization_id = e.organization_id and c.event_type = e.type
          and (c.event_ordinal is null or c.event_ordinal = e.i)
        where not e.duplicate
      ) as given
    ),
    fanned_out as (
      insert into posthorn.fan_outs (organization_id, event_ids, event_types, webhook_counts, webhook_offsets,
        webhook_ids, delivery_count)
      select p.organization_id, array_agg(p.event_id order by p.i), array_agg(p.type order by p.i),
        array_agg(p.webhooks order by p.i), array_agg(p.skipped order by p.i),
        array(
          select w.id from counted as c cross join lateral unnest(c.webhook_ids) with ordinality as w (id, n)
          where c.organization_id = p.organization_id order by c.skipped, w.n),
        sum(p.webhooks)
      from placed as p where p.fans_out group by p.organization_id
      returning posthorn.start_fan_out(fan_outs.organization_id)
    )
    select array_agg(coalesce(placed.fans_out, false) order by given.i) into fans_out
    from generate_subscripts(types, 1) as given (i) left join placed on placed.i = given.i;
  end if;

  return query
    with placed as materialized (
      select given.*, m.n, coalesce(cardinality(m.webhook_ids), 0) as webhooks
      from unnest(event_ids, organization_ids, types, duplicates, fans_out) with ordinality
        as given (event_id, organization_id, type, duplicate, fans_out, i)
      left join unnest(matched) with ordinality as m (organization_id, type, i, webhook_ids, has_ordered, filtering_ids, n)
        on m.organization_id = given.organization_id and m.type = given.type and coalesce(m.i, given.i) = given.i
          and not given.duplicate
    ),
    created as (
      select posthorn.create_deliveries(
        array_agg(p.organization_id order by p.i, w.n), array_agg(p.event_id order by p.i, w.n),
        array_agg(p.type order by p.i, w.n), array_agg(w.id order by p.i, w.n)) as queued
      from placed as p cross join lateral unnest(matched[p.n].webhook_ids) with ordinality as w (id, n)
      where not p.fans_out having count(*) > 0
    )
    select (p.i - 1)::int, p.event_id, p.webhooks, p.duplicate,
      case when p.i = 1 then created.queued end
    from placed as p left join created on true
    order by p.i;

  if known.has_search_keys then
    perform posthorn.insert_event_keys(event_ids, organization_ids, types, data, duplicates);
  end if;
end
$$;

-- Validates one event of a host application: the field that is wrong (null: the event) and the rule, or nulls if it is
-- valid. `event` does not include its data, nor the data before the change.
create function posthorn.event_issue(event json, data text, previous text, out field text, out rule text)
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  known constant text[] := array['type', 'data', 'previous', 'timestamp', 'idempotencyKey', 'traceparent'];
  unknown text;
begin
  if json_typeof(event) <> 'object' then
    rule := 'give an object, not ' || json_typeof(event) || '.';
    return;
  end if;
  select key into unknown from json_object_keys(event) as key where key <> all (known) limit 1;
  if found then
    field := posthorn.excerpt(unknown);
    rule := 'this key is unknown; the keys are ' || array_to_string(known, ', ') || '.';
    return;
  end if;
  select issue[1], issue[2] into field, rule from (select case
    when event ->> 'type' is null then array['type', 'it is required.']
    when json_typeof(event -> 'type') <> 'string' then array['type', 'give a string.']
    when event ->> 'type' like 'posthorn.%'
      then array['type', 'Posthorn itself publishes the events whose types begin with posthorn. Choose another type.']
    when not exists (
      select from posthorn.event_types as t where t.name = event ->> 'type' and t.archived_at is null
    ) then array['type', format('%s is not in the catalogue of event types.', to_json(posthorn.excerpt(event ->> 'type')))]
    when data is null then array['data', 'it is required.']
    when octet_length(data) > 262144 then array['data', 'it is larger than 256 KiB (262,144 bytes).']
    when octet_length(data) + octet_length(previous) > 262144
      then array['previous', 'it is larger than 256 KiB (262,144 bytes) together with data.']
    when event ->> 'timestamp' !~*
        '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$'
      then array['timestamp', 'give an RFC 3339 time, such as 2026-01-31T12:00:00Z.']
    when extract(year from (event ->> 'timestamp')::timestamptz at time zone 'UTC') not between 1 and 9999
      then array['timestamp', 'give a time in the years 1 to 9999 of UTC.']
    when json_typeof(event -> 'idempotencyKey') not in ('string', 'null') then array['idempotencyKey', 'give a string.']
    when char_length(event ->> 'idempotencyKey') not between 1 and 255 then array['idempotencyKey', 'give 1 to 255 characters.']
    when event ->> 'traceparent' !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
      then array['traceparent', 'give the form of W3C Trace Context, 00-<32 hex>-<16 hex>-<2 hex>.']
  end as issue) as checked;
exception
  when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
    field := 'timestamp';
    rule := 'it is not a valid time. Give an RFC 3339 time, such as 2026-01-31T12:00:00Z.';
  when untranslatable_character or invalid_text_representation then
    field := null;
    rule := 'a field other than data and previous has \u0000 or a lone surrogate, which Postgres cannot store. Remove it.';
end
$$;

create function posthorn.publish_event(
  organization text, type text, data json, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null, previous json default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on
as $$
declare
  organization_id constant uuid := posthorn.require_organization(organization);
  issue record;
  previous_text constant text := case when json_typeof(previous) <> 'null' then previous::text end;
begin
  if not isfinite(occurred_at) or extract(year from occurred_at at time zone 'UTC') not between 1 and 9999 then
    raise invalid_parameter_value using message = 'occurred_at: give a time in the years 1 to 9999.';
  end if;
  issue := posthorn.event_issue(
    json_strip_nulls(json_build_object('type', type, 'idempotencyKey', idempotency_key, 'traceparent', traceparent)),
    data::text, previous_text);
  if issue.rule is not null then
    raise invalid_parameter_value using message = concat_ws(' ',
      case issue.field when 'idempotencyKey' then 'idempotency_key' else issue.field end || ': ' || issue.rule,
      case issue.field when 'type' then posthorn.event_type_hint(type) end);
  end if;
  return query
    select posthorn.type_id('evt', stored.event_id), stored.delivery_count, stored.duplicate
    from posthorn.insert_events(array[organization_id], array[type], array[null::bigint], array[data::text],
      array[coalesce(occurred_at, now())], array[idempotency_key], array[traceparent], null,
      array[previous_text]) as stored;
exception
  when statement_too_complex then
    raise invalid_parameter_value using message = 'data or previous: the JSON is nested too deeply. Nest it less deeply.';
  when sqlstate 'PH409' then
    raise exception using errcode = 'PH409', detail = '[0]', message =
      'idempotency_key: it was used for another event in the last 24 hours. Use a new key for a new event.';
end
$$;

create function posthorn.publish_event(
  organization text, type text, data text, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null, previous json default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from posthorn.publish_event(
    organization, type, posthorn.parse_json('data', data), idempotency_key, occurred_at, traceparent, previous);
end
$$;

-- By way of text, as a value that is jsonb may be nested too deeply for json.
create function posthorn.publish_event(
  organization text, type text, data jsonb, idempotency_key text default null, occurred_at timestamptz default null,
  traceparent text default null, previous jsonb default null
) returns table (event_id text, delivery_count int, duplicate boolean)
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query select * from posthorn.publish_event(organization, type, data::text, idempotency_key, occurred_at,
    traceparent, posthorn.parse_json('previous', previous::text));
end
$$;

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

-- No code of a host application runs with the rights of Posthorn: the triggers of its tables read each column by the output
-- function of its type, no function is public, and each finds what it calls in the schemas that it names.

-- What a trigger of a table publishes, or null if its argument is not one that `publish_changes` gives.
create function posthorn.published_changes(trigger_arguments bytea) returns json
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

-- A column as SQL that to_json takes. Types that are not of Postgres itself become texts by their output functions, which
-- only a superuser can create; a cast or an operator of a host would run with the rights of Posthorn.
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
create function posthorn.changed_rows_sql(table_id oid, changes json, rows_name text) returns text
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
create function posthorn.publish_row_changes() returns trigger
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

-- What the data of an alert says beside its facts: `summary`, a sentence, and `alert`, for programs that page people. An alert
-- that resolves has the key of those that it ends.
create function posthorn.alert_words(type text, data jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  thing constant text := case
    when data ? 'webhook' then concat('The webhook ', left(coalesce(nullif(trim(data #>> '{webhook,description}'), ''),
      data #>> '{webhook,id}'), 200), ' at ', data #>> '{webhook,host}')
    else concat('The API key ', coalesce(nullif(trim(data #>> '{api_key,name}'), ''), data #>> '{api_key,token_hint}')) end;
  words constant text := case alert_words.type
    when 'posthorn.webhook.degraded' then 'is degraded: a share of its deliveries fails'
    when 'posthorn.webhook.behind' then 'is behind: its deliveries wait for too long'
    when 'posthorn.webhook.failing' then 'is failing: its last attempts failed'
    when 'posthorn.webhook.on_hold' then 'is on hold: its deliveries wait until the endpoint responds again'
    when 'posthorn.webhook.recovered' then 'has recovered'
    when 'posthorn.delivery.exhausted' then case when (data ->> 'count')::int > 1
      then concat('has ', data ->> 'count', ' deliveries whose attempts all failed')
      else 'has a delivery whose attempts all failed' end
    when 'posthorn.secret.rotated' then 'has a new signing secret'
    when 'posthorn.secret.expiring' then 'has an old signing secret that expires within 4 hours'
    when 'posthorn.api_key.created' then 'was created'
    when 'posthorn.api_key.expiring' then 'expires within 7 days'
    else concat('has the alert ', alert_words.type) end;
  severity constant text := case
    when alert_words.type = 'posthorn.webhook.on_hold' then 'critical'
    when alert_words.type in ('posthorn.webhook.failing', 'posthorn.delivery.exhausted') then 'error'
    when alert_words.type in ('posthorn.webhook.recovered', 'posthorn.secret.rotated', 'posthorn.api_key.created') then 'info'
    else 'warning' end;
  key constant text := coalesce(data #>> '{webhook,id}', data #>> '{api_key,id}', 'posthorn');
begin
  return jsonb_build_object(
    'summary', concat(thing, ' ', words, '.'),
    'alert', jsonb_build_object(
      'action', case alert_words.type when 'posthorn.webhook.recovered' then 'resolve' else 'trigger' end,
      'severity', severity,
      'key', case when alert_words.type like 'posthorn.webhook.%' then key else concat(key, ' ', alert_words.type) end));
end
$$;

-- A role that can change a tombstone can hide a deletion.
-- The deletion of an organization is its tombstone.
create function posthorn.protect_tombstones() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.finished_at is null
      and (new.id, new.organization_id, new.action, new.selection) = (old.id, old.organization_id, old.action, old.selection)
    then
      return new;
    end if;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.bulk_tasks keeps the deletions of organizations: no role can delete them, or change who requested one and when.';
end
$$;

create function posthorn.require_running_deletion(organization_id uuid) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (
    select from posthorn.bulk_tasks as d
    where d.organization_id = require_running_deletion.organization_id and d.action = 'delete_organization'
      and d.state = 'running'
  ) then
    raise insufficient_privilege using message = format(
      'No deletion of the organization %s runs, so its rows stay.', posthorn.type_id('org', organization_id));
  end if;
end
$$;

-- Deletes the next rows of an organization from a table, in the order of the columns `key`, which an index has after
-- organization_id. The page begins behind the values `after`. `reached` has the values of its last row, and
-- is null after the last page. Only for an organization whose deletion runs, so that the service needs no right to delete.
create function posthorn.delete_organization_rows(
  organization_id uuid, table_name text, key text[], after text[], max_rows int,
  out deleted int, out reached text[]
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  relation constant regclass := to_regclass(format('posthorn.%I', table_name));
  columns text;
  given text;
  is_own text := case when table_name = 'organizations' then 'id = $1' else 'organization_id = $1' end;
  last text[];
begin
  perform posthorn.require_running_deletion(organization_id);
  if table_name = 'bulk_tasks' then
    is_own := is_own || ' and action <> ''delete_organization''';
  end if;
  select string_agg(format('%I', k.name), ', ' order by k.i),
    string_agg(format('($2[%s])::%s', k.i, format_type(a.atttypid, null)), ', ' order by k.i)
  into strict columns, given
  from unnest(key) with ordinality as k (name, i)
  join pg_attribute as a on a.attrelid = relation and a.attname = k.name;
  if cardinality(key) is distinct from
    (select count(*)::int from unnest(key) as k (name) join pg_attribute as a on a.attrelid = relation and a.attname = k.name)
  then
    raise invalid_parameter_value using message = format('table_name: %L has no rows to delete by %L.', table_name, key);
  end if;
  if after is not null then
    is_own := format('%s and (%s) > (%s)', is_own, columns, given);
  end if;
  execute format(
    'select array[%s] from %s where %s order by %s offset %s limit 1',
    (select string_agg(format('%I::text', k.name), ', ' order by k.i) from unnest(key) with ordinality as k (name, i)),
    relation, is_own, columns, max_rows - 1)
  into last using organization_id, after;
  execute format(
    'delete from %s where %s%s', relation, is_own,
    case when last is not null then format(' and (%s) <= (%s)', columns, replace(given, '$2', '$3')) end)
  using organization_id, after, last;
  get diagnostics deleted = row_count;
  reached := last;
end
$$;

-- Renews the statistics of the next table with values of texts, which rows may have that were deleted or changed since, and
-- returns its name; null after the last. With the id of an event, of the partitions only those since its day. Before version
-- 18, Postgres cannot remove statistics, and analyze leaves those of a table in which it finds no row. A uuid is no text. Runs
-- with the owner's privileges, because only the owner can analyze.
create function posthorn.renew_statistics(after text, oldest_event_id uuid default null) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  since constant text := to_char(posthorn.uuid_v7_timestamp(oldest_event_id) - interval '1 minute', 'YYYYMMDD');
  next record;
begin
  select c.oid::regclass as relation, c.oid::regclass::text as name, n.nspname::text as schema, c.relname::text as table_name,
    array_agg(distinct a.attname::text) as columns into next
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace and n.nspname in ('posthorn', 'posthorn_partitions')
  join pg_attribute as a on a.attrelid = c.oid
    and a.atttypid in ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype, 'bytea'::regtype)
  join pg_stats as s on s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname
    and (s.most_common_vals is not null or s.histogram_bounds is not null or s.most_common_elems is not null)
  where c.relkind in ('r', 'p') and c.oid::regclass::text > after
    and (since is null or c.relname !~ '_[0-9]{8}$' or right(c.relname, 8) >= since)
  group by c.oid, n.nspname order by 2 limit 1;
  if next.name is not null then
    if to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') is not null then
      perform pg_clear_attribute_stats(next.schema, next.table_name, name, inherited)
      from unnest(next.columns) as name, (values (false), (true)) as kind (inherited);
    end if;
    execute format('analyze %s (%s)', next.relation,
      (select string_agg(quote_ident(name), ', ') from unnest(next.columns) as name));
  end if;
  return next.name;
end
$$;

-- Operational events and mails about an organization went to operators too. Deletes such mails, and leaves of the next such
-- events of the operators' organization, behind the event `after`, only the id of the organization that they were about.
-- `reached` is null after the last page.
create function posthorn.forget_organization_in_alerts(
  organization_id uuid, after uuid, max_rows int, out changed int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
as $$
declare
  public_id constant text := posthorn.type_id('org', organization_id);
  operators constant uuid := (select s.operator_organization_id from posthorn.settings as s);
  types constant text[] := array(select name from posthorn.event_types where name like 'posthorn.%');
  remainder constant text := jsonb_build_object('organization', jsonb_build_object('id', public_id), 'deleted', true)::text;
  page uuid[];
  about uuid[];
begin
  perform posthorn.require_running_deletion(organization_id);
  delete from posthorn.alert_mails as m where m.data #>> '{organization,id}' = public_id;
  select array_agg(e.id order by e.id), array_agg(e.id) filter (where strpos(e.data, public_id) > 0 and e.data <> remainder)
  into page, about
  from (
    select e.id, e.data from posthorn.events as e
    where e.organization_id = operators and e.type = any (types) and e.id > coalesce(after, posthorn.uuid_v7_lower_bound('epoch'))
    order by e.id limit max_rows
  ) as e;
  delete from posthorn.event_keys as k where k.organization_id = operators and k.event_id = any (about);
  update posthorn.events as e set data = remainder where e.id = any (about);
  get diagnostics changed = row_count;
  reached := page[max_rows];
end
$$;

-- Deletes the search keys of events, whose data are given. The primary key has no event first, so that the values are read
-- in the data, at each path that the organization has keys of in these days. Runs with the owner's privileges, because the
-- service deletes no search keys otherwise.
create function posthorn.erase_event_keys(organization uuid, event_ids uuid[], data text[]) returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  low uuid;
  high uuid;
  last_path text := '';
  keys posthorn.search_key[] := '{}';
  found_values text[];
  count int := 0;
  deleted int;
begin
  select min(id::text)::uuid, max(id::text)::uuid into low, high from unnest(event_ids) as id;
  if low is null then
    return 0;
  end if;
  low := posthorn.uuid_v7_lower_bound(date_trunc('day', posthorn.uuid_v7_timestamp(low), 'UTC'));
  high := posthorn.uuid_v7_lower_bound(date_trunc('day', posthorn.uuid_v7_timestamp(high), 'UTC') + interval '1 day');
  loop
    select k.path into last_path from posthorn.event_keys as k
    where k.organization_id = organization and k.path > last_path and k.event_id >= low and k.event_id < high
    order by k.path limit 1;
    exit when not found;
    keys := keys || row(last_path, posthorn.search_key_steps(last_path))::posthorn.search_key;
  end loop;
  if cardinality(keys) = 0 then
    return 0;
  end if;
  for i in 1 .. cardinality(event_ids) loop
    found_values := posthorn.search_values(data[i], keys);
    for n in 1 .. coalesce(cardinality(found_values), 0) loop
      continue when found_values[n] is null;
      delete from posthorn.event_keys as k
      where k.organization_id = organization and k.path = keys[n].path and k.value = found_values[n]
        and k.event_id = event_ids[i];
      get diagnostics deleted = row_count;
      count := count + deleted;
    end loop;
  end loop;
  return count;
end
$$;

-- Deletes events of an organization that are past its own retention or, with an event type, past that of the type, with their
-- search keys, deliveries and attempts. What pending deliveries need stays, and so do events that fan out. Reads at most
-- `max_rows` events, those after an id, and deletes at most 1,000 deliveries. Returns the id after which to go on, or null if
-- there are no more. Runs with the owner's privileges, because the service deletes none of these rows otherwise.
create function posthorn.delete_past_rule(
  organization uuid, event_type text, after uuid, max_rows int, out deleted int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  max_deliveries constant int := 1000;
  bound constant uuid := posthorn.uuid_v7_lower_bound(now() - interval '1 day' * case
    when event_type is null
      then (select o.retention_days from posthorn.organizations as o where o.id = organization)
    else (select t.retention_days from posthorn.event_types as t where t.name = event_type)
  end);
  page uuid[];
  gone uuid[];
  data text[];
begin
  execute format(
    'select array(
       select e.id from posthorn.events as e
       where e.organization_id = $1 %s and e.id > $3 and e.id < $4 order by e.id limit $5)',
    case when event_type is not null then 'and e.type = $2' end)
  into page using organization, event_type, after, bound, max_rows;
  -- `offset 0` keeps the lookups apart: Postgres could read all rows of a day of which it has no statistics yet.
  gone := array(
    select d.id from posthorn.deliveries as d
    where d.state <> 'pending' and d.id = any (array(
      select found.id from unnest(page) as given (id), lateral (
        select d.id from posthorn.deliveries as d where d.event_id = given.id and d.state <> 'pending' offset 0
      ) as found limit max_deliveries))
    order by d.id for update skip locked);
  delete from posthorn.attempts as a
  where a.id = any (array(
    select found.id from unnest(gone) as given (id), lateral (
      select a.id from posthorn.attempts as a where a.delivery_id = given.id and a.id >= page[1] offset 0
    ) as found));
  delete from posthorn.deliveries as d where d.id = any (gone);
  get diagnostics deleted = row_count;
  if deleted = max_deliveries then
    reached := after;
    return;
  end if;
  select array_agg(found.id order by found.id), array_agg(found.data order by found.id) into gone, data
  from (
    select e.id, e.data from posthorn.events as e
    where e.id = any (page) and e.id between page[1] and page[cardinality(page)]
      and not exists (select from posthorn.deliveries as d where d.event_id = e.id offset 0)
      and not exists (
        select from posthorn.fan_outs as f where f.organization_id = organization and e.id = any (f.event_ids))
    for update skip locked
  ) as found;
  perform posthorn.erase_event_keys(organization, gone, data);
  delete from posthorn.events as e where e.id = any (gone) and e.id between page[1] and page[cardinality(page)];
  deleted := deleted + coalesce(cardinality(gone), 0);
  reached := page[max_rows];
end
$$;

-- Whether the filter of one webhook lets an event through: it passes, or is not decided, as by `insert_events`.
create function posthorn.lets_through(data text, previous text, path jsonpath, times jsonb, steps int, scans int)
  returns boolean
  language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  max_steps constant bigint := 200000;
  texts constant text := data || coalesce(previous, '');
  lines constant bigint := octet_length(texts) / 64;
  commas constant bigint := octet_length(texts) - octet_length(replace(texts, ',', ''));
begin
  return steps + lines + scans * (1 + commas + lines) > max_steps
    or posthorn.passes_filter(posthorn.readable_data(data, previous), posthorn.readable_data(previous), path, times);
end
$$;

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
  c.last_error,
  case when s.on_hold_since is not null then s.on_hold_reason end as on_hold_reason
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

-- The state of each webhook, in one place for lists, streams, figures, metrics and dashboards.

create view posthorn.webhook_states with (security_invoker = true) as
select
  w.id as webhook_id,
  w.organization_id,
  case
    when not w.enabled then 'disabled'
    when s.on_hold_since is not null then 'on_hold'
    when coalesce(c.state, 'healthy') <> 'healthy' then c.state
    when c.last_success_at is null and c.failing_since is null then 'no_deliveries'
    else 'healthy'
  end as state,
  -- What its parked deliveries wait for now.
  case
    when not w.enabled then 'disabled'
    when s.on_hold_since is not null then 'on_hold'
    when w.ordered then 'ordered'
    when w.rate_limit_per_second is not null then 'rate_limit'
    else 'concurrency_limit'
  end as waits_for,
  s.backlog_since is not null or s.backlog_drained_at is not null as has_backlog,
  c.oldest_waiting_at, c.last_success_at, c.failing_since, coalesce(c.consecutive_failures, 0) as consecutive_failures,
  c.last_error, c.state_since, c.behind_cause, coalesce(c.first_attempts, 0) as first_attempts,
  coalesce(c.first_attempts_failed, 0) as first_attempts_failed,
  s.on_hold_since, s.on_hold_reason, s.next_probe_at, s.concurrency_limit
from posthorn.webhooks as w
left join posthorn.webhook_schedules as s on s.webhook_id = w.id
left join posthorn.webhook_conditions as c on c.webhook_id = w.id
where w.deleted_at is null;

-- The state of each webhook as incidents follow it. An endpoint that asks to wait for less than a minute is no trouble.
create view posthorn.followed_states with (security_invoker = true) as
select
  w.id as webhook_id,
  w.organization_id,
  case
    when w.deleted_at is not null then 'deleted'
    when not w.enabled then 'disabled'
    when s.on_hold_since is not null and (s.on_hold_reason = 'failing' or s.on_hold_since <= now() - interval '1 minute')
      then 'on_hold'
    else coalesce(c.state, 'healthy')
  end as state,
  case when s.on_hold_since is not null and c.state = 'healthy' then s.on_hold_since else c.state_since end as since,
  c.behind_cause
from posthorn.webhooks as w
left join posthorn.webhook_schedules as s on s.webhook_id = w.id
left join posthorn.webhook_conditions as c on c.webhook_id = w.id;

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

-- # Triggers, comments and first rows
create trigger reject_truncate before truncate on posthorn.audit_log
  for each statement execute function posthorn.protect_audit_log();
create trigger count_version before update on posthorn.event_types
  for each row when (new.schema::text is distinct from old.schema::text) execute function posthorn.count_event_type_version();
create trigger keep_first_version after insert on posthorn.event_types
  for each row execute function posthorn.keep_event_type_version();
create trigger keep_version after update on posthorn.event_types
  for each row when (new.version <> old.version) execute function posthorn.keep_event_type_version();
create trigger reject_changes_of_tombstones before update or delete on posthorn.bulk_tasks
  for each row when (old.action = 'delete_organization') execute function posthorn.protect_tombstones();
create trigger reject_truncate before truncate on posthorn.bulk_tasks
  for each statement execute function posthorn.protect_tombstones();
create trigger reject_deletions_of_entries before delete on posthorn.audit_log
  for each row execute function posthorn.protect_audit_log();
create trigger reject_changes_of_entries before update on posthorn.audit_log
  for each row execute function posthorn.protect_audit_log();
comment on function posthorn.schedule_deliveries is 'Calls graphile-worker. Gives each delivery exactly one job.';
comment on function posthorn.run_delivery_now is 'Calls graphile-worker. Runs the job of a delivery now.';
comment on function posthorn.complete_delivery_jobs is 'Calls graphile-worker. Removes the jobs of deliveries.';
comment on function posthorn.enqueue is 'Calls graphile-worker. Adds a job.';

-- `restore_delivery_jobs` calls graphile-worker by the functions that it calls. The comment gives it the settings of those
-- functions (src/queue/worker-schema.ts): a session that calls it while there are no deliveries would read all deliveries later.
comment on function posthorn.restore_delivery_jobs is
  'Calls graphile-worker. Gives each of the deliveries the job that it needs.';

-- The functions that applications call have comments, which psql shows (\df+) and the reference is made from. All others
-- are parts of Posthorn that can change with any version.

comment on function posthorn.publish_events(text, text) is
  'Publishes events in the transaction of the caller: they exist if and only if it commits. `events` is a JSON array of objects with `type` and `data`, and if wanted `previous`, `timestamp`, `idempotencyKey` and `traceparent`. Returns one row for each event, in order: its id, its number of deliveries, and whether it repeats an idempotency key. `data` is not validated against the JSON Schema of its type. Untyped parameters, which `pg` and Prisma send, resolve to this overload.';
comment on function posthorn.publish_events(text, json) is
  'As `publish_events` with text.';
comment on function posthorn.publish_events(text, jsonb) is
  'As `publish_events` with text. A value of jsonb has lost the spelling of numbers and the order of keys.';
comment on function posthorn.publish_event(text, text, text, text, timestamptz, text, json) is
  'Publishes one event in the transaction of the caller. `data` is JSON, kept to the letter; `previous` is what it was before the change that the event reports, or null. Both have at most 256 KiB together. `idempotency_key` has 1 to 255 characters: within 24 hours, the same key returns the first event. `occurred_at` defaults to now. `traceparent` is a W3C trace context, which deliveries send.';
comment on function posthorn.publish_event(text, text, json, text, timestamptz, text, json) is
  'As `publish_event` with text.';
comment on function posthorn.publish_event(text, text, jsonb, text, timestamptz, text, jsonb) is
  'As `publish_event` with text. A trigger gives to_jsonb(new), and for an update previous => to_jsonb(old).';
comment on function posthorn.publish_changes(regclass, name, name[], text, name[], text[], int) is
  'Lets a table publish its changes: <event_type>.created, .updated and .deleted, or those of `operations`. `data` has the listed columns, and for an update `previous` has them as they were. `organization_column` is of type text (org_…) or uuid; a row without an organization publishes nothing. `key_columns` identify a row; by default they are the primary key. A statement that would publish more than `max_events` events fails. The triggers are created with the rights of the caller. A second call replaces the first.';
comment on function posthorn.stop_publishing_changes(regclass) is
  'Stops a table, and its partitions, from publishing their changes. Returns whether the table published them.';

insert into posthorn.settings default values;

insert into posthorn.cursors (name, reached_at) values
  ('index_backfill', '2000-01-01T00:00:00Z'),
  ('statistics_rollup', '2000-01-01T00:00:00Z'),
  ('expiring', now());

-- The event types of the contract. Operators add their own.
insert into posthorn.event_types (name, description, schema, example)
select name, description, '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}', example::json
from (values
  ('event_attendee.joined_event', 'An attendee has been added to an event.',
    '{"event":{"id":"ev_1042","name":"Harvest Fair"},"attendee":{"id":"at_77","email":"ada@example.com"}}'),
  ('event_attendee.ticket_success', 'A ticket has been successfully issued to an attendee.',
    '{"event":{"id":"ev_1042","name":"Harvest Fair"},"attendee":{"id":"at_77","email":"ada@example.com"},"ticket":{"id":"tk_9001","type":"general"}}')
) as given (name, description, example);

-- The partitions of the first days; maintenance creates the next ones.
do $$
declare
  missing record;
begin
  for missing in
    select parent_name, day from posthorn.missing_partitions(
      (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 7)
  loop
    execute format(
      'create table posthorn_partitions.%I partition of posthorn.%I for values from (%L) to (%L)%s',
      missing.parent_name || '_' || to_char(missing.day, 'YYYYMMDD'), missing.parent_name,
      posthorn.uuid_v7_lower_bound(missing.day::timestamp at time zone 'UTC'),
      posthorn.uuid_v7_lower_bound((missing.day + 1)::timestamp at time zone 'UTC'),
      case when missing.parent_name = 'deliveries' then ' with (fillfactor = 50)' end);
  end loop;
end
$$;
