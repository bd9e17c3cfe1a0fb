import type { Database, Db, Sql } from '../db/client.ts'
import type { BulkTaskAction, Prisma } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { enqueue, TASK_PREFIX } from './jobs.ts'

/*
 * Long work goes in pages: a row of `bulk_tasks` has what to do, how far it is and its counts. A page and its record commit
 * together, with the row locked, so that work which is killed anywhere, or runs twice, goes on right. A job runs pages until
 * one has to wait, and adds the job for the rest.
 */

/** A work with its row locked. */
export interface Work<Selection> {
  readonly id: string
  readonly organizationId: string
  /** Null if the deliveries are to several webhooks. */
  readonly webhookId: string | null
  readonly action: BulkTaskAction
  readonly selection: Selection
  /** Encrypted. Null without one. */
  readonly value: Uint8Array | null
  /** The deliveries of a page, as its rate allows, which is at most `MAX_PAGE_SIZE`. */
  readonly size: number
  /** The cursor: a delivery, an attempt or an event. */
  readonly reachedId: string
  readonly progress: object
  readonly waiting: number
  /** Whether every transaction that was open when the work started has ended, or is waited for no longer. */
  readonly isSettled: boolean
}

/** What a page did, and how the work goes on. A missing count is 0, and any other missing field stays as it is. */
export interface PageResult {
  readonly changed?: number
  readonly canceled?: number
  readonly waiting?: number
  readonly reachedId?: string | null
  readonly progress?: object
  /** The time until the next page. Default: as the rate says. */
  readonly waitMs?: number
  /** Whether nothing is left. A page that changed something is followed by an empty one, which keeps the rate. */
  readonly isLast?: boolean
  /** Why the work has failed: its owner reads it. */
  readonly failure?: string
}

/** Runs the next page, in the transaction that records it. */
export type Step<Selection> = (sql: Sql, work: Work<Selection>) => Promise<PageResult>

/** The step of each kind of work. A selection is what its start has stored. */
// biome-ignore lint/suspicious/noExplicitAny: each step knows the selection of its kind.
export type Steps = Readonly<Record<BulkTaskAction, Step<any>>>

export interface WorkDeps {
  readonly pool: Database['pool']
  readonly steps: Steps
}

/** The id before all others: a cursor at the start. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The jobs of an organization's work run one after the other, and each for a short time: one page at a time in all processes
 * together, and its works take turns.
 */
export function backgroundQueue(organizationUuid: string): string {
  return `${TASK_PREFIX}background:${publicId('organization', organizationUuid)}`
}

/** All deletions together run one page at a time, and leave no name of a queue behind. */
const queueOf = (action: BulkTaskAction, organizationUuid: string) =>
  action === 'delete_organization' ? `${TASK_PREFIX}deletions` : backgroundQueue(organizationUuid)

/** Adds a work with its first job, in the caller's transaction, and returns its public id. */
export async function startWork(
  tx: Db,
  data: Prisma.BulkTaskUncheckedCreateInput,
): Promise<string> {
  const { id } = await tx.bulkTask.create({ data, select: { id: true } })
  const taskId = publicId('bulkTask', id)
  const job = { key: taskId, queue: queueOf(data.action, data.organizationId) }
  await enqueue(tx, 'continue_bulk_task', { taskId }, job)
  return taskId
}

/** Adds the jobs of works that have none, as an operator may have completed or failed theirs. Returns how many. */
export async function restartWorks(sql: Sql, workerSchema: string): Promise<number> {
  const { rows } = await sql.query<Pick<Work<never>, 'id' | 'action' | 'organizationId'>>(
    `select id, action, organization_id as "organizationId" from posthorn.bulk_tasks as t
     where state = 'running' and not exists (
       select from ${workerSchema}.jobs where key = posthorn.type_id('task', t.id) and attempts < max_attempts)`,
  )
  for (const { id, action, organizationId } of rows) {
    await addJob(sql, id, queueOf(action, organizationId), 0)
  }
  return rows.length
}

/** The time is by the clock of Postgres. */
async function addJob(sql: Sql, uuid: string, queue: string, waitMs: number): Promise<void> {
  const taskId = publicId('bulkTask', uuid)
  await sql.query(
    `select posthorn.enqueue('continue_bulk_task', $1, $2,
       clock_timestamp() + $3::float8 * interval '1 millisecond', $4)`,
    [{ taskId }, taskId, waitMs, queue],
  )
}

/** The time after which a job starts no further page, and the next job of the queue runs. */
const MAX_RUN_MS = 250

/**
 * Runs pages until one has to wait, so that no job holds the queue while it sleeps, and adds the job for the rest, which any
 * process can claim. A page returns the milliseconds until the next one, or null if it was the last.
 */
export async function runPages(
  runPage: () => Promise<number | null>,
  addRest: (waitMs: number) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const endsAtMs = performance.now() + MAX_RUN_MS
  let waitMs = await runPage()
  while (waitMs === 0 && !signal?.aborted && performance.now() < endsAtMs) waitMs = await runPage()
  if (waitMs !== null) await addRest(waitMs)
}

/** Runs the next pages of a work, and adds the job for the rest. */
export async function continueWork(
  deps: WorkDeps,
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  let [count, queue] = [0, '']
  async function runNext(): Promise<number | null> {
    const page = await runPage(deps, uuid)
    if (page === null) return null
    count += page.canceled
    queue = page.queue
    return page.waitMs
  }
  try {
    await runPages(runNext, (waitMs) => addJob(deps.pool, uuid, queue, waitMs), signal)
  } finally {
    reportCanceled({ count, reason: 'bulk_task', ids: { taskId: publicId('bulkTask', uuid) } })
  }
}

interface Page {
  readonly queue: string
  readonly canceled: number
  /** Null after the last page. */
  readonly waitMs: number | null
}

/**
 * Runs the next page of a work. Its row is locked until the commit, so all processes together keep the rate, and a
 * cancellation waits for the page. Returns null if the work does not run. After a fault of ours, the job is run again.
 */
export async function runPage({ pool, steps }: WorkDeps, uuid: string): Promise<Page | null> {
  return await inTransaction(pool, async (sql) => {
    const work = await lockWork(sql, uuid)
    if (!work) return null
    const { action, organizationId, waitMs } = work
    const queue = queueOf(action, organizationId)
    if (waitMs > 0) return { queue, canceled: 0, waitMs }
    const result = await steps[action](sql, work)
    return { queue, canceled: result.canceled ?? 0, waitMs: await recordPage(sql, work, result) }
  })
}

/** A page changes as many deliveries as the rate allows in this time, which spreads them evenly. */
const PAGE_INTERVAL_MS = 250

/** Keeps the transaction of a page short. */
const MAX_PAGE_SIZE = 500

/**
 * How long a work waits for transactions that were open at its start: one of another database, or one that somebody has
 * forgotten, can run for days. A recovery can be repeated, an erasure is meant to be the last, and the deletion of a webhook
 * is over for its user.
 */
const SETTLE_TIMEOUT = `
  case action when 'recover' then interval '30 seconds' when 'erase' then interval '10 minutes' else interval '1 day' end`

/** SQL: the milliseconds until the next page. */
const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`

interface LockedWork extends Omit<Work<unknown>, 'size'> {
  readonly ratePerSecond: number | null
  readonly waitMs: number
}

async function lockWork(sql: Sql, uuid: string): Promise<(LockedWork & Work<unknown>) | null> {
  const { rows } = await sql.query<LockedWork>(
    `select id, organization_id as "organizationId", webhook_id as "webhookId", action::text, selection::text,
       value_ciphertext as value,
       rate_per_second as "ratePerSecond", reached_id as "reachedId", progress, waiting, ${WAIT_MS},
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= started_xid
         or posthorn.uuid_v7_timestamp(id) < now() - ${SETTLE_TIMEOUT} as "isSettled"
     from posthorn.bulk_tasks where id = $1 and state = 'running' for update`,
    [uuid],
  )
  const [row] = rows
  if (!row) return null
  const { ratePerSecond } = row
  const size = ratePerSecond === null ? MAX_PAGE_SIZE : (ratePerSecond * PAGE_INTERVAL_MS) / 1_000
  const selection = readSelection(row.selection as string)
  return { ...row, selection, size: Math.min(Math.ceil(size), MAX_PAGE_SIZE) }
}

/** The selection in a row. JSON has the times as RFC 3339. */
export function readSelection(stored: string): unknown {
  return JSON.parse(stored, (key, json) =>
    (key === 'since' || key === 'until') && json !== null ? new Date(json) : json,
  )
}

const MIN_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 300_000

/** The pause before another pass over the same rows: a twentieth of the age of the work. */
export function pauseBeforePass(uuid: string): number {
  const age = Date.now() - timestampOf(uuid).getTime()
  return Math.min(Math.max(age / 20, MIN_PAUSE_MS), MAX_PAUSE_MS)
}

/** A late page is made up for, but at most this time of it, so that the wait for other pages ends in no burst. */
const MAX_LATE_MS = 250

/** Returns the milliseconds until the next page, or null after the last one. */
async function recordPage(
  sql: Sql,
  { id, ratePerSecond }: LockedWork,
  { changed = 0, canceled = 0, isLast = false, failure, ...page }: PageResult,
): Promise<number | null> {
  const hasEnded = isLast && changed === 0
  const state = failure !== undefined ? 'failed' : hasEnded ? 'completed' : 'running'
  const { rows } = await sql.query<{ waitMs: number | null }>(
    `update posthorn.bulk_tasks set
       changed = least(changed::bigint + $2, 2147483647), canceled = canceled + $3, waiting = coalesce($4, waiting),
       reached_id = coalesce($5::uuid, reached_id), progress = coalesce($6, progress),
       next_page_at = greatest(next_page_at, clock_timestamp() - $7 * interval '1 millisecond')
         + $8::float8 * interval '1 millisecond',
       state = $9::posthorn.bulk_task_state, failure = $10, finished_at = case when $9 <> 'running' then now() end,
       value_ciphertext = case when $9 = 'running' then value_ciphertext end
     where id = $1 returning ${WAIT_MS}`,
    [
      ...[id, changed, canceled, page.waiting ?? null, page.reachedId ?? null],
      page.progress ?? null,
      ...(page.waitMs === undefined && ratePerSecond !== null
        ? [MAX_LATE_MS, (changed * 1_000) / ratePerSecond]
        : [0, page.waitMs ?? 0]),
      ...[state, failure ?? null],
    ],
  )
  return state === 'running' ? (rows[0]?.waitMs ?? null) : null
}
