-- The health of a webhook was that of its last attempt: one that failed every fourth time changed its state with each
-- attempt, and one that was a day behind was healthy. Now it is measured on deliveries, and stored.

alter table posthorn.webhook_conditions
  -- Of an enabled webhook that is not on hold. src/webhooks/evaluate-health.ts sets it.
  add column state text not null default 'healthy'
    constraint state_is_known check (state in ('healthy', 'degraded', 'behind', 'failing')),
  -- Null until the state has changed once.
  add column state_since timestamptz,
  add column behind_cause text
    constraint behind_cause_is_known check (
      behind_cause in ('rate_limit', 'concurrency_limit', 'ordered', 'capacity', 'catching_up')),
  -- As of the last evaluation: deliveries that were first attempted in the window, and those of them that failed.
  add column first_attempts int not null default 0,
  add column first_attempts_failed int not null default 0,
  -- When the oldest delivery that waits for the webhook or for a worker was created, as of the last evaluation.
  add column oldest_waiting_at timestamptz,
  -- Null while nothing can change the state but a failure or a backlog.
  add column next_evaluation_at timestamptz,
  add constraint behind_means_cause_given check ((state = 'behind') = (behind_cause is not null));
update posthorn.webhook_conditions set state = 'failing', state_since = failing_since, next_evaluation_at = now()
  where failing_since is not null;
drop index posthorn.webhook_conditions_failing;
-- Serve: the webhooks to evaluate, the longest overdue first, and the webhooks in trouble.
create index webhook_conditions_next_evaluation_at on posthorn.webhook_conditions (next_evaluation_at)
  where next_evaluation_at is not null;
create index webhook_conditions_in_trouble on posthorn.webhook_conditions (webhook_id) where state <> 'healthy';

alter table posthorn.webhook_statistics
  -- First attempts, and those that failed.
  add column first_attempts int not null default 0,
  add column first_attempts_failed int not null default 0,
  -- Deliveries that succeeded within a minute of their creation, that succeeded later, and that were exhausted.
  add column on_time int not null default 0,
  add column late int not null default 0,
  add column exhausted int not null default 0,
  -- A histogram of the time from when a delivery could be sent to its first attempt, with the bounds of the latency.
  add column first_delay int[] not null default array_fill(0, '{27}'::int[]);
-- The minutes of an organization are rows of their own, like its hours, so that reading them does not depend on the number
-- of its webhooks.
insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded,
  failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency)
select organization_id, organization_id, 1, bucket, 0, sum(attempts), sum(succeeded), sum(failed_3xx), sum(failed_4xx),
  sum(failed_5xx), sum(failed_without_response), (
    select array_agg(counted.n order by i) from (
      select i, sum(n)::int as n from posthorn.webhook_statistics as each, unnest(each.latency) with ordinality as l (n, i)
      where each.organization_id = s.organization_id and each.minutes = 1 and each.bucket = s.bucket group by i
    ) as counted
  )
from posthorn.webhook_statistics as s where minutes = 1 group by organization_id, bucket;
drop index posthorn.webhook_statistics_organization_id_bucket;
