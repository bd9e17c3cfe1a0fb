import type { Sql } from '../db/client.ts'
import { countFinished, PAUSE } from '../deliveries/count-finished.ts'
import { WAIT_MS } from '../deliveries/page-rate.ts'

/**
 * Counts which of the next unfinished deliveries of a task have finished. Returns the milliseconds until the next page, or
 * `null` once all have finished.
 */
export async function followPage(
  sql: Sql,
  { id, reachedId }: { readonly id: string; readonly reachedId: string },
): Promise<number | null> {
  const page = await countFinished(sql, 'delivery_task_items', id, reachedId)
  const { rows } = await sql.query<{ waitMs: number }>({
    name: 'move_delivery_task',
    text: MOVE,
    values: [id, page.succeeded, page.exhausted, page.canceled, page.reachedId, page.passed],
  })
  return rows[0]?.waitMs ?? null
}

const MOVE = `
  with moved as (
    update posthorn.delivery_tasks as t set
      succeeded = succeeded + $2, exhausted = exhausted + $3, canceled = canceled + $4, fault_count = 0,
      reached_id = $5, next_page_at = case when $6 then clock_timestamp() + ${PAUSE} else now() end,
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
  select ${WAIT_MS} from moved where finished_at is null`
