import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { releaseJobsOfDeadPools, watchPools } from '../../src/worker/pool-liveness.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const logger = createLogger('silent')
let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('the jobs of a living pool stay with it', async () => {
  await using liveness = watchPools(database.url, database.pool, logger)
  await liveness.register('pool-a')
  await lockJob('pool-a')
  expect(await releaseJobsOfDeadPools(database.pool, logger)).toEqual([])
  expect(await lockedBy()).toBe('pool-a')
})

test('the jobs of a pool whose process is gone are given back, once', async () => {
  await database.pool.query(`insert into posthorn.worker_pools (id) values ('pool-dead')`)
  await lockJob('pool-dead')
  const released = await Promise.all([
    releaseJobsOfDeadPools(database.pool, logger),
    releaseJobsOfDeadPools(database.pool, logger),
  ])
  expect(released.flat()).toEqual(['pool-dead'])
  expect(await lockedBy()).toBeNull()
})

test('a pool whose connection broke takes its lock again, and keeps its jobs', async () => {
  await using liveness = watchPools(database.url, database.pool, logger)
  await liveness.register('pool-b')
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'posthorn-pool-liveness' and datname = current_database()`,
  )
  await until(async () => (await holders()) === 1, 'the lock is held again')
  await lockJob('pool-b')
  expect(await releaseJobsOfDeadPools(database.pool, logger)).toEqual([])
})

test('a pool that was abandoned gives its jobs back although its process lives', async () => {
  await using liveness = watchPools(database.url, database.pool, logger)
  await liveness.register('pool-c')
  await lockJob('pool-c')
  await liveness.abandon()
  await until(async () => (await lockedBy()) === null, 'its job is given back')
})

async function lockJob(pool: string): Promise<void> {
  await database.pool.query(`select graphile_worker.add_job('deliver', job_key := 'k')`)
  await database.pool.query(
    'update graphile_worker._private_jobs set locked_by = $1, locked_at = now()',
    [pool],
  )
}

async function lockedBy(): Promise<string | null> {
  const { rows } = await database.pool.query('select locked_by from graphile_worker.jobs')
  return rows[0].locked_by
}

async function holders(): Promise<number> {
  const { rows } = await database.pool.query(
    `select count(*)::int as n from pg_locks
     where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows[0].n
}
