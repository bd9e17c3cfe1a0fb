-- The tables of Posthorn: who may call, where deliveries go, what happened, and what was tried.
-- Everything lives in schemas of its own, so that it can share a host application's database.

create schema if not exists posthorn;

-- The daily partitions of the volume tables, apart from the parents so that tools see only those.
create schema if not exists posthorn_partitions;

-- PostgreSQL 18 makes UUIDv7 itself; before it, this does (RFC 9562, section 5.7).
do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function posthorn.uuid_v7() returns uuid
      language sql volatile parallel safe
      return uuidv7();
  else
    create function posthorn.uuid_v7() returns uuid
      language sql volatile parallel safe
      return encode(
        set_bit(set_bit(
          overlay(
            uuid_send(gen_random_uuid())
            placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
            from 1 for 6
          ), 52, 1), 53, 1),
        'hex')::uuid;
  end if;
end
$do$;

-- The smallest UUIDv7 of a moment: the bound of partitions and of time ranges over ids.
create function posthorn.uuid_v7_floor(at timestamptz) returns uuid
  language sql immutable parallel safe
  return encode(
    substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3)
      || '\x70008000000000000000'::bytea,
    'hex')::uuid;

-- When a UUIDv7 was made, to the millisecond.
create function posthorn.uuid_v7_time(id uuid) returns timestamptz
  language sql immutable parallel safe
  return to_timestamp(
    (('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint) / 1000.0);

-- TypeID (https://github.com/jetify-com/typeid): a prefix and the uuid in Crockford's base32. Unrolled, as one
-- expression, so that Postgres inlines it: publishing names two ids for each delivery.
create function posthorn.type_id(prefix text, id uuid) returns text
  language sql immutable parallel safe
  return prefix || '_'
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(uuid_send(id), 0) >> 5), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(uuid_send(id), 0) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 1) >> 3) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 1) << 2) | (get_byte(uuid_send(id), 2) >> 6)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 2) >> 1) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 2) << 4) | (get_byte(uuid_send(id), 3) >> 4)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 3) << 1) | (get_byte(uuid_send(id), 4) >> 7)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 4) >> 2) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 4) << 3) | (get_byte(uuid_send(id), 5) >> 5)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(uuid_send(id), 5) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 6) >> 3) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 6) << 2) | (get_byte(uuid_send(id), 7) >> 6)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 7) >> 1) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 7) << 4) | (get_byte(uuid_send(id), 8) >> 4)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 8) << 1) | (get_byte(uuid_send(id), 9) >> 7)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 9) >> 2) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 9) << 3) | (get_byte(uuid_send(id), 10) >> 5)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(uuid_send(id), 10) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 11) >> 3) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 11) << 2) | (get_byte(uuid_send(id), 12) >> 6)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 12) >> 1) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 12) << 4) | (get_byte(uuid_send(id), 13) >> 4)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 13) << 1) | (get_byte(uuid_send(id), 14) >> 7)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((get_byte(uuid_send(id), 14) >> 2) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (((get_byte(uuid_send(id), 14) << 3) | (get_byte(uuid_send(id), 15) >> 5)) & 31), 1)
      || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (get_byte(uuid_send(id), 15) & 31), 1);

-- The uuid of a TypeID with that prefix, or null for anything else.
create function posthorn.type_id_uuid(prefix text, given text) returns uuid
  language plpgsql immutable parallel safe
as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  encoded text := substr(given, length(prefix) + 2);
  bits text := '';
  i int;
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
  -- SHA-256 of the token, which is 32 random bytes: nothing to guess, so nothing slower is needed.
  token_hash bytea not null unique,
  -- The beginning of the token, for people to tell keys apart.
  token_hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint name_has_1_to_200_characters check (char_length(btrim(name)) between 1 and 200),
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32),
  constraint scopes_are_known check (scopes <@ array[
    'webhooks:read', 'webhooks:write', 'secrets:read', 'secrets:rotate', 'events:publish', 'events:read',
    'deliveries:read', 'deliveries:write', 'keys:manage', 'admin']),
  constraint scopes_are_not_empty check (cardinality(scopes) > 0)
);
-- Serves: the keys of an organization, oldest first.
create index api_keys_organization_id_id on posthorn.api_keys (organization_id, id);

create table posthorn.event_types (
  name text primary key,
  description text not null,
  -- A JSON Schema that `data` must meet, or null for any JSON.
  schema jsonb,
  example jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  constraint name_is_dotted_words check (name ~ '^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$' and char_length(name) <= 128)
);

create table posthorn.webhooks (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  url text not null,
  description text,
  enabled boolean not null default false,
  event_subscriptions text[] not null,
  -- AES-256-GCM of the custom headers as JSON, with the webhook's id as associated data; null when there are none.
  headers_ciphertext bytea,
  -- Counts every change of what a delivery is made from (url, headers, secret, switch), so that caches can tell.
  revision bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Kept so that past deliveries still name their webhook; its secrets and headers are erased.
  deleted_at timestamptz,
  constraint url_is_https check (url ~* '^https://' and char_length(url) <= 2048),
  constraint description_has_at_most_1000_characters check (char_length(description) <= 1000),
  constraint event_subscriptions_are_not_empty check (cardinality(event_subscriptions) > 0),
  constraint deleted_means_disabled_and_erased
    check (deleted_at is null or (not enabled and headers_ciphertext is null))
);
-- Serves: the webhooks of an organization, oldest first, and matching an event to them.
create index webhooks_organization_id_id on posthorn.webhooks (organization_id, id) where deleted_at is null;

create table posthorn.signing_secrets (
  id uuid primary key default posthorn.uuid_v7(),
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  -- AES-256-GCM of the raw key, with this row's id as associated data.
  key_ciphertext bytea not null,
  created_at timestamptz not null default now(),
  -- Null for the one that signs; 24 hours after its rotation for an old one, which is then erased.
  expires_at timestamptz
);
-- Holds: a webhook has one secret that signs.
create unique index signing_secrets_one_current on posthorn.signing_secrets (webhook_id) where expires_at is null;
-- Serves: the secrets of a webhook.
create index signing_secrets_webhook_id on posthorn.signing_secrets (webhook_id);
-- Serves: erasing the expired ones.
create index signing_secrets_expires_at on posthorn.signing_secrets (expires_at) where expires_at is not null;

create table posthorn.idempotency_keys (
  organization_id uuid not null references posthorn.organizations on delete cascade,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  -- What the call made, so that its repetition can answer the same.
  resource_id uuid not null,
  -- The whole answer, encrypted, where it must be repeated to the letter.
  response_ciphertext bytea,
  created_at timestamptz not null default now(),
  primary key (organization_id, operation, key),
  constraint key_has_1_to_255_characters check (char_length(key) between 1 and 255)
);
-- Serves: erasing those older than 24 hours.
create index idempotency_keys_created_at on posthorn.idempotency_keys (created_at);

create type posthorn.delivery_state as enum ('pending', 'succeeded', 'exhausted', 'canceled');

-- The volume. A row's time is in its id, so one partition holds one day and a look-up by id touches one partition.
create table posthorn.events (
  id uuid primary key,
  organization_id uuid not null,
  type text not null,
  occurred_at timestamptz not null,
  -- The body of every delivery of the event: made once; what is stored is what is signed and sent.
  body text not null,
  trace_parent text
) partition by range (id);
-- Serves: the events of an organization, newest first.
create index events_organization_id_id on posthorn.events (organization_id, id);

create table posthorn.deliveries (
  id uuid primary key,
  organization_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  state posthorn.delivery_state not null default 'pending',
  attempt_count int not null default 0,
  -- How many attempts of the retry schedule were used; a redelivery begins it again.
  schedule_position int not null default 0,
  next_attempt_at timestamptz,
  finished_at timestamptz,
  -- Since when it waits for its disabled webhook. Changes seldom, so indexing it keeps ordinary updates HOT.
  waiting_since timestamptz,
  constraint finished_or_finished_at_null check ((state = 'pending') = (finished_at is null)),
  constraint next_attempt_only_while_pending check (next_attempt_at is null or state = 'pending')
) partition by range (id);
-- Serve: the deliveries of an organization, of a webhook and of an event, newest first.
create index deliveries_organization_id_id on posthorn.deliveries (organization_id, id);
create index deliveries_webhook_id_id on posthorn.deliveries (webhook_id, id);
create index deliveries_event_id on posthorn.deliveries (event_id);
-- Serves: releasing what waits for a webhook when it is enabled.
create index deliveries_waiting on posthorn.deliveries (webhook_id, id) where waiting_since is not null;

create table posthorn.attempts (
  id uuid primary key,
  delivery_id uuid not null,
  organization_id uuid not null,
  webhook_id uuid not null,
  number int not null,
  started_at timestamptz not null,
  succeeded boolean not null,
  duration_ms int not null,
  first_byte_ms int,
  -- The response's status, or null when there was no response; then the error says why.
  status int,
  error_code text,
  error text,
  request_url text not null,
  request_signature text,
  request_header_names text[],
  response_headers jsonb,
  response_body bytea,
  response_body_truncated boolean not null default false,
  constraint answered_or_error check ((status is null) = (error_code is not null)),
  constraint succeeded_means_2xx check (succeeded = coalesce(status between 200 and 299, false))
) partition by range (id);
-- Serves: the attempts of a delivery, in order.
create index attempts_delivery_id_number on posthorn.attempts (delivery_id, number);

create table posthorn_partitions.events_rest partition of posthorn.events default;
create table posthorn_partitions.deliveries_rest partition of posthorn.deliveries default with (fillfactor = 50);
create table posthorn_partitions.attempts_rest partition of posthorn.attempts default;

-- Makes the partitions of the days from `first_day` to `last_day` (UTC) that are missing. What the default partition
-- caught of such a day meanwhile moves into the new one.
create function posthorn.ensure_partitions(first_day date, last_day date) returns int
  language plpgsql
as $$
declare
  made int := 0;
  parent text;
  day date;
  child text;
  low uuid;
  high uuid;
begin
  -- One at a time; the others find the work done.
  perform pg_advisory_xact_lock(hashtextextended('posthorn.partitions', 0));
  foreach parent in array array['events', 'deliveries', 'attempts'] loop
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
         insert into posthorn_partitions.%I select * from moved',
        parent || '_rest', low, high, child);
      execute format(
        'alter table posthorn.%I attach partition posthorn_partitions.%I for values from (%L) to (%L)',
        parent, child, low, high);
      made := made + 1;
    end loop;
  end loop;
  return made;
end
$$;

select posthorn.ensure_partitions((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 7);

-- The daily partitions that end before a day, oldest first.
create function posthorn.partitions_before(first_kept_day date) returns table (name text, parent_name text)
  language sql stable
begin atomic
  select c.relname::text, regexp_replace(c.relname, '_[0-9]{8}$', '')
  from pg_catalog.pg_class as c
  where c.relnamespace = (select n.oid from pg_catalog.pg_namespace as n where n.nspname = 'posthorn_partitions')
    and c.relkind = 'r' and c.relname ~ '_[0-9]{8}$'
    and to_date(right(c.relname, 8), 'YYYYMMDD') < first_kept_day
  order by right(c.relname, 8), c.relname;
end;

-- Drops the partitions of the days before `first_kept_day`. What is still owed, the pending deliveries with their
-- events and attempts, moves to the default partition first. Answers how many partitions went.
create function posthorn.drop_partitions_before(first_kept_day date) returns int
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
      'insert into posthorn.%I select old.* from posthorn_partitions.%I as old where %s',
      parent, child,
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
