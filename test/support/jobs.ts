import { Logger, run } from 'graphile-worker'
import pg from 'pg'
import type { Database, Sql } from '../../src/db/client.ts'
import { until } from './until.ts'

/** A job as the public view of graphile-worker shows it. */
export interface JobRow {
  readonly id: string
  readonly key: string | null
  readonly task: string
  readonly runAt: Date
  readonly attempts: number
  readonly maxAttempts: number
  readonly lastError: string | null
  readonly updatedAt: Date
  readonly lockedBy: string | null
}

/** The jobs that make attempts, in the order in which they were added. */
export async function deliveryJobs(sql: Sql): Promise<JobRow[]> {
  const { rows } = await sql.query<JobRow>(
    `select id::text, key, task_identifier as task, run_at as "runAt", attempts, max_attempts as "maxAttempts",
       last_error as "lastError", updated_at as "updatedAt", locked_by as "lockedBy"
     from graphile_worker.jobs where task_identifier = 'posthorn:deliver' order by jobs.id`,
  )
  return rows
}

/** A worker of graphile-worker that claims the jobs of deliveries and does nothing with them. */
export interface ClaimingWorker extends AsyncDisposable {
  /** Completes what it claimed, and stops. */
  complete(): Promise<void>
  /** Fails what it claimed, and stops. */
  fail(message: string): Promise<void>
}

/** Resolves once it has claimed so many jobs. */
export async function claimJobs(database: Database, count: number): Promise<ClaimingWorker> {
  const running: PromiseWithResolvers<void>[] = []
  const pool = new pg.Pool({ connectionString: database.url })
  // graphile-worker warns where nothing listens.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const runner = await run({
    pgPool: pool,
    concurrency: count,
    pollInterval: 50,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      'posthorn:deliver': () => {
        const job = Promise.withResolvers<void>()
        running.push(job)
        return job.promise
      },
    },
  })
  await until(() => running.length >= count, `${count} jobs are claimed`)
  let isStopped = false

  /** It claims no more before its jobs end. */
  async function stop(end: (job: PromiseWithResolvers<void>) => void): Promise<void> {
    if (isStopped) return
    isStopped = true
    const stopped = runner.stop()
    running.forEach(end)
    await stopped
    await runner.promise
    await until(async () => !(await isAnyClaimed(pool)), 'the claimed jobs have ended')
    await pool.end()
  }

  const complete = () => stop(({ resolve }) => resolve())
  return {
    complete,
    fail: (message) => stop(({ reject }) => reject(new Error(message))),
    [Symbol.asyncDispose]: complete,
  }
}

async function isAnyClaimed(sql: Sql): Promise<boolean> {
  return (await deliveryJobs(sql)).some(({ lockedBy }) => lockedBy !== null)
}
