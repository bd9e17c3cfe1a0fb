import type { Sql } from '../db/client.ts'

/**
 * Deletes the schedules of webhooks that have no backlog, hold, reservation or limit to show any more, and opens the
 * backlogs that parked deliveries wait in without anybody looking. Answers how many it opened: hardly any.
 */
export async function pruneSchedules(sql: Sql): Promise<number> {
  await sql.query(DELETE_IDLE_SCHEDULES)
  const { rowCount } = await sql.query(OPEN_UNNOTICED_BACKLOGS)
  return rowCount ?? 0
}

/** A schedule that a worker opened just when its webhook was deleted goes, too. */
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
 * Finds each webhook with parked deliveries once, by skipping from one to the next in the index deliveries_parked. An
 * upsert that changes nothing would lock the row, and keep its backlog from being released.
 */
const OPEN_UNNOTICED_BACKLOGS = `
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
