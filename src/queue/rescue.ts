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
 * Makes the jobs of dead runners available, and forgets these runners; answers how many jobs. Safe when several processes
 * do it at once. A rescue uses up no attempt: a claim counts one, and unlocking does not take it back.
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

/** Rescues the jobs of a runner of this process once Postgres has closed its connections: it can claim no more then. */
export async function rescueAbandoned(
  pool: pg.Pool,
  workerSchema: string,
  runner: { readonly id: string; readonly applicationName: string },
): Promise<number> {
  // First, so that another process does it where this one dies meanwhile.
  await markAbandoned(pool, [runner.id])
  await pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = $1 and usename = current_user`,
    [runner.applicationName],
  )
  await markAbandoned(pool, [runner.id])
  return await rescueWorkers(pool, workerSchema, [runner.id])
}

/** Lets any process rescue them at its next look. */
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
  // While they are locked: the new jobs get ids of their own, which a runner that comes back cannot complete.
  await restoreDeliveries(client, deliveries)
  await client.query(`select ${schema}.force_unlock_workers($1::text[])`, [ids])
  await removeRetired(client, schema, deliveries)
  await rescheduleTasks(client, schema, jobs)
  return jobs.length
}

async function restoreDeliveries(client: pg.PoolClient, jobs: readonly ClaimedJob[]) {
  const uuids = jobs.flatMap(({ key }) => (key && parseId('delivery', key)) || [])
  if (uuids.length === 0) return
  await client.query('select posthorn.restore_delivery_jobs($1::uuid[])', [uuids])
}

/** A job that still has its key was not replaced: its delivery needs none, or keeps it as failed. */
async function removeRetired(
  client: pg.PoolClient,
  schema: string,
  deliveries: readonly ClaimedJob[],
): Promise<void> {
  const { rows } = await client.query<ClaimedJob>(
    `select id, key, task_identifier as task from ${schema}.jobs where id = any ($1::bigint[])`,
    [deliveries.map(({ id }) => id)],
  )
  const retired = rows.filter(({ key }) => key === null)
  await client.query(`select from ${schema}.complete_jobs($1::bigint[])`, [
    retired.map(({ id }) => id),
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
