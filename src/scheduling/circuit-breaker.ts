import type { Sql } from '../db/client.ts'

/** The failed attempts of a webhook since the last success. */
export interface Failures {
  readonly consecutiveFailures: number
  /** The time since the first of them was recorded; null if there are none. */
  readonly failingMs: number | null
}

const MIN_FAILURES = 10
const MIN_FAILING_MS = 60_000

const FIRST_PROBE_AFTER_MS = 30_000
const MAX_PROBE_DELAY_MS = 15 * 60_000

/* The times of holds are of the clock of Postgres, because the clock of a process may be wrong. */

/** Whether the circuit breaker opens: after 10 consecutive failures over at least a minute. */
export function shouldPutOnHold({ consecutiveFailures, failingMs }: Failures): boolean {
  return consecutiveFailures >= MIN_FAILURES && failingMs !== null && failingMs >= MIN_FAILING_MS
}

/** The delay before the next probe: 30 s, doubled with each earlier delay, up to 15 minutes. */
export function probeDelayMs(delaysBefore: number): number {
  return Math.min(FIRST_PROBE_AFTER_MS * 2 ** delaysBefore, MAX_PROBE_DELAY_MS)
}

/**
 * Opens the circuit breaker of an enabled webhook, also if the webhook is on hold because its endpoint asked to wait.
 * Returns whether it was closed.
 */
export async function putOnHold(sql: Sql, webhookId: string): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'put_on_hold',
    text: `
      with opened as (
        insert into posthorn.webhook_schedules as s (webhook_id, backlog_since, on_hold_since, on_hold_reason, next_probe_at)
        select id, now(), now(), 'failing', now() + $2 * interval '1 millisecond'
        from posthorn.webhooks where id = $1 and enabled
        on conflict (webhook_id) do update set
          backlog_since = coalesce(s.backlog_since, now()), backlog_drained_at = null,
          on_hold_since = coalesce(s.on_hold_since, excluded.on_hold_since), on_hold_reason = 'failing',
          next_probe_at = greatest(s.next_probe_at, excluded.next_probe_at), probe_count = 0,
          probe_delivery_id = null, slow_start_since = null, slow_start_released = 0
        where s.on_hold_since is null or s.on_hold_reason = 'retry_after'
        returning webhook_id, on_hold_since, next_probe_at
      ),
      hold as (
        insert into posthorn.webhook_holds (webhook_id, started_at) select webhook_id, on_hold_since from opened
        on conflict (webhook_id, started_at) do update set ended_at = null
      )
      select posthorn.alert(w.organization_id, w.id, 'posthorn.webhook.on_hold', jsonb_build_object(
        'since', on_hold_since, 'failing_since', c.failing_since, 'consecutive_failures', c.consecutive_failures,
        'last_error', c.last_error, 'next_probe_at', next_probe_at)),
        posthorn.follow_incidents(array(select webhook_id from opened))
      from opened join posthorn.webhooks as w on w.id = opened.webhook_id
      left join posthorn.webhook_conditions as c on c.webhook_id = w.id`,
    values: [webhookId, probeDelayMs(0)],
  })
  return rowCount === 1
}

/**
 * Releases the probe of a webhook on hold if it is due: the head of an ordered webhook, else the one with the fewest attempts
 * among the first of the backlog. So one delivery that always fails does not keep the webhook on hold.
 */
export async function releaseProbe(
  sql: Sql,
  webhookId: string,
  delaysBefore: number,
): Promise<void> {
  await sql.query({
    name: 'release_probe',
    text: RELEASE_PROBE,
    values: [webhookId, probeDelayMs(delaysBefore)],
  })
}

/** SQL: whether the webhook of the schedule `s`, which is on hold, has a delivery that `RELEASE_PROBE` would release. */
export const HAS_PROBE = `
  exists (
    select from posthorn.deliveries as head where head.id = s.head_delivery_id and head.state = 'pending'
  ) or exists (
    select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null
  )`

/** Skips a locked delivery, which is about to change. The next call releases the probe. */
const RELEASE_PROBE = `
  with schedule as materialized (
    select s.*, w.ordered from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
    where s.webhook_id = $1 and s.on_hold_reason = 'failing' and s.next_probe_at <= now()
    for update of s skip locked
  ),
  next as materialized (
    select coalesce(
      (select d.id from posthorn.deliveries as d, schedule
        where d.id = schedule.head_delivery_id and d.state = 'pending'),
      (select first.id from (
          select d.id, d.has_priority, d.attempt_count, d.event_id from posthorn.deliveries as d
          where d.webhook_id = (select webhook_id from schedule) and d.parked_at is not null
          order by d.has_priority desc, d.event_id limit case when (select ordered from schedule) then 1 else 20 end
        ) as first
        order by first.has_priority desc, first.attempt_count, first.event_id limit 1)
    ) as id
  ),
  locked as materialized (
    select d.id from posthorn.deliveries as d
    where d.id = (select id from next) and d.state = 'pending'
    for update skip locked
  ),
  probe as (
    update posthorn.deliveries as d set parked_at = null, parked_reason = null, next_attempt_at = now(),
      redelivery_requested = false, job_written_at = now(), is_backfilled = true
    where d.id = (select id from locked)
    returning d.*
  ),
  scheduled as (
    select posthorn.run_delivery_now(row(
      id, webhook_id, organization_id, event_type, now(), attempt_count, greatest(max_attempts, attempt_count + 1),
      last_error)::posthorn.delivery_job) as is_scheduled
    from probe
  )
  update posthorn.webhook_schedules as s
  set revision = s.revision + 1, probe_delivery_id = probe.id, probe_count = s.probe_count + 1,
    next_probe_at = now() + $2 * interval '1 millisecond',
    -- So that no other delivery is sent concurrently if the hold ends before the probe.
    head_delivery_id = case when schedule.ordered then probe.id end
  from schedule, probe, scheduled where s.webhook_id = probe.webhook_id`
