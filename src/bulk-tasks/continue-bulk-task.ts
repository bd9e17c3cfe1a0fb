import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { type Page, runPages } from '../queue/background.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { endOf, type PageResult } from './page-result.ts'
import { recoverPage } from './recovery-page.ts'
import { redeliverPage } from './redeliver-page.ts'
import { selectPage } from './selected-deliveries.ts'
import { readSelection, type Selection } from './selection.ts'

/** A page changes as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250

/** Keeps the transaction of a page short. */
const MAX_PAGE_SIZE = 500

/** Consecutive faults of Posthorn after which a task fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/** Runs the next pages of a task, and adds the job for the rest. */
export async function continueBulkTask(
  pool: Database['pool'],
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const taskId = publicId('bulkTask', uuid)
  let count = 0
  async function runNext(): Promise<TaskPage | null> {
    const page = await runPage(pool, uuid)
    count += page?.canceled ?? 0
    return page
  }
  const job = { task: 'continue_bulk_task', key: taskId, payload: () => ({ taskId }) } as const
  try {
    await runPages(pool, job, runNext, signal)
  } finally {
    reportCanceled({ count, reason: 'bulk_task', ids: { taskId } })
  }
}

interface TaskPage extends Page {
  readonly canceled: number
}

interface LockedTask {
  readonly id: string
  readonly organizationId: string
  readonly action: 'redeliver' | 'cancel' | 'recover'
  readonly selection: Selection
  readonly ratePerSecond: number
  readonly reachedId: string
  /** Milliseconds until the next page. */
  readonly waitMs: number
}

/**
 * Changes the next deliveries of a task and moves its cursor, in one transaction, so that a killed process leaves whole
 * pages. The row of the task is locked until the commit, so all processes together keep the rate, and a cancellation
 * waits for the page.
 */
export async function runPage(pool: Database['pool'], uuid: string): Promise<TaskPage | null> {
  try {
    return await inTransaction(pool, async (sql) => {
      const task = await lockTask(sql, uuid)
      if (!task) return null
      const { organizationId: organizationUuid, waitMs } = task
      if (waitMs > 0) return { organizationUuid, waitMs, canceled: 0 }
      const page = await changeDeliveries(sql, task)
      const canceled = task.action === 'cancel' ? page.changed : 0
      return { organizationUuid, waitMs: await recordPage(sql, task, page), canceled }
    })
  } catch (error) {
    return await recordFault(pool, uuid, error)
  }
}

/** SQL: the milliseconds until the next page. */
const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`

async function lockTask(sql: Sql, uuid: string): Promise<LockedTask | null> {
  const { rows } = await sql.query<LockedTask & { selection: string }>(
    `select id, organization_id as "organizationId", action::text, selection::text, rate_per_second as "ratePerSecond",
       reached_id as "reachedId", ${WAIT_MS}
     from posthorn.bulk_tasks where id = $1 and state = 'running' for update`,
    [uuid],
  )
  const [row] = rows
  return row ? { ...row, selection: readSelection(row.selection) } : null
}

async function changeDeliveries(sql: Sql, task: LockedTask): Promise<PageResult> {
  const { id, action, selection, ratePerSecond } = task
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  if ('since' in selection) return await recoverPage(sql, { ...task, selection }, size)
  const { deliveryIds, reachedId, last } = await selectPage(sql, { ...task, selection }, size)
  // A delivery stands on the page of each attempt that matches. The first of these pages changes it.
  const unchangedSince = selection.filter.anyAttempt ? timestampOf(id) : null
  const changed =
    action === 'redeliver'
      ? await redeliverPage(sql, deliveryIds, unchangedSince)
      : (await cancelDeliveries(sql, deliveryIds, null)).length
  return { changed, reachedId, ...endOf(changed, last) }
}

/** A late page is made up for, but at most this time of it, so that the wait for other pages ends in no burst. */
const MAX_LATE_MS = 250

/** Returns the milliseconds until the next page, or null after the last one. */
async function recordPage(sql: Sql, task: LockedTask, page: PageResult): Promise<number | null> {
  const { changed, reachedId, state, failure } = page
  const { rows } = await sql.query<{ waitMs: number }>(
    `update posthorn.bulk_tasks set
       changed = changed + $2, reached_id = coalesce($3::uuid, reached_id), fault_count = 0,
       next_page_at = greatest(next_page_at, clock_timestamp() - $4 * interval '1 millisecond')
         + $5::float8 * interval '1 millisecond',
       state = $6::posthorn.bulk_task_state, failure = $7, finished_at = case when $6 <> 'running' then now() end
     where id = $1 returning ${WAIT_MS}`,
    [
      ...[task.id, changed, reachedId ?? null],
      ...(page.waitMs === undefined
        ? [MAX_LATE_MS, (changed * 1_000) / task.ratePerSecond]
        : [0, page.waitMs]),
      ...[state ?? 'running', failure ?? null],
    ],
  )
  return state === undefined ? (rows[0]?.waitMs ?? null) : null
}

/** Fails the task after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  await sql.query(
    `update posthorn.bulk_tasks set fault_count = fault_count + 1,
       state = case when fault_count + 1 >= $2 then 'failed' else state end,
       failure = case when fault_count + 1 >= $2 then $3 end,
       finished_at = case when fault_count + 1 >= $2 then now() end
     where id = $1 and state = 'running'`,
    [uuid, MAX_FAULTS, FAILURE],
  )
  throw error
}

const FAILURE =
  'An internal error stopped the task; the worker log has the details. Changed deliveries stay changed. Start another task for the rest.'
