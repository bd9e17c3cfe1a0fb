import type { Sql } from '../db/client.ts'
import { FIRST_ID } from './selection.ts'

const PAGE_SIZE = 2_000

/** The pause between two passes over the unfinished deliveries: a twentieth of the age of the task, within these bounds. */
const MIN_PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 300

/** SQL: the milliseconds until the next page. */
export const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`

/**
 * Counts which of the next unfinished deliveries of a task have finished, also after the task was canceled or has failed:
 * what it queued is delivered. Returns the milliseconds until the next page, or `null` once all have finished. While the
 * task is running, this only counts.
 */
export async function followTask(
  sql: Sql,
  task: {
    readonly id: string
    readonly state: string
    readonly followedId: string
    readonly waitMs: number
  },
): Promise<number | null> {
  const { id, state, followedId, waitMs } = task
  if (state === 'completed') return null
  if (state !== 'running' && waitMs > 0) return waitMs
  const { rows: pages } = await sql.query<FinishedPage>({
    name: 'count_finished',
    text: COUNT_FINISHED,
    values: [id, followedId],
  })
  const [page] = pages
  if (!page) throw new Error('A page of bulk_task_items has no row.')
  const passed = page.read < PAGE_SIZE
  const { rows } = await sql.query<{ waitMs: number }>({
    name: 'move_bulk_task',
    text: MOVE,
    values: [
      ...[id, page.succeeded, page.exhausted, page.canceled],
      ...[passed ? FIRST_ID : page.lastId, passed],
    ],
  })
  return rows[0]?.waitMs ?? null
}

interface FinishedPage {
  readonly read: number
  readonly lastId: string | null
  readonly succeeded: number
  readonly exhausted: number
  readonly canceled: number
}

/**
 * Finished deliveries are removed from the items, so every pass reads fewer, and exhausted ones are marked. A delivery
 * without a row was deleted with its organization. Only finished deliveries are ever deleted.
 */
const COUNT_FINISHED = `
  with page as materialized (
    select delivery_id from posthorn.bulk_task_items
    where task_id = $1 and not exhausted and delivery_id > $2 order by delivery_id limit ${PAGE_SIZE}
  ),
  finished as materialized (
    select page.delivery_id, d.state from page left join lateral (
      select state from posthorn.deliveries as d where d.id = page.delivery_id offset 0
    ) as d on true
    where d.state is distinct from 'pending'
  ),
  marked as (
    update posthorn.bulk_task_items as i set exhausted = true from finished
    where i.task_id = $1 and not i.exhausted and i.delivery_id = finished.delivery_id and finished.state = 'exhausted'
  ),
  removed as (
    delete from posthorn.bulk_task_items as i using finished
    where i.task_id = $1 and not i.exhausted and i.delivery_id = finished.delivery_id
      and finished.state is distinct from 'exhausted'
  )
  select (select count(*)::int from page) as read,
    (select delivery_id from page order by delivery_id desc limit 1) as "lastId",
    count(*) filter (where state = 'succeeded')::int as succeeded,
    count(*) filter (where state = 'exhausted')::int as exhausted,
    count(*) filter (where state = 'canceled')::int as canceled
  from finished`

/** While the task is running, `next_page_at` is the time of the next page to change. */
const MOVE = `
  with moved as (
    update posthorn.bulk_tasks as t set
      succeeded = succeeded + $2, exhausted = exhausted + $3, canceled = canceled + $4, fault_count = 0, followed_id = $5,
      next_page_at = case when state = 'running' then next_page_at
        when $6 then clock_timestamp() + least(
          greatest((now() - posthorn.uuid_v7_timestamp(id)) / 20, interval '${MIN_PAUSE_SECONDS} seconds'),
          interval '${MAX_PAUSE_SECONDS} seconds')
        else now() end,
      state = case when state = 'delivering' and not items.open then 'completed' else state end,
      finished_at = case when state = 'delivering' and not items.open then now() else finished_at end
    from (
      select exists (select from posthorn.bulk_task_items where task_id = $1 and not exhausted) as open
    ) as items
    where id = $1
    returning next_page_at, items.open
  )
  select ${WAIT_MS} from moved where open`
