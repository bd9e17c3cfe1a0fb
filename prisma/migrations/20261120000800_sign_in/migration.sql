-- Signing in to the console from a browser, and sessions of the portal that a host application embeds.

-- A browser that exchanged an API key for a cookie. It acts as the key, and never for longer.
create table posthorn.sessions (
  id uuid primary key default posthorn.uuid_v7(),
  -- SHA-256 of what the cookie holds, which is 32 random bytes.
  token_hash bytea not null unique,
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
-- Serves: removing the sessions of a key that is removed.
create index sessions_api_key_id on posthorn.sessions (api_key_id);
-- Serves: erasing what is past.
create index sessions_expires_at on posthorn.sessions (expires_at);

-- What can be exchanged for a session once, as the embedded mode prints it.
create table posthorn.sign_in_links (
  id uuid primary key default posthorn.uuid_v7(),
  token_hash bytea not null unique,
  api_key_id uuid not null references posthorn.api_keys on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
-- Serves: removing the links of a key that is removed.
create index sign_in_links_api_key_id on posthorn.sign_in_links (api_key_id);

-- A portal session is a key with an end, that no list shows, and ends with the key that made it. It may be for one
-- webhook alone.
alter table posthorn.api_keys
  add column is_portal boolean not null default false,
  add column granted_by uuid references posthorn.api_keys on delete cascade,
  add column webhook_id uuid references posthorn.webhooks on delete cascade,
  add constraint only_portal_keys_are_for_one_webhook check (webhook_id is null or is_portal),
  add constraint only_portal_keys_are_granted check (granted_by is null or is_portal),
  add constraint portal_keys_expire check (not is_portal or expires_at is not null),
  add constraint portal_keys_manage_nothing check (not is_portal or not scopes && array['admin', 'keys:manage']);
-- Serve: erasing what is past, and removing the keys of a key or a webhook that is removed.
create index api_keys_portal on posthorn.api_keys (expires_at) where is_portal;
create index api_keys_granted_by on posthorn.api_keys (granted_by) where granted_by is not null;
create index api_keys_webhook_id on posthorn.api_keys (webhook_id) where webhook_id is not null;

-- Erases the keys of portal sessions that ended more than a day ago. Answers how many. Runs with its owner's rights: the
-- role that the service runs as removes no other key.
create function posthorn.erase_ended_portal_keys() returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  erased bigint;
begin
  delete from posthorn.api_keys where is_portal and expires_at < now() - interval '1 day';
  get diagnostics erased = row_count;
  return erased;
end
$$;
revoke execute on function posthorn.erase_ended_portal_keys from public;
