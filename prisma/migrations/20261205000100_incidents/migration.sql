-- Failures had no beginning, no owner and no end: a webhook was in trouble, and afterwards it was not. An incident is one
-- time of trouble of a webhook, until it is healthy, disabled or deleted.

create table posthorn.incidents (
  id uuid primary key default posthorn.uuid_v7(),
  organization_id uuid not null references posthorn.organizations on delete cascade,
  webhook_id uuid not null references posthorn.webhooks on delete cascade,
  -- The state of the webhook; of a closed incident, the last one.
  webhook_state text not null,
  -- The cause of the last failure when the state changed: its status or error code. Null if there was no recent failure.
  cause text,
  -- Why the webhook is behind. Null in another state.
  behind_cause text,
  -- Since when the webhook is in trouble.
  opened_at timestamptz not null,
  closed_at timestamptz,
  close_reason text,
  -- The largest number of deliveries that waited when the backlogs were counted.
  peak_waiting int not null default 0,
  acknowledged_at timestamptz,
  acknowledged_by text,
  snoozed_until timestamptz,
  -- The state in which the incident was snoozed. A worse one ends the snooze.
  snoozed_state text,
  -- The name of the person who takes care of the incident.
  assignee text,
  -- 4 is the worst; 0 for a closed incident.
  severity smallint not null generated always as (
    case when closed_at is not null then 0
      else array_position(array['degraded', 'behind', 'failing', 'on_hold'], webhook_state) end) stored,
  constraint webhook_state_is_trouble check (webhook_state in ('degraded', 'behind', 'failing', 'on_hold')),
  constraint close_reason_is_known check (close_reason in ('recovered', 'disabled', 'deleted')),
  constraint closed_means_reason_given check ((closed_at is null) = (close_reason is null)),
  constraint acknowledged_means_by_given check ((acknowledged_at is null) = (acknowledged_by is null)),
  constraint snoozed_means_state_given check ((snoozed_until is null) = (snoozed_state is null)),
  constraint assignee_has_1_to_100_characters check (char_length(assignee) between 1 and 100)
);
create unique index incidents_one_open on posthorn.incidents (webhook_id) where closed_at is null;
-- Serve: the incidents of an organization and of a webhook.
create index incidents_organization_id_severity_closed_at_id
  on posthorn.incidents (organization_id, severity, closed_at, id);
create index incidents_webhook_id_id on posthorn.incidents (webhook_id, id);
-- Serves: the deletion of old incidents.
create index incidents_closed_at on posthorn.incidents (closed_at) where closed_at is not null;

alter table posthorn.incidents enable row level security;
create policy own_organization on posthorn.incidents
  using ((select posthorn.current_organization()) is null
    or organization_id = (select posthorn.current_organization()));

-- What happened to an incident, and who did it.
create table posthorn.incident_entries (
  id uuid primary key default posthorn.uuid_v7(),
  incident_id uuid not null references posthorn.incidents on delete cascade,
  action text not null,
  -- The person or API key. Null: Posthorn itself.
  actor text,
  -- Of what the action changed: the new values.
  webhook_state text,
  cause text,
  snoozed_until timestamptz,
  assignee text,
  constraint action_is_known check (action in ('opened', 'state_changed', 'closed', 'acknowledged', 'unacknowledged',
    'snoozed', 'snooze_ended', 'assigned', 'unassigned'))
);
create index incident_entries_incident_id_id on posthorn.incident_entries (incident_id, id);

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

-- Opens, changes and closes the incidents of webhooks whose states changed in this transaction. Returns the number of
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
  left join posthorn.incidents as i on i.webhook_id = f.webhook_id and i.closed_at is null
  where f.webhook_id = any (webhook_ids)
    and (case when f.state = any (trouble) then f.state end) is distinct from i.webhook_state;
  if changed is null then
    return 0;
  end if;

  -- The locks make concurrent transactions decide one after the other: each reads what the one before committed.
  perform from posthorn.incidents as i
  where i.webhook_id = any (changed) and i.closed_at is null order by i.webhook_id for update;
  with opened as (
    insert into posthorn.incidents (organization_id, webhook_id, webhook_state, cause, behind_cause, opened_at)
    select f.organization_id, f.webhook_id, f.state, posthorn.recent_failure(f.webhook_id),
      case f.state when 'behind' then f.behind_cause end,
      greatest(least(f.since, now()), (
        select max(i.closed_at) from posthorn.incidents as i where i.webhook_id = f.webhook_id))
    from posthorn.followed_states as f
    where f.webhook_id = any (changed) and f.state = any (trouble) order by f.webhook_id
    on conflict (webhook_id) where closed_at is null do nothing
    returning *
  )
  insert into posthorn.incident_entries (incident_id, action, webhook_state, cause)
  select id, 'opened', webhook_state, coalesce(behind_cause, cause) from opened;

  with changed_incident as (
    update posthorn.incidents as i set
      webhook_state = f.state,
      cause = coalesce(posthorn.recent_failure(i.webhook_id), i.cause),
      behind_cause = case f.state when 'behind' then f.behind_cause end,
      snoozed_until = case when not worsens then i.snoozed_until end,
      snoozed_state = case when not worsens then i.snoozed_state end
    from (
      select f.*, i.id, coalesce(array_position(trouble, f.state) > array_position(trouble, i.snoozed_state), false)
        as worsens
      from posthorn.followed_states as f
      join posthorn.incidents as i on i.webhook_id = f.webhook_id and i.closed_at is null
      where f.webhook_id = any (changed) and f.state = any (trouble) and f.state <> i.webhook_state
    ) as f
    where i.id = f.id
    returning i.*
  )
  insert into posthorn.incident_entries (incident_id, action, webhook_state, cause)
  select id, 'state_changed', webhook_state, coalesce(behind_cause, cause) from changed_incident;

  with closed as (
    update posthorn.incidents as i set
      closed_at = greatest(now(), i.opened_at),
      close_reason = case when f.state in ('disabled', 'deleted') then f.state else 'recovered' end,
      snoozed_until = null,
      snoozed_state = null
    from posthorn.followed_states as f
    where f.webhook_id = any (changed) and f.state <> all (trouble)
      and i.webhook_id = f.webhook_id and i.closed_at is null
    returning i.id
  )
  insert into posthorn.incident_entries (incident_id, action) select id, 'closed' from closed;
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

-- No function is public.
revoke execute on function posthorn.follow_incidents(uuid[]), posthorn.recent_failure(uuid) from public;

-- The webhooks that are in trouble now.
select posthorn.follow_incidents(array_agg(id)) from posthorn.webhooks where deleted_at is null;
