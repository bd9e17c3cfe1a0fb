import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'

/** Why a delivery waits for its webhook. */
export type ParkedReason = 'disabled' | 'on_hold' | 'concurrency_limit' | 'rate_limit' | 'ordered'

interface ParkedDelivery {
  readonly id: string
  readonly reason: ParkedReason
}

/** Moves a delivery whose job runs in this process to the backlog of its webhook. The caller ends the job. */
export function createPark(sql: Sql) {
  /** In the order of the ids, so that a cancelation of the same deliveries cannot deadlock with it. */
  async function parkTogether(deliveries: ParkedDelivery[]): Promise<undefined[]> {
    const sorted = deliveries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const ids = sorted.map(({ id }) => id)
    const reasons = sorted.map(({ reason }) => reason)
    const values = [ids, reasons, ids[0], ids.at(-1)]
    await sql.query({ name: 'park_deliveries', text: PARK_DELIVERIES, values })
    return deliveries.map(() => undefined)
  }
  return batched(parkTogether, { maxSize: 500, parallel: 1 })
}

/**
 * Opens the backlog first. This waits for a process that is closing the backlog, so that no delivery is parked in a closed
 * one.
 */
const PARK_DELIVERIES = `
  with backlog as (
    insert into posthorn.webhook_schedules as s (webhook_id, backlog_since)
    select distinct d.webhook_id, now() from posthorn.deliveries as d
    where d.id = any ($1::uuid[]) and d.id between $3 and $4 order by 1
    on conflict (webhook_id) do update
      set backlog_since = coalesce(s.backlog_since, now()), backlog_drained_at = null
    returning s.webhook_id
  )
  update posthorn.deliveries as d
  set parked_at = coalesce(d.parked_at, now()), parked_reason = wanted.reason, next_attempt_at = null,
    reserved_for = null, has_priority = d.has_priority or d.redelivery_requested, redelivery_requested = false,
    job_written_at = now()
  from backlog, unnest($1::uuid[], $2::text[]) as wanted (id, reason)
  -- Without the array and the bounds, a cached plan made for few rows reads all deliveries.
  where d.id = wanted.id and d.id = any ($1::uuid[]) and d.id between $3 and $4
    and d.webhook_id = backlog.webhook_id and d.state = 'pending'`

/**
 * Opens the backlog of an enabled webhook, as publishing parks the deliveries of ordered webhooks without opening it. Waits
 * for a process that has locked the schedule, because the release that follows skips a locked schedule.
 */
export async function openBacklog(sql: Sql, webhookId: string): Promise<void> {
  await sql.query({
    name: 'open_backlog',
    text: `
      insert into posthorn.webhook_schedules as s (webhook_id, backlog_since)
      select id, now() from posthorn.webhooks where id = $1 and enabled
      on conflict (webhook_id) do update set backlog_since = now()
        where s.backlog_since is null and s.backlog_drained_at is null`,
    values: [webhookId],
  })
}

/**
 * Creates jobs for the first deliveries of a webhook's backlog: at most `limit`, at most one if the webhook is ordered,
 * none while its head is in flight, and no more than the rate limit and the slow start allow. Returns how many.
 */
export async function releaseBacklog(sql: Sql, webhookId: string, limit: number): Promise<number> {
  for (;;) {
    const { rows } = await sql.query<{ released: number; isStale: boolean }>({
      name: 'release_backlog',
      text: RELEASE_BACKLOG,
      values: [webhookId, limit],
    })
    if (!rows[0]?.isStale) return rows[0]?.released ?? 0
  }
}

/** SQL: the number of reservations from the first one on within the next second, at the rate limit. */
const RESERVATIONS = `
  1 + floor(extract(epoch from clock_timestamp() + interval '1 second' - schedule.first_reservation) * schedule.rate)::int`

/** After a hold: one delivery, then 10 in the first second, and twice as many in each following second. */
const SLOW_START_ALLOWANCE = `
  case when schedule.slow_start_since > now() - interval '20 seconds'
    then 1 + floor(10 * (2 ^ extract(epoch from clock_timestamp() - schedule.slow_start_since) - 1))::int
      - schedule.slow_start_released
  end`

/**
 * Reads the backlog with the index deliveries_parked. If two processes release the same backlog, one of them skips it.
 *
 * The schedule is as of its lock, and the deliveries are as of the statement's snapshot. So `for update` skips a delivery
 * that another process released in between. But the state of an ordered webhook's head may be stale: then the statement
 * releases nothing and reports `isStale`, and the caller runs it again.
 */
const RELEASE_BACKLOG = `
  with schedule as materialized (
    select s.*, w.ordered, w.rate_limit_per_second as rate,
      greatest(s.next_reservation_at, clock_timestamp()) as first_reservation,
      w.ordered and s.revision <> (
        select seen.revision from posthorn.webhook_schedules as seen where seen.webhook_id = $1) as is_stale
    from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
    where s.webhook_id = $1 and s.on_hold_since is null and w.enabled
    for update of s skip locked
  ),
  allowance as materialized (
    select greatest(0, least(
      $2::int,
      case when schedule.is_stale then 0 when schedule.ordered then
        case when exists (
          select from posthorn.deliveries as head
          where head.id = schedule.head_delivery_id and head.state = 'pending' and head.parked_at is null
        ) then 0 else 1 end
      end,
      ${SLOW_START_ALLOWANCE},
      case when schedule.rate is not null then ${RESERVATIONS} end
    )) as allowed
    from schedule
  ),
  picked as materialized (
    select d.id, d.has_priority, d.event_id from posthorn.deliveries as d
    where d.webhook_id = $1 and d.parked_at is not null
    order by d.has_priority desc, d.event_id limit coalesce((select allowed from allowance), 0)
    for update
  ),
  numbered as (
    select id, row_number() over (order by has_priority desc, event_id) - 1 as n from picked
  ),
  released as (
    -- A delivery that waited is no longer new, so the index of states keeps it: the sweep and the lists find it.
    update posthorn.deliveries as d set parked_at = null, parked_reason = null, job_written_at = now(),
      redelivery_requested = false, is_backfilled = true,
      reserved_for = schedule.first_reservation + numbered.n * interval '1 second' / schedule.rate,
      next_attempt_at = coalesce(
        schedule.first_reservation + numbered.n * interval '1 second' / schedule.rate, now())
    from numbered, schedule
    -- Without the array, a plan for many deliveries reads all of them: it expects a tenth of the backlog to be picked.
    where d.id = numbered.id and d.id = any (array(select id from picked))
    returning d.*, numbered.n
  ),
  scheduled as (
    select posthorn.schedule_deliveries(array_agg(row(
      id, webhook_id, organization_id, event_type, now(), attempt_count, greatest(max_attempts, attempt_count + 1),
      last_error)::posthorn.delivery_job order by n))
    from released having count(*) > 0
  ),
  total as (select count(*)::int as released from released),
  updated as (
    update posthorn.webhook_schedules as s set
      revision = s.revision + 1,
      head_delivery_id = case when schedule.ordered
        then coalesce((select id from released limit 1), s.head_delivery_id) end,
      next_reservation_at = coalesce(
        schedule.first_reservation + total.released * interval '1 second' / schedule.rate, s.next_reservation_at),
      slow_start_released = s.slow_start_released + total.released,
      slow_start_since = case when total.released = allowance.allowed then s.slow_start_since end,
      -- A drained backlog that may have more deliveries opens again, so that the next releases read it.
      backlog_since = case when total.released = allowance.allowed then coalesce(s.backlog_since, now()) end,
      backlog_drained_at = case when total.released < allowance.allowed
        then coalesce(s.backlog_drained_at, now()) end
    from schedule, allowance, total
    where s.webhook_id = schedule.webhook_id and allowance.allowed > 0
  )
  select released, coalesce((select is_stale from schedule), false) as "isStale"
  from total left join scheduled on true`

/**
 * Deletes the schedules of webhooks that have no backlog, hold, reservation or concurrency limit, and opens closed
 * backlogs that have parked deliveries. Returns how many backlogs it opened, normally 0.
 */
export async function pruneSchedules(sql: Sql): Promise<number> {
  await sql.query(DELETE_IDLE_SCHEDULES)
  const { rowCount } = await sql.query(OPEN_MISSED_BACKLOGS)
  return rowCount ?? 0
}

/** Also deletes a schedule that a worker created while its webhook was deleted. */
const DELETE_IDLE_SCHEDULES = `
  delete from posthorn.webhook_schedules
  where webhook_id in (
    select s.webhook_id from posthorn.webhook_schedules as s
    where (s.backlog_since is null and s.on_hold_since is null and s.concurrency_limit is null
      and (s.backlog_drained_at is null or s.backlog_drained_at < now() - interval '1 minute')
      and (s.next_reservation_at is null or s.next_reservation_at < now() - interval '1 minute')
      and not exists (
        select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null)
      and not exists (
        select from posthorn.deliveries as d where d.id = s.head_delivery_id and d.state = 'pending'))
      or exists (select from posthorn.webhooks as w where w.id = s.webhook_id and w.deleted_at is not null)
    for update of s skip locked
  )`

/**
 * Finds the webhooks with parked deliveries by a skip scan of the index deliveries_parked. Open backlogs are excluded
 * before the upsert, because an upsert locks the row even if it changes nothing, and a locked backlog is not released.
 */
const OPEN_MISSED_BACKLOGS = `
  with recursive backlogged as (
    (select d.webhook_id from posthorn.deliveries as d where d.parked_at is not null order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from posthorn.deliveries as d
      where d.parked_at is not null and d.webhook_id > backlogged.webhook_id order by d.webhook_id limit 1
    )
    from backlogged where backlogged.webhook_id is not null
  )
  insert into posthorn.webhook_schedules as s (webhook_id, backlog_since)
  select b.webhook_id, now() from backlogged as b
  join posthorn.webhooks as w on w.id = b.webhook_id and w.deleted_at is null
  where not exists (
    select from posthorn.webhook_schedules as s
    where s.webhook_id = b.webhook_id and (s.backlog_since is not null or s.backlog_drained_at is not null)
  )
  on conflict (webhook_id) do update set backlog_since = now()
    where s.backlog_since is null and s.backlog_drained_at is null
  returning webhook_id`
