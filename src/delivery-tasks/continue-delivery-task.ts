import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { nextPageAt, WAIT_MS } from '../deliveries/page-rate.ts'
import { type Page, runPages } from '../queue/background.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { followPage } from './follow-page.ts'
import { redeliverPage } from './redeliver-page.ts'
import { reviveFilter } from './stored-filter.ts'
import { selectPage, type TaskSelection } from './task-selection.ts'

/** A page changes as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250
const MAX_PAGE_SIZE = 500

/** Consecutive faults of Posthorn after which a task fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/** Runs the next pages of a task, and adds the job for the rest. */
export async function continueDeliveryTask(
  pool: Database['pool'],
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const taskId = publicId('deliveryTask', uuid)
  let count = 0
  async function runNext(): Promise<TaskPage | null> {
    const page = await runPage(pool, uuid).catch((error) => recordFault(pool, uuid, error))
    count += page?.canceled ?? 0
    return page
  }
  const job = { task: 'continue_delivery_task', key: taskId, payload: () => ({ taskId }) } as const
  try {
    await runPages(pool, job, runNext, signal)
  } finally {
    reportCanceled({ count, reason: 'delivery_task', ids: { taskId } })
  }
}

interface TaskPage extends Page {
  readonly canceled: number
}

interface LockedTask extends TaskSelection {
  readonly id: string
  readonly organizationId: string
  readonly action: 'redeliver' | 'cancel'
  readonly ratePerSecond: number
  readonly state: string
  readonly reachedId: string
  /** Milliseconds until the next page. */
  readonly waitMs: number
}

/**
 * Changes the next deliveries of a task and moves its cursor, in one transaction, so that a killed process leaves whole
 * pages. The row of the task is locked until the commit, so all processes together keep the rate, and a cancellation
 * waits for the page.
 */
async function runPage(pool: Database['pool'], uuid: string): Promise<TaskPage | null> {
  return await inTransaction(pool, async (sql) => {
    const task = await lockTask(sql, uuid)
    if (!task || (task.state !== 'running' && task.state !== 'following')) return null
    const { organizationId: organizationUuid, waitMs } = task
    if (waitMs > 0) return { organizationUuid, waitMs, canceled: 0 }
    if (task.state === 'running') return { organizationUuid, ...(await changePage(sql, task)) }
    return { organizationUuid, waitMs: await followPage(sql, task), canceled: 0 }
  })
}

async function lockTask(sql: Sql, uuid: string): Promise<LockedTask | null> {
  const { rows } = await sql.query<LockedTask>(
    `select id, organization_id as "organizationId", action::text, delivery_ids as "deliveryIds", filter,
       rate_per_second as "ratePerSecond", state::text, reached_id as "reachedId",
       ${WAIT_MS}
     from posthorn.delivery_tasks where id = $1 for update`,
    [uuid],
  )
  const [row] = rows
  return row ? { ...row, filter: reviveFilter(row.filter) } : null
}

async function changePage(sql: Sql, task: LockedTask) {
  const { id, action, ratePerSecond } = task
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  const { deliveryIds, reachedId, last } = await selectPage(sql, task, size)
  const changed =
    action === 'redeliver'
      ? await redeliverPage(sql, id, deliveryIds)
      : (await cancelDeliveries(sql, deliveryIds, null)).length
  const canceled = action === 'cancel' ? changed : 0
  const state = last ? (action === 'redeliver' ? 'following' : 'completed') : 'running'
  const { rows } = await sql.query<{ waitMs: number }>(
    `update posthorn.delivery_tasks set changed = changed + $2, canceled = canceled + $3, fault_count = 0,
       reached_id = case when $4::posthorn.delivery_task_state = 'following' then '${FIRST_ID}'
         else coalesce($5::uuid, reached_id) end,
       next_page_at = ${nextPageAt('$6')}, state = $4, finished_at = case when $4 = 'completed' then now() end
     where id = $1 returning ${WAIT_MS}`,
    [id, changed, canceled, state, reachedId, (changed * 1_000) / ratePerSecond],
  )
  return { waitMs: state === 'completed' ? null : (rows[0]?.waitMs ?? null), canceled }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Fails the task after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  await sql.query(
    `update posthorn.delivery_tasks set fault_count = fault_count + 1,
       state = case when fault_count + 1 < $2 then state else 'failed' end,
       failure = case when fault_count + 1 < $2 then failure else $3 end,
       finished_at = case when fault_count + 1 < $2 then finished_at else now() end
     where id = $1 and state in ('running', 'following')`,
    [uuid, MAX_FAULTS, FAILURE],
  )
  throw error
}

const FAILURE =
  'An internal error stopped the task; the worker log has the details. Changed deliveries stay changed. Start another task for the rest.'
