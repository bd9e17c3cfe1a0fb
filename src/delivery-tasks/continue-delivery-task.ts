import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { followPage } from './follow-page.ts'
import { redeliverPage } from './redeliver-page.ts'
import { reviveFilter } from './stored-filter.ts'
import { selectPage, type TaskSelection } from './task-selection.ts'

/** The longest run of one job, and so the longest that a shutdown waits for a task. */
const MAX_RUN_MS = 900

/** A page changes as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250
const MAX_PAGE_SIZE = 500

/** Consecutive faults of Posthorn after which a task fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/**
 * Continues a task for up to `MAX_RUN_MS`, page by page at its rate, then enqueues another job for the rest, which any
 * process can claim. A wait between pages holds no lock.
 */
export async function continueDeliveryTask(
  pool: Database['pool'],
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const endsAtMs = Date.now() + MAX_RUN_MS
  let count = 0
  try {
    for (;;) {
      const page = await runPage(pool, uuid).catch((error) => recordFault(pool, uuid, error))
      count += page.canceled
      if (page.waitMs === null) return
      if (signal?.aborted || Date.now() + page.waitMs > endsAtMs)
        return await enqueueNextRun(pool, uuid, page.waitMs)
      await sleep(page.waitMs)
    }
  } finally {
    const taskId = publicId('deliveryTask', uuid)
    reportCanceled({ count, reason: 'delivery_task', ids: { taskId } })
  }
}

interface PageResult {
  /** Milliseconds until the next page, or `null` once the task has ended. */
  readonly waitMs: number | null
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
async function runPage(pool: Database['pool'], uuid: string): Promise<PageResult> {
  return await inTransaction(pool, async (sql) => {
    const task = await lockTask(sql, uuid)
    if (!task || (task.state !== 'running' && task.state !== 'following')) {
      return { waitMs: null, canceled: 0 }
    }
    if (task.waitMs > 0) return { waitMs: Math.ceil(task.waitMs), canceled: 0 }
    if (task.state === 'running') return await changePage(sql, task)
    return { waitMs: await followPage(sql, task), canceled: 0 }
  })
}

async function lockTask(sql: Sql, uuid: string): Promise<LockedTask | null> {
  const { rows } = await sql.query<LockedTask>(
    `select id, organization_id as "organizationId", action::text, delivery_ids as "deliveryIds", filter,
       rate_per_second as "ratePerSecond", state::text, reached_id as "reachedId",
       (extract(epoch from next_page_at - clock_timestamp()) * 1000)::float8 as "waitMs"
     from posthorn.delivery_tasks where id = $1 for update`,
    [uuid],
  )
  const [row] = rows
  return row ? { ...row, filter: reviveFilter(row.filter) } : null
}

async function changePage(sql: Sql, task: LockedTask): Promise<PageResult> {
  const { id, action, ratePerSecond } = task
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  const { deliveryIds, reachedId, last } = await selectPage(sql, task, size)
  const changed =
    action === 'redeliver'
      ? await redeliverPage(sql, id, deliveryIds)
      : (await cancelDeliveries(sql, deliveryIds)).length
  const canceled = action === 'cancel' ? changed : 0
  const waitMs = (changed * 1_000) / ratePerSecond
  const state = last ? (action === 'redeliver' ? 'following' : 'completed') : 'running'
  await sql.query(
    `update posthorn.delivery_tasks set changed = changed + $2, canceled = canceled + $3, fault_count = 0,
       reached_id = case when $4::posthorn.delivery_task_state = 'following' then '${FIRST_ID}'
         else coalesce($5::uuid, reached_id) end,
       next_page_at = clock_timestamp() + $6::float8 * interval '1 millisecond',
       state = $4, finished_at = case when $4 = 'completed' then now() end
     where id = $1`,
    [id, changed, canceled, state, reachedId, waitMs],
  )
  return { waitMs: state === 'completed' ? null : Math.ceil(waitMs), canceled }
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** For a short wait, the next job is due now and waits itself, because workers notice scheduled jobs only by polling. */
async function enqueueNextRun(sql: Sql, uuid: string, waitMs: number): Promise<void> {
  const taskId = publicId('deliveryTask', uuid)
  const runAt = waitMs > MAX_RUN_MS ? new Date(Date.now() + waitMs) : null
  await sql.query(
    `select posthorn.enqueue('continue_delivery_task', $1::json, $2, $3::timestamptz)`,
    [JSON.stringify({ taskId }), taskId, runAt],
  )
}

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
