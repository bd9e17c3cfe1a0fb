import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { cancelDeliveries } from '../deliveries/cancel-deliveries.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { type Page, runPages } from '../queue/background.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { erasePage } from './erase-page.ts'
import { endOf, type LockedTask, type PageResult } from './page.ts'
import { recoverPage } from './recovery-page.ts'
import { redeliverPage } from './redeliver-page.ts'
import { selectPage } from './selected-deliveries.ts'
import { readSelection } from './selection.ts'

export interface TaskDeps {
  readonly pool: Database['pool']
  readonly keyring: Keyring
}

/** A page changes as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250

/** Keeps the transaction of a page short. */
const MAX_PAGE_SIZE = 500

/** Consecutive faults of Posthorn after which a task fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/**
 * How long a task waits for transactions that were open at its start: one of another database, or one that somebody has
 * forgotten, can run for days. A recovery can be repeated, and an erasure is meant to be the last.
 */
const SETTLE_TIMEOUT = `case action when 'recover' then interval '30 seconds' else interval '10 minutes' end`

/** Runs the next pages of a task, and adds the job for the rest. */
export async function continueBulkTask(
  deps: TaskDeps,
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const taskId = publicId('bulkTask', uuid)
  let count = 0
  async function runNext(): Promise<TaskPage | null> {
    const page = await runPage(deps, uuid)
    count += page?.canceled ?? 0
    return page
  }
  const job = { task: 'continue_bulk_task', key: taskId, payload: () => ({ taskId }) } as const
  try {
    await runPages(deps.pool, job, runNext, signal)
  } finally {
    reportCanceled({ count, reason: 'bulk_task', ids: { taskId } })
  }
}

interface TaskPage extends Page {
  readonly canceled: number
}

/**
 * Runs the next page of a task and records it, in one transaction, so that a killed process leaves whole pages. The row of
 * the task is locked until the commit, so all processes together keep the rate, and a cancellation waits for the page.
 */
export async function runPage({ pool, keyring }: TaskDeps, uuid: string): Promise<TaskPage | null> {
  try {
    return await inTransaction(pool, async (sql) => {
      const locked = await lockTask(sql, uuid)
      if (!locked) return null
      const { waitMs, ciphertext, ...task } = locked
      const { organizationId: organizationUuid } = task
      if (waitMs > 0) return { organizationUuid, waitMs, canceled: 0 }
      const value = ciphertext && keyring.decrypt(ciphertext, uuid).toString()
      const page = await changePage(sql, task, value)
      const { canceled = 0 } = page
      return { organizationUuid, waitMs: await recordPage(sql, task, page), canceled }
    })
  } catch (error) {
    return await recordFault(pool, uuid, error)
  }
}

/** SQL: the milliseconds until the next page. */
const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`

async function lockTask(sql: Sql, uuid: string) {
  const { rows } = await sql.query<
    LockedTask<string> & { readonly waitMs: number; readonly ciphertext: Buffer | null }
  >(
    `select id, organization_id as "organizationId", action::text, selection::text, value_ciphertext as ciphertext,
       rate_per_second as "ratePerSecond", reached_id as "reachedId", progress, waiting, ${WAIT_MS},
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= started_xid
         or posthorn.uuid_v7_timestamp(id) < now() - ${SETTLE_TIMEOUT} as "isSettled"
     from posthorn.bulk_tasks where id = $1 and state = 'running' for update`,
    [uuid],
  )
  const [row] = rows
  return row ? { ...row, selection: readSelection(row.selection) } : null
}

async function changePage(sql: Sql, task: LockedTask, value: string | null): Promise<PageResult> {
  const { id, action, selection, ratePerSecond } = task
  if ('unsent' in selection) return await erasePage(sql, { ...task, selection }, value)
  const size = Math.min(Math.ceil(((ratePerSecond ?? 1) * PAGE_INTERVAL_MS) / 1_000), MAX_PAGE_SIZE)
  if ('since' in selection) return await recoverPage(sql, { ...task, selection }, size)
  const { deliveryIds, reachedId, last } = await selectPage(sql, { ...task, selection }, size)
  if (action === 'cancel') {
    const canceled = (await cancelDeliveries(sql, deliveryIds, null)).length
    return { changed: canceled, canceled, reachedId, ...endOf(canceled, last) }
  }
  // A delivery stands on the page of each attempt that matches. The first of these pages changes it.
  const unchangedSince = selection.filter.anyAttempt ? timestampOf(id) : null
  const changed = await redeliverPage(sql, deliveryIds, unchangedSince)
  return { changed, reachedId, ...endOf(changed, last) }
}

/** A late page is made up for, but at most this time of it, so that the wait for other pages ends in no burst. */
const MAX_LATE_MS = 250

/** Returns the milliseconds until the next page, or null after the last one. */
async function recordPage(sql: Sql, task: LockedTask, page: PageResult): Promise<number | null> {
  const { changed = 0, canceled = 0, reachedId, progress, waiting, state, failure } = page
  const { rows } = await sql.query<{ waitMs: number }>(
    `update posthorn.bulk_tasks set
       changed = changed + $2, canceled = canceled + $3, waiting = $4, fault_count = 0,
       reached_id = coalesce($5::uuid, reached_id), progress = $6,
       next_page_at = greatest(next_page_at, clock_timestamp() - $7 * interval '1 millisecond')
         + $8::float8 * interval '1 millisecond',
       state = $9::posthorn.bulk_task_state, failure = $10, finished_at = case when $9 <> 'running' then now() end,
       value_ciphertext = case when $9 = 'running' then value_ciphertext end
     where id = $1 returning ${WAIT_MS}`,
    [
      ...[task.id, changed, canceled, waiting ?? task.waiting],
      ...[reachedId ?? null, progress ?? task.progress],
      ...(page.waitMs === undefined && task.ratePerSecond !== null
        ? [MAX_LATE_MS, (changed * 1_000) / task.ratePerSecond]
        : [0, page.waitMs ?? 0]),
      ...[state ?? 'running', failure ?? null],
    ],
  )
  return state === undefined ? (rows[0]?.waitMs ?? null) : null
}

/** Fails the task after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  await sql.query(
    `update posthorn.bulk_tasks as t set fault_count = fault_count + 1,
       state = case when fails then 'failed' else state end, failure = case when fails then $3 end,
       finished_at = case when fails then now() end, value_ciphertext = case when not fails then value_ciphertext end
     from (select fault_count + 1 >= $2 as fails from posthorn.bulk_tasks where id = $1) as counted
     where id = $1 and state = 'running'`,
    [uuid, MAX_FAULTS, FAILURE],
  )
  throw error
}

const FAILURE =
  'An internal error stopped the task; the worker log has the details. What is changed stays changed. Start another task for the rest.'
