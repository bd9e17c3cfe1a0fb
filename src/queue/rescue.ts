import pg from 'pg'
import { parseId } from '../db/ids.ts'
import { TASK_PREFIX } from './jobs.ts'

interface ClaimedJob {
  readonly id: string
  readonly key: string | null
  readonly task: string
}

const DELIVER = `${TASK_PREFIX}deliver`

/**
 * Unclaims the jobs of dead runners and deletes the runners. Returns the number of jobs. Several processes may rescue the
 * same runners concurrently. A rescue uses up no attempt: a claim counts as one, and the rescue restores the count, which
 * unlocking does not.
 */
export async function rescueWorkers(
  pool: pg.Pool,
  workerSchema: string,
  runnerIds: readonly string[],
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const count = await rescueDead(client, pg.escapeIdentifier(workerSchema), runnerIds)
    await client.query('commit')
    client.release()
    return count
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Rescues the jobs of a runner of this process after closing its connections in Postgres, so that it claims no more. */
export async function rescueAbandoned(
  pool: pg.Pool,
  workerSchema: string,
  runner: { readonly id: string; readonly applicationName: string },
): Promise<number> {
  // Marked first, so that another process rescues the jobs if this process dies here.
  await markAbandoned(pool, [runner.id])
  await pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = $1 and usename = current_user`,
    [runner.applicationName],
  )
  await markAbandoned(pool, [runner.id])
  return await rescueWorkers(pool, workerSchema, [runner.id])
}

/** Marks runners as dead, so that any process rescues their jobs after its next heartbeat. */
export async function markAbandoned(pool: pg.Pool, runnerIds: readonly string[]): Promise<void> {
  await pool.query(
    `insert into posthorn.workers (id, heartbeat_at) select id, '-infinity' from unnest($1::text[]) as id
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
    [runnerIds],
  )
}

async function rescueDead(
  client: pg.PoolClient,
  schema: string,
  runnerIds: readonly string[],
): Promise<number> {
  const { rows: dead } = await client.query<{ id: string }>(
    `delete from posthorn.workers where id in (
       select id from posthorn.workers
       where id = any ($1::text[]) and heartbeat_at < clock_timestamp() - interval '12 seconds'
       for update skip locked)
     returning id`,
    [runnerIds],
  )
  if (dead.length === 0) return 0
  const ids = dead.map(({ id }) => id)
  const { rows: jobs } = await client.query<ClaimedJob>(
    `select id, key, task_identifier as task from ${schema}.jobs
     where locked_by = any ($1::text[]) and starts_with(task_identifier, $2)`,
    [ids, TASK_PREFIX],
  )
  const deliveries = jobs.filter(({ task }) => task === DELIVER)
  // Done while the jobs are locked: so each delivery gets a job with a new id, which a runner that returns cannot complete.
  await restoreDeliveries(client, deliveries)
  await client.query(`select ${schema}.force_unlock_workers($1::text[])`, [ids])
  await completeReplacedJobs(client, schema, deliveries)
  await rescheduleTasks(client, schema, jobs)
  return jobs.length
}

async function restoreDeliveries(client: pg.PoolClient, jobs: readonly ClaimedJob[]) {
  const uuids = jobs.flatMap(({ key }) => (key && parseId('delivery', key)) || [])
  if (uuids.length === 0) return
  await client.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
}

/**
 * graphile-worker takes the key from a locked job that it replaces. A job that still has its key was not replaced: its
 * delivery needs no job, or keeps this one as failed.
 */
async function completeReplacedJobs(
  client: pg.PoolClient,
  schema: string,
  deliveries: readonly ClaimedJob[],
): Promise<void> {
  const { rows } = await client.query<ClaimedJob>(
    `select id, key, task_identifier as task from ${schema}.jobs where id = any ($1::bigint[])`,
    [deliveries.map(({ id }) => id)],
  )
  const replaced = rows.filter(({ key }) => key === null)
  await client.query(`select from ${schema}.complete_jobs($1::bigint[])`, [
    replaced.map(({ id }) => id),
  ])
  await restoreDeliveries(client, rows)
}

async function rescheduleTasks(
  client: pg.PoolClient,
  schema: string,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  await client.query(
    `select from ${schema}.jobs as job,
       lateral ${schema}.reschedule_jobs(array[job.id], run_at := now(), attempts := greatest(job.attempts - 1, 0))
     where job.id = any ($1::bigint[])`,
    [jobs.filter(({ task }) => task !== DELIVER).map(({ id }) => id)],
  )
}
