-- Retention was one time for the installation, and everything was kept until then. Organizations and event types get a
-- shorter time, and organizations and webhooks can leave out what receivers answer, and payloads that were delivered.
-- docs/data.md describes both.

alter table posthorn.organizations
  -- Null: the retention of the installation.
  add column retention_days int,
  add column keep_response_bodies boolean not null default true,
  add column keep_payloads boolean not null default true,
  -- While `keep_payloads` is false: all older events have been queued in `unkept_payloads`.
  add column payloads_queued_to uuid,
  add constraint retention_days_in_range check (retention_days between 1 and 3650);

alter table posthorn.event_types
  add column retention_days int,
  add constraint retention_days_in_range check (retention_days between 1 and 3650);

alter table posthorn.webhooks
  -- Both count only while the organization has the same value.
  add column keep_response_bodies boolean not null default true,
  add column keep_payloads boolean not null default true;

alter table posthorn.settings
  -- POSTHORN_RETENTION of the worker that started last.
  add column retention_ms bigint not null default 2592000000;

alter table posthorn.events
  -- The size of a payload that was erased because it is not kept after its delivery. Null for one that is kept, and for one
  -- that somebody erased.
  add column unkept_bytes int;

alter table posthorn.attempts
  -- The size of a response body, as far as it was read, that is not kept. Null for one that is kept.
  add column unkept_body_bytes int;

-- Events with a delivery that has ended, whose payload is not kept. The statement that ends the delivery adds the row, so that
-- a crash loses none. An event can have several rows: uniqueness would make these statements wait for each other.
create table posthorn.unkept_payloads (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  event_id uuid not null,
  due_at timestamptz not null
);
-- Serves: the next rows.
create index unkept_payloads_due_at on posthorn.unkept_payloads (due_at);
-- Serves: the deletion of an organization.
create index unkept_payloads_organization_id_id on posthorn.unkept_payloads (organization_id, id);

alter table posthorn.unkept_payloads enable row level security;
create policy own_organization on posthorn.unkept_payloads
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The first id that an organization keeps by its own rule, or by that of an event type. Null without such a rule.
create function posthorn.first_kept_by_rule(organization uuid, event_type text) returns uuid
  language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return posthorn.uuid_v7_lower_bound(now() - interval '1 day' * case
    when event_type is null
      then (select o.retention_days from posthorn.organizations as o where o.id = organization)
    else (select t.retention_days from posthorn.event_types as t where t.name = event_type)
  end);
end
$$;

-- Deletes the deliveries of an organization that are past its own retention or, with an event type, past that of the type, with
-- their attempts. Pending ones stay. Reads at most `max_rows` deliveries, those after an id. Returns the last id that it read,
-- or null if there are no more. Runs with the owner's privileges, because the service deletes no deliveries otherwise.
create function posthorn.delete_deliveries_past_rule(
  organization uuid, event_type text, after uuid, max_rows int, out deleted int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  bound constant uuid := posthorn.first_kept_by_rule(organization, event_type);
  page uuid[];
  gone uuid[];
begin
  deleted := 0;
  execute format(
    'select array(
       select d.id from posthorn.deliveries as d
       where d.organization_id = $1 %s and d.id > $3 and d.id < $4 order by d.id limit $5)',
    case when event_type is not null then 'and d.event_type = $2' end)
  into page using organization, event_type, after, bound, max_rows;
  if cardinality(page) = 0 then
    return;
  end if;
  gone := array(
    select d.id from posthorn.deliveries as d
    where d.id = any (page) and d.id between page[1] and page[cardinality(page)] and d.state <> 'pending'
    order by d.id for update skip locked);
  -- `offset 0` keeps the lookups apart: Postgres could read all attempts of a day of which it has no statistics yet.
  delete from posthorn.attempts as a
  where a.id >= page[1] and a.id = any (array(
    select found.id from unnest(gone) as given (id), lateral (
      select a.id from posthorn.attempts as a where a.delivery_id = given.id and a.id >= page[1] offset 0
    ) as found));
  delete from posthorn.deliveries as d
  where d.id = any (gone) and d.id between page[1] and page[cardinality(page)];
  get diagnostics deleted = row_count;
  reached := page[max_rows];
end
$$;

-- The same for events and their search keys. Events that pending deliveries need stay, and so do those that fan out.
create function posthorn.delete_events_past_rule(
  organization uuid, event_type text, after uuid, max_rows int, out deleted int, out reached uuid
)
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
as $$
declare
  bound constant uuid := posthorn.first_kept_by_rule(organization, event_type);
  page uuid[];
  gone uuid[];
  data text[];
begin
  deleted := 0;
  execute format(
    'select array(
       select e.id from posthorn.events as e
       where e.organization_id = $1 %s and e.id > $3 and e.id < $4 order by e.id limit $5)',
    case when event_type is not null then 'and e.type = $2' end)
  into page using organization, event_type, after, bound, max_rows;
  if cardinality(page) = 0 then
    return;
  end if;
  -- A redelivery locks its delivery first, so that none begins meanwhile.
  perform from posthorn.deliveries as d where d.event_id = any (page) order by d.id for update;
  select array_agg(found.id order by found.id), array_agg(found.data order by found.id) into gone, data
  from (
    select e.id, e.data from posthorn.events as e
    where e.id = any (page) and e.id between page[1] and page[cardinality(page)]
      and not exists (
        select from posthorn.deliveries as d where d.event_id = e.id and d.state = 'pending' offset 0)
      and not exists (
        select from posthorn.fan_outs as f where f.organization_id = organization and e.id = any (f.event_ids))
    for update skip locked
  ) as found;
  perform posthorn.erase_event_keys(organization, gone, data);
  delete from posthorn.events as e where e.id = any (gone) and e.id between page[1] and page[cardinality(page)];
  get diagnostics deleted = row_count;
  reached := page[max_rows];
end
$$;

revoke execute on function posthorn.first_kept_by_rule(uuid, text),
  posthorn.delete_deliveries_past_rule(uuid, text, uuid, int), posthorn.delete_events_past_rule(uuid, text, uuid, int)
from public;
