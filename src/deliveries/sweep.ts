import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { FIRST_ID } from '../queue/long-work.ts'
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
 * operator's reason. If a delivery has no job, as when an operator completed it, the delivery gets a new one, so that no
 * accepted event is lost. Pages along indexes, with pauses, keep the load low for any number of deliveries.
 */
export async function sweep(
  sql: Sql,
  workerSchema: string,
  options: SweepOptions = {},
): Promise<SweepResult> {
  const { recheckAfterMs = 5_000, signal } = options
  const suspects: string[] = []
  const canceled: string[] = []
  for await (const { id, failedAs } of readAll(sql, workerSchema, options)) {
    if (failedAs === null) suspects.push(id)
    else canceled.push(...(await cancelDeliveries(sql, [id], null, failedAs)))
  }
  let restored: string[] = []
  if (suspects.length > 0) {
    await sleep(recheckAfterMs, undefined, { signal })
    const all = { ...options, pageSize: suspects.length }
    const page = await readPage(sql, workerSchema, 'd.id = any ($4::uuid[])', [suspects], all)
    restored = page.filter((one) => one.needsJob && one.failedAs === null).map(({ id }) => id)
    await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [restored])
  }
  const publicIds = (uuids: readonly string[]) => uuids.map((uuid) => publicId('delivery', uuid))
  return { restored: publicIds(restored), canceled: publicIds(canceled) }
}

interface PendingDelivery {
  readonly id: string
  /** Whether the delivery has no job that will run. */
  readonly needsJob: boolean
  /** The reason, if an operator permanently failed the job. */
  readonly failedAs: string | null
}

/** The pending deliveries without a job that will run: those in the index of states, and fresh ones that it does not have yet. */
async function* readAll(
  sql: Sql,
  workerSchema: string,
  options: SweepOptions,
): AsyncGenerator<PendingDelivery> {
  const { rows: organizations } = await sql.query<{ id: string }>(
    'select id from posthorn.organizations order by id',
  )
  for (const { id } of organizations) {
    for (const state of ['queued', 'retrying']) {
      const indexed = `d.organization_id = $4 and d.indexed_state = '${state}'`
      yield* readPages(sql, workerSchema, indexed, [id], options)
    }
  }
  const fresh = `d.state = 'pending' and d.indexed_state is null
    and d.id >= (select reached_id from posthorn.cursors where name = 'index_backfill')`
  yield* readPages(sql, workerSchema, fresh, [], options)
}

async function* readPages(
  sql: Sql,
  workerSchema: string,
  condition: string,
  values: readonly unknown[],
  options: SweepOptions,
): AsyncGenerator<PendingDelivery> {
  const { pageSize = PAGE_SIZE, pauseFactor = 4, signal } = options
  for (let after = FIRST_ID; ; ) {
    const startedAtMs = performance.now()
    const page = await readPage(sql, workerSchema, condition, values, options, after)
    yield* page.filter(({ needsJob }) => needsJob)
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    after = last.id
    await sleep((performance.now() - startedAtMs) * pauseFactor, undefined, { signal })
  }
}

const PAGE_SIZE = 1_000

/**
 * A job whose `updated_at` is later than Posthorn's last write was failed by an operator: graphile-worker sets `updated_at`
 * when a job is permanently failed, but not when a job is claimed, unlocked or fails a run.
 */
async function readPage(
  sql: Sql,
  workerSchema: string,
  condition: string,
  values: readonly unknown[],
  { pageSize = PAGE_SIZE, olderThanMs = 60_000 }: SweepOptions,
  after = FIRST_ID,
): Promise<PendingDelivery[]> {
  const { rows } = await sql.query<PendingDelivery>(
    `select d.id,
       d.needs_job and (job.key is null or job.has_failed) as "needsJob",
       case when job.has_failed and job.updated_at > d.job_written_at
         then coalesce(job.last_error, 'Failed by an operator.') end as "failedAs"
     from (
       select d.id, d.job_written_at, d.state = 'pending' and d.parked_at is null and exists (
         select from posthorn.webhooks as w where w.id = d.webhook_id and w.deleted_at is null) as needs_job
       from posthorn.deliveries as d
       where ${condition} and d.id > $1
         and d.id < posthorn.uuid_v7_lower_bound(now() - $3 * interval '1 millisecond')
       order by d.id limit $2
     ) as d
     left join lateral (
       select key, last_error, updated_at, locked_at is null and attempts >= max_attempts as has_failed
       from ${workerSchema}.jobs
       where key = posthorn.type_id('msg', d.id) and task_identifier = 'posthorn:deliver' offset 0
     ) as job on true
     order by d.id`,
    [after, pageSize, olderThanMs, ...values],
  )
  return rows
}
