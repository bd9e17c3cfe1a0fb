import pg from 'pg'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { TASK_PREFIX } from './jobs.ts'

interface ClaimedJob {
  readonly id: string
  readonly key: string | null
  readonly task: string
  readonly queue: string | null
  readonly runner: string
}

interface DeadRunner {
  readonly id: string
  /** Whether a process marked it: it ended otherwise than by its death. */
  readonly isAbandoned: boolean
}

const DELIVER = `${TASK_PREFIX}deliver`

/** All processes together run one job of it at a time. `posthorn.restore_delivery_jobs` adds jobs to it. */
const SUSPECTS = `${TASK_PREFIX}suspects`

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
  const schema = pg.escapeIdentifier(workerSchema)
  return await inTransaction(pool, async (sql) => {
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
      `select id, key, task_identifier as task, queue_name as queue, locked_by as runner from ${schema}.jobs
       where locked_by = any ($1::text[]) and starts_with(task_identifier, $2)`,
      [ids, TASK_PREFIX],
    )
    const deliveries = jobs.filter(({ task }) => task === DELIVER)
    for (const { id, isAbandoned } of dead) {
      // A process abandons a runner and lives on.
      if (isAbandoned) continue
      const claimed = deliveries.filter(({ runner }) => runner === id)
      await countDeath(sql, claimed)
    }
    // Done while the jobs are locked: so each delivery gets a job with a new id, which a runner that returns cannot complete.
    await sql.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuidsOf(deliveries)])
    await sql.query(`select ${schema}.force_unlock_workers($1::text[])`, [ids])
    await completeReplacedJobs(sql, schema, deliveries)
    await rescheduleTasks(sql, schema, jobs)
    return jobs.length
  })
}

/**
 * Rescues the jobs of a runner of this process that lives on. First closes its connections, which have `applicationName`, so
 * that it claims no more.
 */
export async function rescueAbandoned(
  pool: pg.Pool,
  workerSchema: string,
  id: string,
  applicationName: string,
): Promise<number> {
  // Marked first, so that another process rescues the jobs if this process dies here.
  await markAbandoned(pool, id)
  await pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = $1 and usename = current_user`,
    [applicationName],
  )
  // Marked again: another process may have rescued the jobs before the last claim.
  await markAbandoned(pool, id)
  return await rescueWorkers(pool, workerSchema, [id])
}

/** Marks a runner as dead, so that any process rescues its jobs after its next heartbeat. */
export async function markAbandoned(sql: Sql, runnerId: string): Promise<void> {
  await sql.query(
    `insert into posthorn.workers (id, heartbeat_at) values ($1, '-infinity')
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
    [runnerId],
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

/** Any of the claimed deliveries may have ended the worker. If one of them is in the queue of suspects, it did, and no other. */
async function countDeath(sql: Sql, claimed: readonly ClaimedJob[]): Promise<void> {
  const suspects = claimed.filter(({ queue }) => queue === SUSPECTS)
  await sql.query(
    `update posthorn.deliveries as d set worker_deaths = d.worker_deaths + 1 from (
       select id from posthorn.deliveries where id = any ($1::uuid[]) and state = 'pending' order by id for update
     ) as claimed where d.id = claimed.id`,
    [uuidsOf(suspects.length > 0 ? suspects : claimed)],
  )
}

function uuidsOf(jobs: readonly ClaimedJob[]): string[] {
  return jobs.flatMap(({ key }) => (key && parseId('delivery', key)) || [])
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
  await sql.query(
    `select from ${schema}.complete_jobs(array(
       select job.id from ${schema}.jobs as job where job.id = any ($1::bigint[]) and (job.key is null or exists (
         select from posthorn.deliveries as d
         where d.id = posthorn.parse_type_id('msg', job.key) and d.state <> 'exhausted'))))`,
    [deliveries.map(({ id }) => id)],
  )
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
