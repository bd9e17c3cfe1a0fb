-- The state of each webhook, in one place for lists, streams, figures, metrics and dashboards.

create view posthorn.webhook_states with (security_invoker = true) as
select
  w.id as webhook_id,
  w.organization_id,
  case
    when not w.enabled then 'disabled'
    when s.on_hold_since is not null then 'on_hold'
    when coalesce(c.state, 'healthy') <> 'healthy' then c.state
    when c.last_success_at is null and c.failing_since is null then 'no_deliveries'
    else 'healthy'
  end as state,
  -- What its parked deliveries wait for now.
  case
    when not w.enabled then 'disabled'
    when s.on_hold_since is not null then 'on_hold'
    when w.ordered then 'ordered'
    when w.rate_limit_per_second is not null then 'rate_limit'
    else 'concurrency_limit'
  end as waits_for,
  s.backlog_since is not null or s.backlog_drained_at is not null as has_backlog,
  c.oldest_waiting_at
from posthorn.webhooks as w
left join posthorn.webhook_schedules as s on s.webhook_id = w.id
left join posthorn.webhook_conditions as c on c.webhook_id = w.id
where w.deleted_at is null;
