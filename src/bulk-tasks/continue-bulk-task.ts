import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import { type Page, runPages } from '../queue/background.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { followTask, WAIT_MS } from './follow-task.ts'
import { type PageResult, recoverPage } from './recovery-page.ts'
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
  async function runNext(previous: TaskPage | null): Promise<TaskPage | null> {
    const page = await runPage(pool, uuid, previous === null).catch((error) =>
      recordFault(pool, uuid, error),
    )
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
  readonly state: string
  readonly reachedId: string
  readonly followedId: string
  /** Milliseconds until the next page. */
  readonly waitMs: number
}

/**
 * Changes the next deliveries of a task and moves its cursor, in one transaction, so that a killed process leaves whole
 * pages. The row of the task is locked until the commit, so all processes together keep the rate, and a cancellation
 * waits for the page. Once all deliveries are changed, the pages count how they finish; before that, the first page of
 * each run does.
 */
export async function runPage(
  pool: Database['pool'],
  uuid: string,
  isFirst: boolean,
): Promise<TaskPage | null> {
  return await inTransaction(pool, async (sql) => {
    const task = await lockTask(sql, uuid)
    if (!task) return null
    const { organizationId: organizationUuid, selection, waitMs } = task
    if (task.state !== 'running') {
      return { organizationUuid, waitMs: await followTask(sql, task), canceled: 0 }
    }
    // A delivery stands on the page of each attempt that matches. Its item keeps it from being redelivered twice.
    const keepsItems = 'filter' in selection && selection.filter.anyAttempt
    if (isFirst && !keepsItems) await followTask(sql, task)
    if (waitMs > 0) return { organizationUuid, waitMs, canceled: 0 }
    return { organizationUuid, ...(await changePage(sql, task)) }
  })
}

async function lockTask(sql: Sql, uuid: string): Promise<LockedTask | null> {
  const { rows } = await sql.query<LockedTask & { selection: string }>(
    `select id, organization_id as "organizationId", action::text, selection::text, rate_per_second as "ratePerSecond",
       state::text, reached_id as "reachedId", followed_id as "followedId", ${WAIT_MS}
     from posthorn.bulk_tasks where id = $1 for update`,
    [uuid],
  )
  const [row] = rows
  return row ? { ...row, selection: readSelection(row.selection) } : null
}

async function changePage(sql: Sql, task: LockedTask) {
  const { id, ratePerSecond } = task
  const size = Math.min(Math.ceil((ratePerSecond * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  const page = await nextPage(sql, task, size)
  if ('waitMs' in page) return { waitMs: page.waitMs, canceled: 0 }
  if ('failure' in page) {
    await failTask(sql, id, page.failure)
    return { waitMs: await followTask(sql, { ...task, state: 'failed', waitMs: 0 }), canceled: 0 }
  }
  const { changed, reachedId, last } = page
  // The last page is an empty one, so that the wait after the last deliveries keeps the rate.
  if (last && changed === 0) {
    await sql.query(`update posthorn.bulk_tasks set state = 'delivering' where id = $1`, [id])
    const waitMs = await followTask(sql, { ...task, state: 'delivering', waitMs: 0 })
    return { waitMs, canceled: 0 }
  }
  const canceled = task.action === 'cancel' ? changed : 0
  const { rows } = await sql.query<{ waitMs: number }>(
    `update posthorn.bulk_tasks set
       changed = changed + $2, canceled = canceled + $3, fault_count = 0,
       reached_id = coalesce($4::uuid, reached_id),
       next_page_at = ${NEXT_PAGE_AT}
     where id = $1 returning ${WAIT_MS}`,
    [id, changed, canceled, reachedId, (changed * 1_000) / ratePerSecond],
  )
  return { waitMs: rows[0]?.waitMs ?? null, canceled }
}

/**
 * SQL: when the page after the next one may begin, if the next one takes $5 ms of the rate. A late page is made up for,
 * but at most 250 ms of it, so that the wait for other pages of the organization ends in no burst.
 */
const NEXT_PAGE_AT = `greatest(next_page_at, clock_timestamp() - interval '250 milliseconds')
  + $5::float8 * interval '1 millisecond'`

async function nextPage(sql: Sql, task: LockedTask, size: number): Promise<PageResult> {
  const { id, action, selection } = task
  if ('since' in selection) return await recoverPage(sql, { ...task, selection }, size)
  const { deliveryIds, reachedId, last } = await selectPage(sql, { ...task, selection }, size)
  const changed =
    action === 'redeliver'
      ? await redeliverPage(sql, id, deliveryIds)
      : (await cancelDeliveries(sql, deliveryIds, null)).length
  return { changed, reachedId, last }
}

/** Fails the task after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  const { rows } = await sql.query<{ faults: number }>(
    `update posthorn.bulk_tasks set fault_count = fault_count + 1
     where id = $1 and state in ('running', 'delivering') returning fault_count as faults`,
    [uuid],
  )
  if ((rows[0]?.faults ?? 0) >= MAX_FAULTS) await failTask(sql, uuid, FAILURE)
  throw error
}

const FAILURE =
  'An internal error stopped the task; the worker log has the details. Changed deliveries stay changed. Start another task for the rest.'

/** Fails a task with a reason that its owner reads. */
async function failTask(sql: Sql, uuid: string, reason: string): Promise<void> {
  await sql.query(
    `update posthorn.bulk_tasks set state = 'failed', failure = $2, finished_at = now()
     where id = $1 and state in ('running', 'delivering')`,
    [uuid, reason],
  )
}
