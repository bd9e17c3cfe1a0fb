import pg from 'pg'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { TASK_PREFIX } from './jobs.ts'

interface ClaimedJob {
  readonly id: string
  readonly key: string | null
  readonly task: string
  readonly runner: string | null
}

interface DeadRunner {
  readonly id: string
  /** Whether a process marked it: it ended otherwise than by its death. */
  readonly isAbandoned: boolean
}

const DELIVER = `${TASK_PREFIX}deliver`

/**
 * Unclaims the jobs of dead runners and deletes the runners. Returns the number of jobs. Several processes may rescue the
 * same runners concurrently. A rescue uses up no attempt: a claim counts as one, and the rescue restores the count, which
 * unlocking does not. Of a runner that ended with its process, it counts the death for each delivery.
 */
export async function rescueWorkers(
  pool: pg.Pool,
  workerSchema: string,
  runnerIds: readonly string[],
): Promise<number> {
  return await inTransaction(pool, (sql) =>
    rescueDead(sql, pg.escapeIdentifier(workerSchema), runnerIds),
  )
}

/** A runner, with the `application_name` of its connections. */
export interface RunnerConnections {
  readonly id: string
  readonly applicationName: string
}

/** Rescues the jobs of a runner of this process that lives on. */
export async function rescueAbandoned(
  pool: pg.Pool,
  workerSchema: string,
  runner: RunnerConnections,
): Promise<number> {
  // Marked first, so that another process rescues the jobs if this process dies here.
  await markAbandoned(pool, [runner.id])
  return await rescueOwn(pool, workerSchema, [runner], null)
}

/** A thread of this process that ended. */
export interface EndedThread {
  readonly runners: readonly RunnerConnections[]
  /** The uuid of the delivery whose body it was writing, if any. */
  readonly writing: string | null
}

/** Rescues the jobs of a thread that ended in this process, and counts the death for its deliveries. */
export async function rescueOfEndedThread(
  pool: pg.Pool,
  workerSchema: string,
  ended: EndedThread,
): Promise<number> {
  return await rescueOwn(pool, workerSchema, ended.runners, ended)
}

/** Closes the connections of the runners in Postgres first, so that they claim no more. */
async function rescueOwn(
  pool: pg.Pool,
  workerSchema: string,
  runners: readonly RunnerConnections[],
  thread: EndedThread | null,
): Promise<number> {
  for (const { applicationName } of runners) {
    await pool.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where application_name = $1 and usename = current_user`,
      [applicationName],
    )
  }
  const ids = runners.map(({ id }) => id)
  return await inTransaction(pool, async (sql) => {
    await markAbandoned(sql, ids)
    return await rescueDead(sql, pg.escapeIdentifier(workerSchema), ids, thread)
  })
}

/** Marks runners as dead, so that any process rescues their jobs after its next heartbeat. */
export async function markAbandoned(sql: Sql, runnerIds: readonly string[]): Promise<void> {
  await sql.query(
    `insert into posthorn.workers (id, heartbeat_at) select id, '-infinity' from unnest($1::text[]) as id
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
    [runnerIds],
  )
}

/** A runner that has just started is stored within this time. */
const STORED_WITHIN_MS = 15_000

/** Marks as dead the runners that have jobs and are not stored: a claim can reach Postgres after the rescue of its runner. */
export async function abandonUnknownRunners(
  pool: pg.Pool,
  workerSchema: string,
  claimedForMs = STORED_WITHIN_MS,
): Promise<void> {
  await pool.query(
    `insert into posthorn.workers (id, heartbeat_at)
     select distinct locked_by, '-infinity'::timestamptz from ${pg.escapeIdentifier(workerSchema)}.jobs as job
     where locked_at < now() - $2::float8 * interval '1 millisecond' and starts_with(task_identifier, $1)
       and not exists (select from posthorn.workers as worker where worker.id = job.locked_by)
     on conflict do nothing`,
    [TASK_PREFIX, claimedForMs],
  )
}

async function rescueDead(
  sql: Sql,
  schema: string,
  runnerIds: readonly string[],
  thread: EndedThread | null = null,
): Promise<number> {
  const { rows: dead } = await sql.query<DeadRunner>(
    `delete from posthorn.workers where id in (
       select id from posthorn.workers
       where id = any ($1::text[]) and heartbeat_at < clock_timestamp() - interval '12 seconds'
       for update skip locked)
     returning id, heartbeat_at = '-infinity' as "isAbandoned"`,
    [runnerIds],
  )
  if (dead.length === 0) return 0
  const ids = dead.map(({ id }) => id)
  const { rows: jobs } = await sql.query<ClaimedJob>(
    `select id, key, task_identifier as task, locked_by as runner from ${schema}.jobs
     where locked_by = any ($1::text[]) and starts_with(task_identifier, $2)`,
    [ids, TASK_PREFIX],
  )
  const deliveries = jobs.filter(({ task }) => task === DELIVER)
  for (const { id, isAbandoned } of dead) {
    // A process abandons a runner and lives on.
    if (isAbandoned && !thread) continue
    const claimed = uuidsOf(deliveries.filter(({ runner }) => runner === id))
    await countDeath(sql, claimed, thread)
  }
  // Done while the jobs are locked: so each delivery gets a job with a new id, which a runner that returns cannot complete.
  await restoreDeliveries(sql, deliveries)
  await sql.query(`select ${schema}.force_unlock_workers($1::text[])`, [ids])
  await completeReplacedJobs(sql, schema, deliveries)
  await rescheduleTasks(sql, schema, jobs)
  return jobs.length
}

/**
 * Any of the claimed deliveries may have ended the worker. If one of them ran alone (3), it did, and the others did not. But
 * what runs alone has a thread of its own: if that of the others ended, one of the others did it. If that thread wrote a
 * body, the death counts for its organization alone: for all deliveries, as more of them may be like the one.
 */
async function countDeath(
  sql: Sql,
  uuids: readonly string[],
  thread: EndedThread | null,
): Promise<void> {
  await sql.query(
    `update posthorn.deliveries as d set worker_deaths = least(d.worker_deaths + 1, 2) from (
       select id from posthorn.deliveries
       where id = any ($1::uuid[]) and state = 'pending' and worker_deaths <> 2
         and ($2 or not exists (select from posthorn.deliveries where id = any ($1::uuid[]) and worker_deaths > 2))
         and ($3::uuid is null or worker_deaths > 2
           or organization_id = (select organization_id from posthorn.deliveries where id = $3))
       order by id for update
     ) as claimed where d.id = claimed.id`,
    [uuids, thread !== null, thread?.writing ?? null],
  )
}

function uuidsOf(jobs: readonly ClaimedJob[]): string[] {
  return jobs.flatMap(({ key }) => (key && parseId('delivery', key)) || [])
}

async function restoreDeliveries(sql: Sql, jobs: readonly ClaimedJob[]) {
  const uuids = uuidsOf(jobs)
  if (uuids.length === 0) return
  await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
}

/**
 * graphile-worker takes the key from a locked job that it replaces. A job that still has its key was not replaced: its
 * delivery needs no job, or keeps this one as failed.
 */
async function completeReplacedJobs(
  sql: Sql,
  schema: string,
  deliveries: readonly ClaimedJob[],
): Promise<void> {
  const { rows } = await sql.query<ClaimedJob>(
    `select id, key, task_identifier as task, locked_by as runner from ${schema}.jobs where id = any ($1::bigint[])`,
    [deliveries.map(({ id }) => id)],
  )
  const replaced = rows.filter(({ key }) => key === null)
  await sql.query(`select from ${schema}.complete_jobs($1::bigint[])`, [
    replaced.map(({ id }) => id),
  ])
  await restoreDeliveries(sql, rows)
}

async function rescheduleTasks(
  sql: Sql,
  schema: string,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  await sql.query(
    `select from ${schema}.jobs as job,
       lateral ${schema}.reschedule_jobs(array[job.id], run_at := now(), attempts := greatest(job.attempts - 1, 0))
     where job.id = any ($1::bigint[])`,
    [jobs.filter(({ task }) => task !== DELIVER).map(({ id }) => id)],
  )
}
