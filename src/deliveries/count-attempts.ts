import { addLatencies, countLatencies } from '../webhooks/latency.ts'

const COUNTS = [
  'attempts',
  'succeeded',
  'failed_3xx',
  'failed_4xx',
  'failed_5xx',
  'failed_without_response',
] as const

/**
 * SQL, for the statement that records attempts: adds what `made` and `updated` hold to the counts of the minute, and
 * notes when a webhook begins to fail, or succeeds again.
 *
 * What is recorded together is added up first, so there is one row to write for each webhook, in the order of their
 * ids: two statements never wait for each other in a circle. Each connection has rows of its own (`stripe`), so hardly
 * ever does one wait for another at all. The condition of a webhook is read before it is written, since even an upsert
 * that changes nothing locks its row.
 */
export const COUNT_ATTEMPTS = `
  tallied as (
    select u.organization_id, u.webhook_id, count(*)::int as attempts,
      count(*) filter (where made.succeeded)::int as succeeded,
      count(*) filter (where u.last_status_class = 3)::int as failed_3xx,
      count(*) filter (where u.last_status_class = 4)::int as failed_4xx,
      count(*) filter (where u.last_status_class = 5)::int as failed_5xx,
      count(*) filter (where u.last_status_class = 0)::int as failed_without_response,
      min(made.started_at) as first_started_at,
      ${countLatencies('made.duration_ms')} as latency
    from made join updated as u on u.id = made.delivery_id
    group by 1, 2
  ),
  counted as (
    insert into posthorn.webhook_statistics as s
      (subject_id, organization_id, minutes, bucket, stripe, ${COUNTS.join(', ')}, latency)
    select webhook_id, organization_id, 1, date_trunc('minute', now()), pg_backend_pid() & 15, ${COUNTS.join(', ')}, latency
    from tallied order by webhook_id
    on conflict (subject_id, minutes, bucket, stripe) do update set
      ${COUNTS.map((name) => `${name} = s.${name} + excluded.${name}`).join(', ')},
      latency = ${addLatencies('s.latency', 'excluded.latency')}
  ),
  conditions as (
    insert into posthorn.webhook_conditions as c (webhook_id, last_success_at, failing_since, consecutive_failures)
    select t.webhook_id, case when t.succeeded > 0 then now() end, case when t.succeeded = 0 then t.first_started_at end,
      case when t.succeeded = 0 then t.attempts else 0 end
    from tallied as t left join posthorn.webhook_conditions as known on known.webhook_id = t.webhook_id
    where known.webhook_id is null or t.succeeded = 0 or known.failing_since is not null
      or known.last_success_at < date_trunc('minute', now())
    order by t.webhook_id
    on conflict (webhook_id) do update set
      last_success_at = coalesce(excluded.last_success_at, c.last_success_at),
      failing_since = case when excluded.last_success_at is null
        then coalesce(c.failing_since, excluded.failing_since) end,
      consecutive_failures = case when excluded.last_success_at is null
        then c.consecutive_failures + excluded.consecutive_failures else 0 end
    returning c.webhook_id as for_webhook, c.failing_since, c.consecutive_failures
  )`
