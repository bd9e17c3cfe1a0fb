import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { parseId, publicId } from '../ids.ts'

/** What should never be: a pending delivery without a job that will run, and a job whose delivery is not pending. */
export interface Orphans {
  /** The public ids of the deliveries, which have jobs now. */
  readonly deliveries: readonly string[]
  /** The ids of the jobs, which are gone. */
  readonly jobs: readonly string[]
}

export interface SweepOptions {
  readonly pageSize?: number
  /** What is found is looked at again so long afterwards, and only then believed. */
  readonly lookAgainAfterMs?: number
  /** Younger ones are left alone. */
  readonly olderThanMs?: number
  /** How long it rests after each page, as a multiple of what that took. */
  readonly rest?: number
  /** Ends it between two pages. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Finds and mends what a fault of ours left behind. Everything is written so that there is nothing to find: a delivery
 * and its job change in one statement. Reads page by page along indexes and rests in between, so that a million pending
 * deliveries cost many short statements over some minutes, and nobody waits for them.
 */
export async function sweepOrphans(sql: Sql, options: SweepOptions = {}): Promise<Orphans> {
  const { pageSize = 1_000, lookAgainAfterMs = 5_000, olderThanMs = 60_000, signal } = options
  const page = { sql: restful(sql, options.rest ?? 4, signal), pageSize, olderThanMs }
  const suspectDeliveries = await findDeliveriesWithoutJob(page)
  const suspectJobs = await findJobsWithoutDelivery(page)
  if (suspectDeliveries.length === 0 && suspectJobs.length === 0)
    return { deliveries: [], jobs: [] }
  await sleep(lookAgainAfterMs, undefined, { signal })
  return {
    deliveries: await addMissingJobs(sql, suspectDeliveries),
    jobs: await removeJobs(sql, suspectJobs),
  }
}

interface Querying {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>
}

function restful(sql: Sql, rest: number, signal: AbortSignal | undefined): Querying {
  return {
    async query<Row extends object>(text: string, values?: unknown[]) {
      const beganAt = performance.now()
      const result = await sql.query<Row>(text, values)
      await sleep((performance.now() - beganAt) * rest, undefined, { signal })
      return result
    },
  }
}

interface Page {
  readonly sql: Querying
  readonly pageSize: number
  readonly olderThanMs: number
}

/** A job that is locked runs; one that failed as often as it may will not. */
const NO_JOB = `not exists (
  select from graphile_worker._private_jobs as job
  where job.key = posthorn.type_id('msg', d.id) and (job.locked_at is not null or job.is_available)
)`

/** The pending ones: in the index of states or, not yet put there, after the bookmark. */
async function findDeliveriesWithoutJob(page: Page): Promise<string[]> {
  const found = await readPages(
    page,
    "d.id >= $4 and d.state = 'pending' and d.indexed_state is null",
    [await lingeringFrom(page.sql)],
  )
  for (const id of await webhooksInIndex(page)) {
    found.push(...(await readPages(page, "d.webhook_id = $4 and d.indexed_state = 'pending'", [id])))
  }
  return found
}

/**
 * The webhooks with pending deliveries in the index of states. Skips from one webhook that has any deliveries to the
 * next: of its states, the pending one is the first.
 */
async function webhooksInIndex({ sql, pageSize }: Page): Promise<string[]> {
  const found: string[] = []
  for (let after = FIRST_ID; ; ) {
    const { rows } = await sql.query<{ id: string; owed: boolean }>(
      `with recursive skipped as (
         select $1::uuid as webhook_id, null::posthorn.delivery_state as state
         union all
         select next.webhook_id, next.indexed_state
         from skipped cross join lateral (
           select d.webhook_id, d.indexed_state from posthorn.deliveries as d
           where d.webhook_id > skipped.webhook_id
           order by d.webhook_id, d.indexed_state, d.id limit 1
         ) as next
       )
       select webhook_id as id, state is not distinct from 'pending' as owed
       from skipped offset 1 limit $2`,
      [after, pageSize],
    )
    found.push(...rows.filter(({ owed }) => owed).map(({ id }) => id))
    const last = rows.at(-1)
    if (!last) return found
    after = last.id
  }
}

async function lingeringFrom(sql: Querying): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    `select reached_id as id from posthorn.cursors where name = 'index_backfill'`,
  )
  return rows[0]?.id ?? FIRST_ID
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

async function readPages(page: Page, condition: string, values: string[]): Promise<string[]> {
  const found: string[] = []
  for (let after = FIRST_ID; ; ) {
    const { rows } = await page.sql.query<{ last: string | null; ids: string[] | null }>(
      `with page as materialized (
         select d.id from posthorn.deliveries as d
         where ${condition} and d.id > $1
           and d.id < posthorn.uuid_v7_lower_bound(now() - $3 * interval '1 millisecond')
         order by d.id limit $2
       )
       select (select id from page order by id desc limit 1) as last,
         array(select d.id from page as d where ${NO_JOB}) as ids`,
      [after, page.pageSize, page.olderThanMs, ...values],
    )
    found.push(...(rows[0]?.ids ?? []))
    if (!rows[0]?.last) return found
    after = rows[0].last
  }
}

interface FoundJob {
  readonly id: string
  readonly key: string | null
  readonly revision: number
  readonly deliveryUuid: string | null
}

async function findJobsWithoutDelivery(page: Page): Promise<FoundJob[]> {
  const found: FoundJob[] = []
  for (let after = '0'; ; ) {
    const { rows } = await page.sql.query<Omit<FoundJob, 'deliveryUuid'>>(
      `select job.id, job.key, job.revision from graphile_worker._private_jobs as job
       where job.id > $1 and job.locked_at is null
         and job.created_at < now() - $3 * interval '1 millisecond'
         and job.task_id = (
           select task.id from graphile_worker._private_tasks as task where task.identifier = 'deliver')
       order by job.id limit $2`,
      [after, page.pageSize, page.olderThanMs],
    )
    // In this process, as SQL takes fifty times as long to read an id.
    const jobs = rows.map((row) => ({ ...row, deliveryUuid: parseId('delivery', row.key ?? '') }))
    const owed = await pendingOf(page.sql, jobs)
    found.push(...jobs.filter(({ deliveryUuid }) => !deliveryUuid || !owed.has(deliveryUuid)))
    const last = rows.at(-1)
    if (!last) return found
    after = last.id
  }
}

async function pendingOf(sql: Querying, jobs: readonly FoundJob[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>(
    `select d.id from unnest($1::uuid[]) as wanted (id) join posthorn.deliveries as d on d.id = wanted.id
     where d.state = 'pending'`,
    [jobs.flatMap(({ deliveryUuid }) => deliveryUuid ?? [])],
  )
  return new Set(rows.map(({ id }) => id))
}

async function addMissingJobs(sql: Sql, uuids: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `with orphans as (
       select d.id, d.parked_at, d.next_attempt_at from posthorn.deliveries as d
       where d.id = any ($1::uuid[]) and d.state = 'pending' and ${NO_JOB}
       order by d.id for update
     ),
     jobs as (
       select posthorn.add_deliver_jobs(array_agg(id), array_agg(
         case when parked_at is null then coalesce(next_attempt_at, now()) else posthorn.never() end))
       from orphans having count(*) > 0
     )
     select id from orphans left join jobs on true`,
    [uuids],
  )
  return rows.map(({ id }) => publicId('delivery', id))
}

/** But for those that were added anew meanwhile, which their revision tells. */
async function removeJobs(sql: Sql, jobs: readonly FoundJob[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    `delete from graphile_worker._private_jobs as job
     using unnest($1::bigint[], $2::int[], $3::uuid[]) as found (id, revision, delivery_id)
     where job.id = found.id and job.revision = found.revision and job.locked_at is null
       and not exists (
         select from posthorn.deliveries as d where d.id = found.delivery_id and d.state = 'pending'
       )
     returning job.id`,
    [
      jobs.map(({ id }) => id),
      jobs.map(({ revision }) => revision),
      jobs.map(({ deliveryUuid }) => deliveryUuid),
    ],
  )
  return rows.map(({ id }) => id)
}
