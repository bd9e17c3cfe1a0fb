import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { parseId } from '../../src/db/ids.ts'
import { enqueue, type Tasks } from '../../src/queue/jobs.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { until } from '../support/until.ts'
import { addDeliveries, jobs, runnerIds } from './support/deliveries.ts'
import { startAnswerLoss } from './support/proxy.ts'
import { startTestWorker } from './support/tasks.ts'

const database = useFreshDatabase()

/*
 * Reports to send to graphile-worker (0.18), each with what a fix deletes in `src/queue`. LOCK: in another session, lock
 * the table of jobs in share mode, and then end the backend of the runner's pool that waits.
 * 1. The return of jobs is not awaited: with two jobs at a time and `localQueue: { size: 2 }`, add four jobs, LOCK, `stop()`. "Cannot
 *    background something when the queue is already released" is an unhandled rejection. Deletes our listener for those.
 * 2. A runner's promise does not tell a failure (#635, #592): with `completeJobBatchDelay: 0`, LOCK, and end the task. The promise
 *    resolves, or never settles, and the job stays claimed. Deletes `waitUntilIdle`.
 * 3. A runner keeps an error as the answer to which tasks it runs: start one on a read-only database, and make that writable. The
 *    runner claims nothing. Deletes `requireWritable`.
 * 4. Only plugins learn the newest revision (`maxMigrationNumber`). An export deletes half of `worker-schema.ts`.
 */

const start = (tasks: Partial<Tasks>, through = database) =>
  startTestWorker(through, tasks, { concurrency: 5, logLevel: 'silent' })

/** Tasks that deliver, and the ids of what they delivered. */
function collectDelivered() {
  const delivered: string[] = []
  const deliver: Tasks['deliver'] = async ({ deliveryId }) => void delivered.push(deliveryId)
  return { delivered, tasks: { deliver } }
}

const untilNoJobs = () =>
  until(async () => (await jobs(database)).length === 0, 'all jobs are done')

/** Tasks that run until they are aborted, then requeue their delivery. */
function runUntilAborted(started: string[]): Partial<Tasks> {
  return {
    async deliver({ deliveryId }, { signal }) {
      started.push(deliveryId)
      if (!signal.aborted) await once(signal, 'abort')
      await database.pool.query('select posthorn.restore_delivery_jobs(array[$1::uuid])', [
        parseId('delivery', deliveryId),
      ])
    },
  }
}

test('a task that fails because Postgres is unavailable is repeated, and its job does not fail', async () => {
  const errors: (string | null | undefined)[] = []
  let runs = 0
  await using _worker = await start({
    async release_backlog() {
      runs += 1
      errors.push((await jobs(database))[0]?.lastError)
      if (runs < 3) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    },
  })
  await enqueue(database.prisma, 'release_backlog', { webhookId: 'wh_1' }, { key: 'wh_1' })
  await until(async () => (await jobs(database)).length === 0 && runs > 0, 'the job is done')
  expect(errors).toEqual([null, null, null])
})

test('a runner whose row was deleted is replaced by one with a new id, and its tasks lose their claims', async () => {
  const outcomes: string[] = []
  const deleted = Promise.withResolvers<void>()
  await using worker = await start({
    async deliver(_payload, { ensureClaimed }) {
      await ensureClaimed()
      await deleted.promise
      try {
        await ensureClaimed()
        outcomes.push('claimed')
      } catch (error) {
        outcomes.push((error as Error).name)
        throw error
      }
    },
  })
  await addDeliveries(database, 1)
  await until(async () => (await jobs(database))[0]?.lockedBy, 'the job runs')
  const [before] = await runnerIds(database)
  await database.pool.query('delete from posthorn.workers')
  await until(
    async () => (await runnerIds(database)).some((id) => id !== before),
    'a new runner starts',
  )
  deleted.resolve()
  await until(() => outcomes.length > 0, 'the task checks its claim')
  expect(outcomes[0]).toBe('ClaimLostError')
  await untilNoJobs()
  expect(outcomes).toEqual(['ClaimLostError', 'claimed'])
  await until(async () => (await runnerIds(database)).length === 1, 'the old id is deleted')
  expect(worker.running).toBe(true)
})

test('a job is found and run if the answer to its claim was lost', async () => {
  await using network = await startAnswerLoss(database.url)
  await using through = openDatabase(network.url)
  const { delivered, tasks } = collectDelivered()
  await using _worker = await start(tasks, through)
  await until(async () => (await runnerIds(database)).length === 1, 'the worker runs')
  network.loseAnswersWith('msg_')
  const ids = await addDeliveries(database, 1)
  await until(
    async () => (await jobs(database)).every(({ lockedBy }) => lockedBy),
    'the worker claims it',
  )
  expect(delivered).toEqual([])
  network.breakConnections()
  await untilNoJobs()
  expect(delivered.toSorted()).toEqual(ids.toSorted())
})

describe('a worker that shuts down', () => {
  test('lets running tasks finish and unclaims the other jobs', async () => {
    const release = Promise.withResolvers<void>()
    let started = 0
    const worker = await start({
      async deliver() {
        started += 1
        await release.promise
      },
    })
    await addDeliveries(database, 30, { attemptCount: 2 })
    await until(() => started === 10, 'ten jobs run')
    const stopped = worker[Symbol.asyncDispose]()
    await until(
      async () => (await jobs(database)).filter(({ lockedBy }) => lockedBy).length === 10,
      'it unclaims the other jobs',
    )
    release.resolve()
    await stopped
    expect(await unclaimed()).toEqual(new Array(20).fill(2))
    expect(started).toBe(10)
    expect(await runnerIds(database)).toEqual([])
  })

  test('after abort(), aborts its tasks at once, abandons those that do not stop, and their jobs use up no attempt', async () => {
    const started: string[] = []
    const { deliver } = runUntilAborted(started)
    const worker = await start({
      async deliver(payload, helpers) {
        if (started.length % 2 === 0) return await deliver?.(payload, helpers)
        started.push(payload.deliveryId)
        await new Promise(() => {})
      },
    })
    await addDeliveries(database, 30, { attemptCount: 9, maxAttempts: 10 })
    await until(() => started.length === 10, 'ten jobs run')
    worker.abort()
    await worker[Symbol.asyncDispose]()
    expect(await unclaimed()).toEqual(new Array(30).fill(9))
    expect(await runnerIds(database)).toEqual([])
  })
})

/** The attempts of all jobs, none of which may be claimed. */
async function unclaimed(): Promise<number[]> {
  const all = await jobs(database)
  expect(all.filter(({ lockedBy }) => lockedBy !== null)).toEqual([])
  return all.map(({ attempts }) => attempts)
}
