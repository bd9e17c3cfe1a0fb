import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { cancelDeliveries } from './cancel-deliveries.ts'

/** The public ids of the deliveries that a sweep changed. */
export interface SweepResult {
  /** Pending deliveries without a job, which have a job again. */
  readonly restored: readonly string[]
  /** Deliveries that were canceled because an operator permanently failed their jobs. */
  readonly canceled: readonly string[]
}

export interface SweepOptions {
  readonly pageSize?: number
  /** A delivery gets a job only if it still has none after this time. Default: 5,000. */
  readonly recheckAfterMs?: number
  /** Younger deliveries are skipped. Default: 60,000. */
  readonly olderThanMs?: number
  /** The pause after each page, as a multiple of the time that reading the page took. Default: 4. */
  readonly pauseFactor?: number
  /** Ends the sweep between two pages. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Compares pending deliveries with their jobs. If an operator permanently failed a job, its delivery is canceled with the
 * operator's reason. If a delivery has no job, as when an operator completed it, the delivery gets a new one, so that
 * no accepted event is lost. Deliveries of deleted webhooks are canceled. Pages along indexes, with pauses, keep the load
 * low for any number of deliveries.
 */
export async function sweep(
  sql: Sql,
  workerSchema: string,
  options: SweepOptions = {},
): Promise<SweepResult> {
  const { recheckAfterMs = 5_000, signal } = options
  const suspects: string[] = []
  const failed: FailedJob[] = []
  for await (const page of pendingDeliveries(sql, options)) {
    const found = await compareWithJobs(sql, workerSchema, page)
    suspects.push(...found.withoutJob)
    failed.push(...found.failedByOperator)
  }
  const canceled = await cancelFailed(sql, failed)
  if (suspects.length === 0) return { restored: [], canceled }
  await sleep(recheckAfterMs, undefined, { signal })
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

/** Pending deliveries from the index of states, and the fresh ones that the index does not have yet. */
async function* pendingDeliveries(
  sql: Sql,
  options: SweepOptions,
): AsyncGenerator<PendingDelivery[]> {
  const { rows: organizations } = await sql.query<{ id: string }>(
    'select id from posthorn.organizations order by id',
  )
  for (const { id } of organizations) {
    for (const state of ['queued', 'retrying']) {
      const indexed = `d.organization_id = $4 and d.indexed_state = '${state}'`
      yield* readPages(sql, indexed, [id], options)
    }
  }
  const fresh = `d.state = 'pending' and d.indexed_state is null
    and d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`
  yield* readPages(sql, fresh, [], options)
}

async function* readPages(
  sql: Sql,
  condition: string,
  values: readonly string[],
  { pageSize = 1_000, olderThanMs = 60_000, pauseFactor = 4, signal }: SweepOptions,
): AsyncGenerator<PendingDelivery[]> {
  for (let after = FIRST_ID; ; ) {
    const startedAtMs = performance.now()
    const { rows } = await sql.query<PendingDelivery & { needsJob: boolean }>(
      `select d.id, d.job_written_at as "jobWrittenAt", d.parked_at is null and exists (
         select from posthorn.webhooks as w where w.id = d.webhook_id and w.deleted_at is null) as "needsJob"
       from posthorn.deliveries as d
       where ${condition} and d.id > $1
         and d.id < posthorn.uuid_v7_lower_bound(now() - $3 * interval '1 millisecond')
       order by d.id limit $2`,
      [after, pageSize, olderThanMs, ...values],
    )
    yield rows.filter(({ needsJob }) => needsJob)
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = last.id
    await sleep((performance.now() - startedAtMs) * pauseFactor, undefined, { signal })
  }
}

interface JobRow {
  readonly key: string
  readonly failed: boolean
  readonly lastError: string | null
  readonly updatedAt: Date
}

/**
 * A job whose `updated_at` is later than Posthorn's last write was failed by an operator: graphile-worker sets
 * `updated_at` when a job is permanently failed, but not when a job is claimed, unlocked or fails a run.
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
     from ${workerSchema}.jobs where key = any ($1) and task_identifier = 'posthorn:deliver'`,
    [keys],
  )
  const jobs = new Map(rows.map((row) => [row.key, row]))
  for (const [index, { id, jobWrittenAt }] of deliveries.entries()) {
    const job = jobs.get(keys[index] as string)
    if (job?.failed && job.updatedAt > jobWrittenAt) {
      failedByOperator.push({ deliveryUuid: id, reason: job.lastError ?? 'Failed by an operator.' })
    } else if (!job || job.failed) {
      withoutJob.push(id)
    }
  }
  return { withoutJob, failedByOperator }
}

async function cancelFailed(sql: Sql, failed: readonly FailedJob[]): Promise<string[]> {
  const canceled: string[] = []
  for (const { deliveryUuid, reason } of failed) {
    canceled.push(...(await cancelDeliveries(sql, [deliveryUuid], null, reason)))
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
