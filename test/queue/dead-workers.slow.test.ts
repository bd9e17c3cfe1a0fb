import { expect, test as sequentialTest } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { countRows, WAITING } from '../support/count-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { addDeliveries, jobs, runnerIds } from './support/deliveries.ts'
import { startAnswerLoss } from './support/proxy.ts'
import { startTestWorker } from './support/tasks.ts'
import type { Report } from './support/worker-main.ts'
import { startWorkerProcess, type WorkerProcess } from './support/worker-process.ts'

/** The tests mostly wait for heartbeats, each with its own database, so they run at the same time. */
const test = sequentialTest.concurrent

/** The ids of the deliveries that a worker process reported as started, recorded, or with a lost claim. */
function reported({ reports }: WorkerProcess, state: Report['state'] = 'started'): string[] {
  return reports.filter((report) => report.state === state).map(({ deliveryId }) => deliveryId)
}

const deliversAll = (worker: WorkerProcess) =>
  until(() => reported(worker, 'recorded').length === 20, 'the other delivers all', 20_000)

test('other workers run the jobs of a frozen worker; when it resumes, its claims are lost, and it claims new jobs', async () => {
  await using database = await createTestDatabase()
  await using victim = startWorkerProcess(database.url)
  await until(async () => (await runnerIds(database)).length === 1, 'the worker runs', 60_000)
  const [frozenId] = await runnerIds(database)
  await addDeliveries(database, 20)
  await until(() => reported(victim).length === 20, 'its tasks run')
  victim.kill('SIGSTOP')
  victim.finish()
  await using other = startWorkerProcess(database.url, 0)
  await deliversAll(other)
  victim.kill('SIGCONT')
  await until(() => reported(victim, 'claim lost').length === 20, 'its claims are lost')
  expect(reported(victim, 'recorded')).toEqual([])
  const once = `posthorn.deliveries where state = 'succeeded' and attempt_count = 1`
  expect(await countRows(database.pool, once)).toBe(20)
  other.kill('SIGKILL')
  await until(
    async () => !(await runnerIds(database)).includes(frozenId as string),
    'the worker has a new runner',
  )
  await addDeliveries(database, 5)
  await until(() => reported(victim, 'recorded').length === 5, 'the worker delivers again')
  await until(async () => (await jobs(database)).length === 0, 'no job is left')
  expect(victim.process.exitCode).toBeNull()
})

test('after an outage of Postgres, no worker considers another one dead', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startTcpProxy(database.url)
  await using worker = startWorkerProcess(proxy.url, 0)
  await using other = startWorkerProcess(proxy.url, 0)
  await until(async () => (await runnerIds(database)).length === 2, 'both workers run', 60_000)
  proxy.blackhole()
  const late = `posthorn.workers where heartbeat_at < clock_timestamp() - interval '13 seconds'`
  const areLate = async () => (await countRows(database.pool, late)) === 2
  await until(areLate, 'both heartbeats are overdue', 20_000)
  proxy.restore()
  await addDeliveries(database, 40)
  await until(async () => (await jobs(database)).length === 0, 'the workers deliver again', 20_000)
  expect(worker.output() + other.output()).not.toContain('dead workers')
})

test('a runner that gets no answers from Postgres is replaced', async () => {
  await using database = await createTestDatabase()
  await using network = await startAnswerLoss(database.url)
  await using through = openDatabase(network.url)
  let delivered = 0
  const deliver = async () => {
    delivered += 1
  }
  const options = { concurrency: 5, logLevel: 'silent' } as const
  await using _worker = await startTestWorker(through, { deliver }, options)
  await until(async () => (await runnerIds(database)).length === 1, 'the worker runs')
  const [before] = await runnerIds(database)
  network.loseAnswersToRunners()
  const isReplaced = async () => (await runnerIds(database)).some((id) => id !== before)
  await until(isReplaced, 'a new runner starts', 30_000)
  await addDeliveries(database, 1)
  await until(() => delivered === 1, 'the new runner delivers')
})

test('a worker that cannot return its jobs when it stops finishes the others, and no job is lost', async () => {
  await using database = await createTestDatabase()
  await using worker = startWorkerProcess(database.url)
  await until(async () => (await runnerIds(database)).length === 1, 'the worker runs')
  await addDeliveries(database, 22)
  await until(() => reported(worker).length === 20, 'its tasks run')
  await until(
    async () => (await jobs(database)).every(({ lockedBy }) => lockedBy),
    'it has claimed the others ahead',
  )
  const lock = await database.pool.connect()
  await lock.query('begin; lock table graphile_worker.jobs in share mode')
  worker.kill('SIGTERM')
  const returning = `${WAITING} and application_name like 'posthorn-runner-%'`
  const isReturning = async () => (await countRows(database.pool, returning)) === 1
  await until(isReturning, 'it returns the jobs that do not run')
  await database.pool.query(`select pg_terminate_backend(pid) from ${returning}`)
  await lock.query('rollback')
  lock.release()
  worker.finish()
  const hasCrashed = () => worker.process.exitCode !== null
  await until(
    async () => hasCrashed() || (await runnerIds(database)).length === 0,
    'the runner has ended',
    20_000,
  )
  expect(hasCrashed(), worker.output()).toBe(false)
  expect(reported(worker, 'recorded')).toHaveLength(20)
  const left = await jobs(database)
  expect(left.map(({ lockedBy, attempts }) => [lockedBy, attempts])).toEqual(
    new Array(2).fill([null, 0]),
  )
})
