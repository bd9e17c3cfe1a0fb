-- Erasure: the contents of events become unreadable, and the records of what was published, sent and answered stay.
-- docs/erasure.md describes it.

alter table posthorn.events
  -- When the payload was erased. Then `data` is the JSON text null, so that every statement and every process of the version
  -- before still reads JSON, and `previous` is null.
  add column erased_at timestamptz;

alter table posthorn.deliveries
  -- Whether its event is erased. The statement that records an attempt reads it in the locked row, so that the answer of an
  -- attempt in flight is not stored after the erasure.
  add column is_erased boolean not null default false;

alter table posthorn.event_streams
  -- Counts the erasures. A process whose window of recent events is older drops the window.
  add column erasures bigint not null default 0;

-- The scope data:erase.
alter table posthorn.api_keys
  drop constraint scopes_are_known,
  add constraint scopes_are_known check (scopes <@ array[
    'webhooks:read', 'webhooks:write', 'secrets:read', 'secrets:rotate', 'events:publish', 'events:read',
    'deliveries:read', 'deliveries:write', 'data:erase', 'keys:manage', 'admin'
  ]);

create table posthorn.erasures (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  -- Which events (src/erasure/selection.ts). Of a search key, the path, a salt and the hash of both with the value.
  selection jsonb not null,
  -- The value of a search key, encrypted, until the erasure has ended.
  value_ciphertext bytea,
  unsent text not null,
  state text not null default 'running',
  failure text,
  -- What the pages do now.
  step text not null default 'events',
  -- The oldest event that was erased.
  oldest_event_id uuid,
  -- The last table of which the statistics are new.
  analyzed text,
  -- The last event or audit entry that a page has read.
  reached_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Counts the passes over the events. The last one finds nothing.
  pass int not null default 1,
  -- The events that the pass left: their deliveries are not sent yet.
  waiting int not null default 0,
  next_page_at timestamptz not null default now(),
  -- Once every transaction before this one has ended, all events published before the erasure are visible.
  started_xid bigint not null default ((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint,
  -- The number of events when the erasure started.
  total int not null,
  total_is_exact boolean not null,
  -- What was erased, by place.
  erased jsonb not null default '{}',
  -- Where the value of a search key is still, because people configured it there.
  kept jsonb not null default '{}',
  -- The erasure that this one repeats, also of another database.
  repeats uuid,
  fault_count int not null default 0,
  finished_at timestamptz,
  constraint unsent_is_known check (unsent in ('send_first', 'cancel')),
  constraint erasure_state_is_known check (state in ('running', 'completed', 'failed')),
  constraint erasure_step_is_known check (step in ('events', 'audit', 'settle', 'statistics')),
  constraint erasure_finished_or_finished_at_null check ((state = 'running') = (finished_at is null)),
  constraint only_running_erasures_have_a_value check (value_ciphertext is null or state = 'running'),
  constraint erasure_failed_means_failure_given check ((state = 'failed') = (failure is not null))
);
-- Serves: the list of an organization.
create index erasures_organization_id_id on posthorn.erasures (organization_id, id);

alter table posthorn.erasures enable row level security;
create policy own_organization on posthorn.erasures
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

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

-- Renews the statistics of the next table that has any of erased columns, and returns its name; null after the last. Only
-- partitions since the oldest event are read. Runs with the owner's privileges, because only the owner can analyze.
create function posthorn.analyze_erased(oldest_event_id uuid, after text) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  since constant text := to_char(posthorn.uuid_v7_timestamp(oldest_event_id) - interval '1 minute', 'YYYYMMDD');
  next record;
begin
  select c.oid::regclass as relation, c.oid::regclass::text as name, array_agg(erased.attname) as columns into next
  from (values
    ('events', 'data'), ('events', 'previous'), ('events', 'trace_state'), ('event_keys', 'value'),
    ('attempts', 'response_headers'), ('attempts', 'response_body'),
    ('audit_log', 'before'), ('audit_log', 'after'), ('bulk_tasks', 'selection')) as erased (relname, attname)
  join pg_class as parent on parent.relnamespace = 'posthorn'::regnamespace and parent.relname = erased.relname
  join pg_class as c on c.oid = parent.oid or exists (
    select from pg_inherits as i where i.inhrelid = c.oid and i.inhparent = parent.oid
      and (right(c.relname, 8) >= since or since is not null and right(c.relname, 8) = '_default'))
  join pg_namespace as n on n.oid = c.relnamespace
  where c.oid::regclass::text > coalesce(after, '') and exists (
    select from pg_stats as s
    where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = erased.attname)
  group by c.oid order by 2 limit 1;
  if next.name is not null then
    perform posthorn.renew_statistics(next.relation, next.columns);
  end if;
  return next.name;
end
$$;

-- Whether a value is an earlier one, or differs from it only where parts were replaced with the marker of erased values.
create function posthorn.only_erases(value jsonb, earlier jsonb) returns boolean
  language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if value is not distinct from earlier or value = '"[erased]"' then
    return true;
  end if;
  if jsonb_typeof(value) is distinct from jsonb_typeof(earlier) then
    return false;
  end if;
  if jsonb_typeof(value) = 'array' then
    return jsonb_array_length(value) = jsonb_array_length(earlier) and not exists (
      select from jsonb_array_elements(value) with ordinality as new (item, i)
      where not posthorn.only_erases(new.item, earlier -> (new.i - 1)::int));
  end if;
  return jsonb_typeof(value) = 'object' and not exists (
    select from jsonb_each(value) as new full join jsonb_each(earlier) as old using (key)
    where new.value is null or old.value is null or not posthorn.only_erases(new.value, old.value));
end
$$;

-- The details of an entry can be erased, and nothing else can be changed.
create function posthorn.protect_audit_details() returns trigger
  language plpgsql
as $$
begin
  if to_jsonb(new) - array['before', 'after'] = to_jsonb(old) - array['before', 'after']
    and posthorn.only_erases(new.before, old.before) and posthorn.only_erases(new.after, old.after) then
    return new;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.audit_log is append-only: no role can change its entries, or delete them within 30 days.';
end
$$;
drop trigger reject_changes_of_entries on posthorn.audit_log;
create trigger only_erase_details before update on posthorn.audit_log
  for each row execute function posthorn.protect_audit_details();

-- Replaces the details of audit entries, in which a value was erased. Runs with the owner's privileges, because the service
-- changes no entry otherwise.
create function posthorn.redact_audit_entries(organization uuid, entry_ids uuid[], befores jsonb[], afters jsonb[])
  returns int
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  count int;
begin
  update posthorn.audit_log as a set before = given.before, after = given.after
  from unnest(entry_ids, befores, afters) as given (id, before, after)
  where a.id = given.id and a.organization_id = organization;
  get diagnostics count = row_count;
  return count;
end
$$;

revoke execute on function posthorn.erase_event_keys(uuid, uuid[], text[]), posthorn.analyze_erased(uuid, text),
  posthorn.redact_audit_entries(uuid, uuid[], jsonb[], jsonb[]), posthorn.only_erases(jsonb, jsonb),
  posthorn.protect_audit_details()
from public;
