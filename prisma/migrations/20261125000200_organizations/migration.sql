-- Organizations, their API keys and sessions, the rate limits of keys, and the audit log.

create table posthorn.organizations (
  id uuid primary key default posthorn.uuid_v7(),
  name text not null,
  created_at timestamptz not null default now(),
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200)
);

create table posthorn.api_keys (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  name text,
  -- SHA-256 of the token, which is shown once and stored nowhere.
  token_hash bytea not null unique,
  token_hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- Null: the default limits.
  requests_per_second int,
  events_per_second int,
  -- The key of a portal session, and the API key that created the session.
  is_portal boolean not null default false,
  granted_by uuid references posthorn.api_keys on delete cascade,
  -- The only webhook that a portal session sees; null: all of the organization. (The foreign key follows with webhooks.)
  webhook_id uuid,
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200),
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32),
  constraint scopes_are_not_empty check (cardinality(scopes) > 0),
  constraint scopes_are_known check (scopes <@ array[
    'webhooks:read', 'webhooks:write', 'secrets:read', 'secrets:rotate', 'events:publish', 'events:read',
    'deliveries:read', 'deliveries:write', 'keys:manage', 'admin'
  ]),
  constraint requests_per_second_is_from_1_to_1000000 check (requests_per_second between 1 and 1000000),
  constraint events_per_second_is_from_1_to_1000000 check (events_per_second between 1 and 1000000),
  constraint only_portal_keys_are_granted check (granted_by is null or is_portal),
  constraint only_portal_keys_are_for_one_webhook check (webhook_id is null or is_portal),
  constraint portal_keys_expire check (not is_portal or expires_at is not null),
  constraint portal_keys_manage_nothing check (not is_portal or not scopes && array['admin', 'keys:manage'])
);
-- Serves: the keys of an organization.
create index api_keys_organization_id_id on posthorn.api_keys (organization_id, id);
-- Serve: deleting what a revoked key granted, what belongs to a deleted webhook, and what has expired.
create index api_keys_granted_by on posthorn.api_keys (granted_by) where granted_by is not null;
create index api_keys_webhook_id on posthorn.api_keys (webhook_id) where webhook_id is not null;
create index api_keys_portal on posthorn.api_keys (expires_at) where is_portal;

-- A browser that exchanged an API key for a cookie.
create table posthorn.sessions (
  id uuid primary key default posthorn.uuid_v7(),
  token_hash bytea not null unique,
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
create index sessions_api_key_id on posthorn.sessions (api_key_id);
create index sessions_expires_at on posthorn.sessions (expires_at);

-- A link that can be exchanged for a session once.
create table posthorn.sign_in_links (
  id uuid primary key default posthorn.uuid_v7(),
  token_hash bytea not null unique,
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
create index sign_in_links_api_key_id on posthorn.sign_in_links (api_key_id);

-- How full the buckets of each key are, which the processes share. Unlogged: after a crash they begin empty.
create unlogged table posthorn.rate_limits (
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  budget text not null,
  level double precision not null,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, budget),
  constraint budget_is_known check (budget in ('requests', 'events')),
  constraint level_is_not_negative check (level >= 0)
) with (fillfactor = 50);

-- The first request with an idempotency key; its repetitions within 24 hours get the same answer.
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
-- Serves: deleting expired keys.
create index idempotency_keys_created_at on posthorn.idempotency_keys (created_at);

-- Who changed what: an entry for each change by a person or a program, written in the transaction of the change.
-- Publishing an event is not in the log: the event is its own record.
create type posthorn.audit_source as enum ('graphql', 'rest', 'cli', 'console', 'system');

create table posthorn.audit_log (
  -- A UUIDv7, so it also says when.
  id uuid primary key default posthorn.uuid_v7(),
  -- Null for what belongs to the installation, such as the catalogue. No foreign keys: the log outlives its subjects.
  organization_id uuid,
  -- Null on the command line and for Posthorn itself.
  api_key_id uuid,
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
-- Serve: the entries of an organization, and those about one subject, newest first.
create index audit_log_organization_id_id on posthorn.audit_log (organization_id, id);
create index audit_log_organization_id_subject_id_id on posthorn.audit_log (organization_id, subject_id, id);

-- Writes an entry. `actor` holds source, api_key_id, address, forwarded_for and user_agent.
create function posthorn.write_audit_entry(
  actor jsonb, organization_id uuid, action text, subject_id text, before jsonb, after jsonb
) returns void
  language sql volatile
as $$
  insert into posthorn.audit_log
    (organization_id, api_key_id, source, address, forwarded_for, user_agent, action, subject_id, before, after)
  values (
    write_audit_entry.organization_id, (actor ->> 'api_key_id')::uuid, (actor ->> 'source')::posthorn.audit_source,
    actor ->> 'address', actor ->> 'forwarded_for', actor ->> 'user_agent',
    write_audit_entry.action, write_audit_entry.subject_id, write_audit_entry.before, write_audit_entry.after)
$$;

create function posthorn.minimum_audit_retention() returns interval
  language sql immutable parallel safe
  return interval '30 days';

-- Refuses every change of an entry, for every role, but for the deletion of old ones.
create function posthorn.protect_audit_log() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    if posthorn.uuid_v7_timestamp(old.id) < now() - posthorn.minimum_audit_retention() then
      return old;
    end if;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.audit_log is append-only: its entries stay as they are for at least 30 days, whoever asks.';
end
$$;
create trigger audit_entries_stay before update or delete on posthorn.audit_log
  for each row execute function posthorn.protect_audit_log();
create trigger audit_log_stays before truncate on posthorn.audit_log
  for each statement execute function posthorn.protect_audit_log();

-- The service's role may delete neither entries nor keys; these functions delete the old ones with the owner's rights.
create function posthorn.delete_old_audit_entries(retention interval) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  deleted bigint;
begin
  delete from posthorn.audit_log
  where id < posthorn.uuid_v7_lower_bound(now() - greatest(retention, posthorn.minimum_audit_retention()));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

create function posthorn.delete_expired_portal_keys() returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  deleted bigint;
begin
  delete from posthorn.api_keys where is_portal and expires_at < now() - interval '1 day';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- The organization that a transaction acts for, if it says so; null: for all, as the worker does.
create function posthorn.current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('posthorn.organization', true), '')::uuid;

-- Row-level security, for every role but the owner: a transaction that acts for one organization neither sees nor
-- changes the settings of another. Events, deliveries and attempts have none: the worker would pay for it on every row.
alter table posthorn.api_keys enable row level security;
create policy own_organization on posthorn.api_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
alter table posthorn.idempotency_keys enable row level security;
create policy own_organization on posthorn.idempotency_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
