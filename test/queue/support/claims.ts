import { EventEmitter } from 'node:events'
import { run, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import type { Database } from '../../../src/db/client.ts'
import { until } from '../../support/until.ts'
import { jobs } from './deliveries.ts'

/** A runner that has claimed all jobs of a task and keeps them running until `complete` is called. */
export interface Claimer extends AsyncDisposable {
  readonly id: string
  /** Completes the jobs that the runner considers its own. */
  complete(): Promise<void>
}

export async function claimAll(
  database: Database,
  task = 'posthorn:deliver',
  { registeredAt = '-infinity' } = {},
): Promise<Claimer> {
  // No more jobs than exist now, so that the runner does not claim rescued jobs again.
  const concurrentJobs = (await jobs(database)).length
  const released = Promise.withResolvers<void>()
  const events: WorkerEvents = new EventEmitter()
  let id = ''
  events.once('pool:create', ({ workerPool }) => {
    id = workerPool.id
  })
  const runner = await run({
    pgPool: database.pool,
    events,
    logger: new WorkerLogger(() => () => {}),
    noHandleSignals: true,
    taskList: { [task]: () => released.promise },
    parsedCronItems: [],
    preset: { worker: { concurrentJobs, pollInterval: 50, completeJobBatchDelay: 0 } },
  })
  await database.pool.query('insert into posthorn.workers (id, heartbeat_at) values ($1, $2)', [
    id,
    registeredAt,
  ])
  await until(
    async () => (await jobs(database)).every(({ lockedBy }) => lockedBy === id),
    'all jobs are claimed',
  )
  async function complete(): Promise<void> {
    released.resolve()
    await runner.stop().catch(() => {})
    await runner.promise
  }
  return { id, complete, [Symbol.asyncDispose]: complete }
}
