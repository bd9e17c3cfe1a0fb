import type { Sql } from '../db/client.ts'

const PAGE_SIZE = 2_000

/** The pause between two passes over the unfinished deliveries: a twentieth of the task's age, within these bounds. */
const MIN_PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 300

interface FollowedPage {
  readonly read: number
  readonly reachedId: string | null
  readonly succeeded: number
  readonly exhausted: number
  readonly canceled: number
}

/**
 * Counts which of the next unfinished deliveries of a task have finished, and removes them from its items, so every pass
 * reads fewer. Exhausted ones stay, so that the task can list them. Returns the milliseconds until the next page, or `null` once all have finished.
 */
export async function followPage(
  sql: Sql,
  { id, reachedId }: { readonly id: string; readonly reachedId: string },
): Promise<number | null> {
  const { rows } = await sql.query<FollowedPage>({
    name: 'follow_delivery_task',
    text: FOLLOW_PAGE,
    values: [id, reachedId],
  })
  const [page] = rows
  if (!page) throw new Error(`The delivery task ${id} has no page.`)
  const passed = page.read < PAGE_SIZE
  const { rows: updated } = await sql.query<{ waitMs: number | null }>({
    name: 'move_delivery_task',
    text: MOVE,
    values: [id, page.succeeded, page.exhausted, page.canceled, page.reachedId, passed],
  })
  return updated[0]?.waitMs ?? null
}

/** A delivery without a row was deleted with its organization. Only finished deliveries are ever deleted. */
const FOLLOW_PAGE = `
  with page as materialized (
    select delivery_id from posthorn.delivery_task_items where task_id = $1 and delivery_id > $2
      and not exhausted order by delivery_id limit ${PAGE_SIZE}
  ),
  finished as materialized (
    select page.delivery_id, d.state from page left join lateral (
      select state from posthorn.deliveries as d where d.id = page.delivery_id offset 0
    ) as d on true
    where d.state is distinct from 'pending'
  ),
  removed as (
    delete from posthorn.delivery_task_items as i using finished
    where i.task_id = $1 and i.delivery_id = finished.delivery_id and finished.state is distinct from 'exhausted'
  ),
  marked as (
    update posthorn.delivery_task_items as i set exhausted = true from finished
    where i.task_id = $1 and i.delivery_id = finished.delivery_id and finished.state = 'exhausted'
  )
  select (select count(*)::int from page) as read,
    (select delivery_id from page order by delivery_id desc limit 1) as "reachedId",
    count(*) filter (where state = 'succeeded')::int as succeeded,
    count(*) filter (where state = 'exhausted')::int as exhausted,
    count(*) filter (where state = 'canceled')::int as canceled
  from finished`

const MOVE = `
  with moved as (
    update posthorn.delivery_tasks as t set
      succeeded = succeeded + $2, exhausted = exhausted + $3, canceled = canceled + $4, fault_count = 0,
      reached_id = case when $6 then '00000000-0000-0000-0000-000000000000' else $5::uuid end,
      next_page_at = case when not $6 then now() else clock_timestamp() + least(
        greatest((now() - posthorn.uuid_v7_timestamp(id)) / 20, interval '${MIN_PAUSE_SECONDS} seconds'),
        interval '${MAX_PAUSE_SECONDS} seconds') end,
      (state, finished_at) = (
        select case when open then 'following' else 'completed' end::posthorn.delivery_task_state,
          case when not open then now() end
        from (
          select exists (
            select from posthorn.delivery_task_items as i where i.task_id = t.id and not i.exhausted) as open
        ) as items)
    where id = $1
    returning next_page_at, finished_at
  )
  select case when finished_at is null
    then greatest(0, (extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 end as "waitMs"
  from moved`
