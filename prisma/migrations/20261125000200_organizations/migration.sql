-- Organizations, their API keys and sessions, the rate limits of keys, and the audit log.

create table posthorn.organizations (
  id uuid primary key default posthorn.uuid_v7(),
  name text not null,
  created_at timestamptz not null default now(),
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200)
);

-- The tokens that an application gives to its own users: for the portal, and for pages that the application builds.
create type posthorn.session_kind as enum ('portal', 'frontend');

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
  -- Null: the default limits.
  requests_per_second int,
  events_per_second int,
  -- Set for the key of a portal or frontend session, with the API key that created the session.
  session_kind posthorn.session_kind,
  granted_by uuid references posthorn.api_keys on delete cascade,
  -- The only webhook that the session sees; null: all of the organization. The next migration adds the foreign key.
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
  constraint only_sessions_are_granted check (granted_by is null or session_kind is not null),
  constraint only_sessions_are_for_one_webhook check (webhook_id is null or session_kind is not null),
  constraint sessions_expire check (session_kind is null or expires_at is not null),
  constraint sessions_manage_nothing check (session_kind is null or not scopes && array['admin', 'keys:manage'])
);
-- Serve: the keys of an organization, and its frontend sessions, also those with a name. There can be many sessions.
create index api_keys_keys on posthorn.api_keys (organization_id, id) where session_kind is null;
create index api_keys_sessions on posthorn.api_keys (organization_id, id) where session_kind is not null;
create index api_keys_session_name on posthorn.api_keys (organization_id, name, id) where session_kind is not null;
-- Serve: deleting the keys that a revoked key granted, the keys of a deleted webhook, and ended sessions.
create index api_keys_granted_by on posthorn.api_keys (granted_by) where granted_by is not null;
create index api_keys_webhook_id on posthorn.api_keys (webhook_id) where webhook_id is not null;
create index api_keys_session_expiry on posthorn.api_keys (expires_at) where session_kind is not null;

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

-- The leaky buckets of each key, shared by all processes. Unlogged: they start empty after a crash.
create unlogged table posthorn.rate_limits (
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  budget text not null,
  level double precision not null,
  counted_at timestamptz not null default clock_timestamp(),
  primary key (api_key_id, budget),
  constraint budget_is_known check (budget in ('requests', 'events')),
  constraint level_is_not_negative check (level >= 0)
) with (fillfactor = 50);

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
-- Serves: deleting expired keys.
create index idempotency_keys_created_at on posthorn.idempotency_keys (created_at);

-- The audit log has an entry for each change, written in the transaction of the change. It has none for published
-- events, because the events table records them.
create type posthorn.audit_source as enum ('graphql', 'rest', 'cli', 'console', 'system');

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

-- `actor` has the keys source, api_key_id, person, address, forwarded_for and user_agent.
create function posthorn.write_audit_entry(
  actor jsonb, organization_id uuid, action text, subject_id text, before jsonb, after jsonb
) returns void
  language sql volatile
as $$
  insert into posthorn.audit_log
    (organization_id, api_key_id, person, source, address, forwarded_for, user_agent, action, subject_id, before, after)
  values (
    write_audit_entry.organization_id, (actor ->> 'api_key_id')::uuid, actor ->> 'person',
    (actor ->> 'source')::posthorn.audit_source,
    actor ->> 'address', actor ->> 'forwarded_for', actor ->> 'user_agent',
    write_audit_entry.action, write_audit_entry.subject_id, write_audit_entry.before, write_audit_entry.after)
$$;

create function posthorn.minimum_audit_retention() returns interval
  language sql immutable parallel safe
  return interval '30 days';

-- Rejects changes of entries by every role, except the deletion of old entries.
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
    message = 'posthorn.audit_log is append-only: no role can change its entries, or delete them within 30 days.';
end
$$;
create trigger reject_changes_of_entries before update or delete on posthorn.audit_log
  for each row execute function posthorn.protect_audit_log();
create trigger reject_truncate before truncate on posthorn.audit_log
  for each statement execute function posthorn.protect_audit_log();

-- The service's role cannot delete entries or keys, so these functions delete old ones with the owner's privileges.
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

create function posthorn.delete_ended_session_keys() returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  deleted bigint;
begin
  delete from posthorn.api_keys where session_kind is not null and expires_at < now() - interval '1 day';
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- The organization that the transaction acts for; null: all organizations, as in the worker.
create function posthorn.current_organization() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('posthorn.organization', true), '')::uuid;

-- Row-level security for every role except the owner: a transaction that acts for one organization can neither see nor
-- change the settings of another. Events, deliveries and attempts have none, because it would slow down the worker.
alter table posthorn.api_keys enable row level security;
create policy own_organization on posthorn.api_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
alter table posthorn.idempotency_keys enable row level security;
create policy own_organization on posthorn.idempotency_keys
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));
