import type { Sql } from '../db/client.ts'

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
