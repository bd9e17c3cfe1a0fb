import { EventEmitter } from 'node:events'
import { Logger, run, type WorkerEvents } from 'graphile-worker'
import type { Database, Sql } from '../../src/db/client.ts'
import { until } from './until.ts'

/** A row of graphile-worker's public view `jobs`. */
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

/** The jobs of deliveries, oldest first. */
export async function deliveryJobs(sql: Sql): Promise<JobRow[]> {
  const { rows } = await sql.query<JobRow>(
    `select id::text, key, task_identifier as task, run_at as "runAt", attempts, max_attempts as "maxAttempts",
       last_error as "lastError", updated_at as "updatedAt", locked_by as "lockedBy"
     from graphile_worker.jobs where task_identifier = 'posthorn:deliver' order by jobs.id`,
  )
  return rows
}

/**
 * A graphile-worker that claims jobs without doing anything. Resolves once it has claimed `count` jobs. It claims no more.
 */
export async function claimJobs(database: Database, count: number, task = 'posthorn:deliver') {
  const running: PromiseWithResolvers<void>[] = []
  const onError = () => {}
  const pool = database.connections.open({ maxConnections: 10, purpose: 'jobs', onError })
  const events: WorkerEvents = new EventEmitter()
  let id = ''
  events.once('pool:create', ({ workerPool }) => {
    id = workerPool.id
  })
  const runner = await run({
    pgPool: pool,
    events,
    concurrency: count,
    pollInterval: 50,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      [task]: () => {
        const job = Promise.withResolvers<void>()
        running.push(job)
        return job.promise
      },
    },
  })
  await until(() => running.length >= count, `${count} jobs are claimed`)
  let isStopped = false

  /** Stops the runner before it ends the jobs, so that it claims no further ones. */
  async function stop(end: (job: PromiseWithResolvers<void>) => void): Promise<void> {
    if (isStopped) return
    isStopped = true
    // It fails if another process has rescued its jobs.
    const stopped = runner.stop().catch(() => {})
    running.forEach(end)
    await stopped
    await runner.promise
    await until(async () => !(await isAnyClaimed(pool)), 'the claimed jobs have ended')
    await pool.end()
  }

  /** Completes the claimed jobs and stops. */
  const complete = () => stop(({ resolve }) => resolve())
  return {
    /** Of its runner. */
    id,
    complete,
    /** Fails the claimed jobs and stops. */
    fail: (message: string) => stop(({ reject }) => reject(new Error(message))),
    [Symbol.asyncDispose]: complete,
  }
}

export async function isAnyClaimed(sql: Sql): Promise<boolean> {
  return (await deliveryJobs(sql)).some(({ lockedBy }) => lockedBy !== null)
}
