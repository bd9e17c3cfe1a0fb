-- Events could only be pushed. Consumers ask for them, at their own pace: at least once, as long as events are kept.

-- The last event that the stream no longer has: a cursor before it may have missed some. A stream begins at a new position,
-- so that a cursor of an earlier stream of the organization is before it.
alter table posthorn.event_streams
  add column begins_after bigint not null default nextval('posthorn.stream_positions'),
  add column begins_after_index int not null default 0;

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
create unique index event_consumers_organization_id_name on posthorn.event_consumers (organization_id, name);
-- Serves: the list of an organization.
create index event_consumers_organization_id_id on posthorn.event_consumers (organization_id, id);

alter table posthorn.event_consumers enable row level security;
create policy own_organization on posthorn.event_consumers
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- The events of one pull, until they are acknowledged. After its time, they are given to the next pull.
create table posthorn.consumer_leases (
  id uuid primary key default posthorn.uuid_v7(),
  consumer_id uuid not null references posthorn.event_consumers on delete cascade,
  -- Parallel arrays: the events in the order of the stream, and their places in it. Empty once the lease has ended.
  event_ids uuid[] not null,
  positions bigint[] not null,
  indexes int[] not null,
  expires_at timestamptz not null,
  -- An ended lease is kept for minutes, so that a repeated or late acknowledgement gets the right answer.
  ended_at timestamptz,
  end_reason text,
  constraint end_reason_is_known check (end_reason in ('acknowledged', 'given_again')),
  constraint ended_means_reason_given check ((ended_at is null) = (end_reason is null)),
  constraint arrays_are_parallel
    check (cardinality(event_ids) = cardinality(positions) and cardinality(event_ids) = cardinality(indexes))
);
create index consumer_leases_open on posthorn.consumer_leases (consumer_id, expires_at) where ended_at is null;
-- Serves: the deletion of ended leases.
create index consumer_leases_ended on posthorn.consumer_leases (consumer_id, ended_at) where ended_at is not null;
