-- An endpoint that answers 429 or 503 with `Retry-After` puts its webhook on hold too. People and probes must tell such a
-- hold from one of the circuit breaker. The default serves processes of 0.2.0, which know only the circuit breaker.

alter table posthorn.webhook_schedules
  -- Why the webhook is on hold, if it is.
  add column on_hold_reason text not null default 'failing'
    constraint on_hold_reason_known check (on_hold_reason in ('failing', 'retry_after'));

create or replace view posthorn.webhook_backlogs as
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
