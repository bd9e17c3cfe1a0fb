-- Who changed what: one entry for each change by a person or a program, written in the transaction of the change, so
-- that neither exists without the other. Events are their own record: publishing is not written down a second time.

-- How the change was asked for. `system`: by Posthorn itself.
create type posthorn.audit_door as enum ('graphql', 'rest', 'cli', 'system');

create table posthorn.audit_log (
  -- Also says when: it is a UUIDv7, made here.
  id uuid primary key default posthorn.uuid_v7(),
  -- Whose thing was changed; null for what belongs to the installation, such as the catalogue. No foreign keys: the log
  -- outlives what it tells of.
  organization_id uuid,
  -- The key that was used; null on the command line and for Posthorn itself.
  api_key_id uuid,
  door posthorn.audit_door not null,
  -- Where the connection came from, and where it began by what the proxies on the way said.
  address text,
  forwarded_for text,
  user_agent text,
  -- What was done, such as `webhook.updated`, and the public id or the name of what it was done to.
  action text not null,
  subject_id text not null,
  -- The fields that changed, as they were and as they are since. Never a secret.
  before jsonb,
  after jsonb,
  constraint action_is_noun_and_verb check (action ~ '^[a-z_]+[.][a-z_]+$')
);
-- Serves: the entries of an organization, newest first.
create index audit_log_organization_id_id on posthorn.audit_log (organization_id, id);
-- Serves: the entries about one thing, newest first.
create index audit_log_organization_id_subject_id_id on posthorn.audit_log (organization_id, subject_id, id);

-- Writes an entry. `actor` holds door, api_key_id, address, forwarded_for and user_agent.
create function posthorn.write_audit_entry(
  actor jsonb, organization_id uuid, action text, subject_id text, before jsonb, after jsonb
) returns void
  language sql volatile
as $$
  insert into posthorn.audit_log
    (organization_id, api_key_id, door, address, forwarded_for, user_agent, action, subject_id, before, after)
  values (
    write_audit_entry.organization_id, (actor ->> 'api_key_id')::uuid, (actor ->> 'door')::posthorn.audit_door,
    actor ->> 'address', actor ->> 'forwarded_for', actor ->> 'user_agent',
    write_audit_entry.action, write_audit_entry.subject_id, write_audit_entry.before, write_audit_entry.after)
$$;

-- What is written stays as it is, for every role and by every way but this one: entries past their time may go.
create function posthorn.shortest_audit_retention() returns interval
  language sql immutable parallel safe
  return interval '30 days';

create function posthorn.refuse_audit_change() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    if posthorn.uuid_v7_time(old.id) < now() - posthorn.shortest_audit_retention() then
      return old;
    end if;
  end if;
  raise insufficient_privilege using
    message = 'posthorn.audit_log is append-only: its entries stay as they are for at least 30 days, whoever asks.';
end
$$;
create trigger audit_entries_stay before update or delete on posthorn.audit_log
  for each row execute function posthorn.refuse_audit_change();
create trigger audit_log_stays before truncate on posthorn.audit_log
  for each statement execute function posthorn.refuse_audit_change();

-- Erases the entries that are older than the retention, which is at least 30 days whatever is given. Answers how many.
-- Runs with its owner's rights: the role that the service runs as may add entries and read them, and erase by this only.
create function posthorn.erase_old_audit_entries(retention interval) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  erased bigint;
begin
  delete from posthorn.audit_log
  where id < posthorn.uuid_v7_floor(now() - greatest(retention, posthorn.shortest_audit_retention()));
  get diagnostics erased = row_count;
  return erased;
end
$$;
revoke execute on function posthorn.erase_old_audit_entries from public;
