import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'

/** What a sweep put right. Public ids of deliveries. */
export interface Swept {
  /** They were to have a job and had none, as when somebody completed or deleted it: they have one again. */
  readonly restored: readonly string[]
  /** An operator had failed their jobs for good. */
  readonly canceled: readonly string[]
}

export interface SweepOptions {
  readonly pageSize?: number
  /** A delivery without a job is looked at again so long afterwards, and only then believed. */
  readonly lookAgainAfterMs?: number
  /** Younger deliveries are left alone. */
  readonly olderThanMs?: number
  /** How long it rests after each page, as a multiple of what that took. */
  readonly rest?: number
  /** Ends it between two pages. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Compares the pending deliveries with their jobs. A delivery whose job an operator failed for good is canceled, with the
 * operator's reason. A delivery without a job gets one again: what was accepted is not lost. It reads page by page along
 * indexes and rests in between, so that nobody waits for it, however many are pending.
 */
export async function sweep(
  sql: Sql,
  workerSchema: string,
  options: SweepOptions = {},
): Promise<Swept> {
  const { lookAgainAfterMs = 5_000, signal } = options
  const suspects: string[] = []
  const failed: FailedJob[] = []
  for await (const page of pendingDeliveries(sql, options)) {
    const found = await compareWithJobs(sql, workerSchema, page)
    suspects.push(...found.withoutJob)
    failed.push(...found.failedByOperator)
  }
  const canceled = await cancelFailed(sql, failed)
  if (suspects.length === 0) return { restored: [], canceled }
  await sleep(lookAgainAfterMs, undefined, { signal })
  const restored = await restoreJobs(sql, workerSchema, suspects)
  return { restored: restored.map((uuid) => publicId('delivery', uuid)), canceled }
}

interface PendingDelivery {
  readonly id: string
  readonly jobWrittenAt: Date
}

interface FailedJob {
  readonly deliveryUuid: string
  readonly reason: string
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Those that are to have a job: from the index of states, and the fresh ones that are not in it yet. */
async function* pendingDeliveries(
  sql: Sql,
  options: SweepOptions,
): AsyncGenerator<PendingDelivery[]> {
  const { rows: organizations } = await sql.query<{ id: string }>(
    'select id from posthorn.organizations order by id',
  )
  for (const { id } of organizations) {
    yield* readPages(sql, `d.organization_id = $4 and d.indexed_state = 'pending'`, [id], options)
  }
  const fresh = `d.state = 'pending' and d.indexed_state is null
    and d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`
  yield* readPages(sql, fresh, [], options)
}

async function* readPages(
  sql: Sql,
  condition: string,
  values: readonly string[],
  { pageSize = 1_000, olderThanMs = 60_000, rest = 4, signal }: SweepOptions,
): AsyncGenerator<PendingDelivery[]> {
  for (let after = FIRST_ID; ; ) {
    const startedAtMs = performance.now()
    const { rows } = await sql.query<PendingDelivery & { isParked: boolean }>(
      `select d.id, d.job_written_at as "jobWrittenAt", d.parked_at is not null as "isParked"
       from posthorn.deliveries as d
       where ${condition} and d.id > $1
         and d.id < posthorn.uuid_v7_lower_bound(now() - $3 * interval '1 millisecond')
       order by d.id limit $2`,
      [after, pageSize, olderThanMs, ...values],
    )
    yield rows.filter(({ isParked }) => !isParked)
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = last.id
    await sleep((performance.now() - startedAtMs) * rest, undefined, { signal })
  }
}

interface JobRow {
  readonly key: string
  readonly failed: boolean
  readonly lastError: string | null
  readonly updatedAt: Date
}

/**
 * A failed job that changed after Posthorn wrote it was failed by an operator: claiming, unlocking and failing an attempt
 * do not set `updated_at` of a job; failing it for good does.
 */
async function compareWithJobs(
  sql: Sql,
  workerSchema: string,
  deliveries: readonly PendingDelivery[],
): Promise<{ withoutJob: string[]; failedByOperator: FailedJob[] }> {
  const withoutJob: string[] = []
  const failedByOperator: FailedJob[] = []
  if (deliveries.length === 0) return { withoutJob, failedByOperator }
  const keys = deliveries.map(({ id }) => publicId('delivery', id))
  const { rows } = await sql.query<JobRow>(
    `select key, locked_at is null and attempts >= max_attempts as failed, last_error as "lastError",
       updated_at as "updatedAt"
     from ${workerSchema}.jobs where key = any ($1)`,
    [keys],
  )
  const jobs = new Map(rows.map((row) => [row.key, row]))
  for (const [index, { id, jobWrittenAt }] of deliveries.entries()) {
    const job = jobs.get(keys[index] as string)
    if (job?.failed && job.updatedAt > jobWrittenAt) {
      failedByOperator.push({ deliveryUuid: id, reason: job.lastError ?? 'Failed by an operator.' })
    } else if (!job || job.failed) withoutJob.push(id)
  }
  return { withoutJob, failedByOperator }
}

async function cancelFailed(sql: Sql, failed: readonly FailedJob[]): Promise<string[]> {
  const canceled: string[] = []
  for (const { deliveryUuid, reason } of failed) {
    canceled.push(...(await cancelDeliveries(sql, [deliveryUuid], undefined, reason)))
  }
  return canceled.map((uuid) => publicId('delivery', uuid))
}

async function restoreJobs(
  sql: Sql,
  workerSchema: string,
  uuids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<PendingDelivery>(
    `select id, job_written_at as "jobWrittenAt" from posthorn.deliveries
     where id = any ($1::uuid[]) and state = 'pending' and parked_at is null`,
    [uuids],
  )
  const { withoutJob } = await compareWithJobs(sql, workerSchema, rows)
  await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [withoutJob])
  return withoutJob
}
