import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import {
  addDeliveries,
  countLate,
  countPending,
  countStates,
  jobs,
  runnerIds,
} from './support/deliveries.ts'
import { startRelayTo } from './support/relay.ts'
import { startWorkerProcess, type WorkerProcess } from './support/worker-process.ts'

let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

const LONG_MS = 600_000

/** The deliveries that a worker process has begun with. */
function begun({ reports }: WorkerProcess, what = 'started'): string[] {
  return reports.filter((report) => report.what === what).map(({ deliveryId }) => deliveryId)
}

test('the jobs of a killed worker run elsewhere within 15 s, and no attempt is used up', async () => {
  await using victim = startWorkerProcess(database.url, LONG_MS)
  await until(async () => (await runnerIds(database)).length === 1, 'it runs')
  const ids = await addDeliveries(database, 60, { attemptCount: 3 })
  await until(() => begun(victim).length === 20, 'it has begun')
  await using other = startWorkerProcess(database.url, 0)
  await until(async () => (await runnerIds(database)).length === 2, 'the other one runs')
  victim.kill('SIGKILL')
  await until(() => begun(other, 'recorded').length === 60, 'the other one does all')
  expect(begun(other, 'recorded').toSorted()).toEqual(ids.toSorted())
  expect(await countStates(database)).toEqual([{ state: 'succeeded', attempts: 4, count: 60 }])
  await until(async () => (await jobs(database)).length === 0, 'no job is left')
  expect(await runnerIds(database)).toHaveLength(1)
})

test('the jobs of a frozen worker run elsewhere; it is fenced when it goes on, and runs again', async () => {
  await using victim = startWorkerProcess(database.url, 3_000)
  await until(async () => (await runnerIds(database)).length === 1, 'it runs')
  const [frozenId] = await runnerIds(database)
  await addDeliveries(database, 20)
  await until(() => begun(victim).length === 20, 'it has begun')
  victim.kill('SIGSTOP')
  await using other = startWorkerProcess(database.url, 0)
  await until(() => begun(other, 'recorded').length === 20, 'the other one does all', 20_000)
  victim.kill('SIGCONT')
  await until(() => begun(victim, 'claim lost').length === 20, 'its tasks are fenced')
  expect(begun(victim, 'recorded')).toEqual([])
  expect(await countStates(database)).toEqual([{ state: 'succeeded', attempts: 1, count: 20 }])
  other.kill('SIGKILL')
  await until(async () => !(await runnerIds(database)).includes(frozenId as string), 'a new id')
  await addDeliveries(database, 5)
  await until(() => begun(victim, 'recorded').length === 5, 'it works again')
  await until(async () => (await jobs(database)).length === 0, 'no job is left')
  expect(victim.process.exitCode).toBeNull()
})

test('a worker cut off from Postgres is rescued, fenced, and works again when that heals', async () => {
  await using relay = await startRelayTo(database.url)
  await using victim = startWorkerProcess(relay.url, 3_000)
  await until(async () => (await runnerIds(database)).length === 1, 'it runs')
  await addDeliveries(database, 20)
  await until(() => begun(victim).length === 20, 'it has begun')
  relay.silence()
  await using other = startWorkerProcess(database.url, 0)
  await until(() => begun(other, 'recorded').length === 20, 'the other one does all', 20_000)
  other.kill('SIGKILL')
  relay.restore()
  await until(() => begun(victim, 'claim lost').length === 20, 'its tasks are fenced')
  expect(begun(victim, 'recorded')).toEqual([])
  await addDeliveries(database, 5)
  await until(() => begun(victim, 'recorded').length === 5, 'it works again')
  await until(async () => (await jobs(database)).length === 0, 'no job is left')
})

test('a worker that was cut off for so short a while that nobody rescued it just goes on', async () => {
  await using relay = await startRelayTo(database.url)
  await using worker = startWorkerProcess(relay.url, 500)
  await until(async () => (await runnerIds(database)).length === 1, 'it runs')
  await addDeliveries(database, 20)
  await until(() => begun(worker).length === 20, 'it has begun')
  relay.silence()
  await until(async () => (await countLate(database, 3)) === 1, 'its heartbeat is late')
  relay.restore()
  await until(() => begun(worker, 'recorded').length === 20, 'it records all', 20_000)
  await until(async () => (await jobs(database)).length === 0, 'no job is left', 20_000)
  expect(await countStates(database)).toEqual([{ state: 'succeeded', attempts: 1, count: 20 }])
})

test('workers that were all cut off at once, as Postgres was away, take none of each other for dead', async () => {
  await using relay = await startRelayTo(database.url)
  await using worker = startWorkerProcess(relay.url, 0)
  await using other = startWorkerProcess(relay.url, 0)
  await until(async () => (await runnerIds(database)).length === 2, 'they run')
  relay.silence()
  await until(async () => (await countLate(database, 13)) === 2, 'both are overdue', 20_000)
  relay.restore()
  await addDeliveries(database, 40)
  await until(async () => (await jobs(database)).length === 0, 'they work again', 20_000)
  expect(worker.output() + other.output()).not.toContain('dead workers')
})

test('jobs go on within 15 s each of 20 times that Postgres drops every connection, and the process lives', async () => {
  await using worker = startWorkerProcess(database.url, 5)
  await until(async () => (await runnerIds(database)).length === 1, 'it runs')
  let count = 0
  for (let round = 0; round < 20; round++) {
    count += (await addDeliveries(database, 200)).length
    await until(async () => (await countPending(database)) < 180, `it works in round ${round}`)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  await until(async () => (await jobs(database)).length === 0, 'it does all')
  expect(worker.process.exitCode).toBeNull()
  expect(worker.output()).not.toMatch(/[Uu]nhandled/)
  expect(await countStates(database)).toEqual([{ state: 'succeeded', attempts: 1, count }])
}, 120_000)
