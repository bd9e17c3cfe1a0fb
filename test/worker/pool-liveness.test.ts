import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { giveBackJobsOfDeadPools } from '../../src/worker/give-back.ts'
import { watchPools } from '../../src/worker/pool-liveness.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const logger = createLogger('silent')
let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('whatever is asked at once, its connection gets one statement after the other', async () => {
  // Where statements wait for each other on one connection pg warns, once in a process: so this comes first.
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  await using liveness = watchPools({ databaseUrl: database.url, logger })
  const ids = Array.from({ length: 10 }, (_, pool) => `pool-${pool}`)
  await Promise.all(ids.map((id) => liveness.register(id)))
  expect(await holders()).toBe(ids.length)
  await Promise.all(ids.map((id) => liveness.forget(id)))
  expect(await holders()).toBe(0)
  expect(warnings).toEqual([])
})

test('the jobs of a living pool stay with it', async () => {
  await using liveness = watchPools({ databaseUrl: database.url, logger })
  await liveness.register('pool-a')
  await lockJob('pool-a')
  expect(await giveBackJobsOfDeadPools(database.pool, ['pool-a'])).toEqual([])
  expect(await lockedBy()).toBe('pool-a')
})

test('the jobs of a pool whose process is gone are given back, once', async () => {
  await database.pool.query(`insert into posthorn.worker_pools (id) values ('pool-dead')`)
  await lockJob('pool-dead')
  const released = await Promise.all([
    giveBackJobsOfDeadPools(database.pool, ['pool-dead']),
    giveBackJobsOfDeadPools(database.pool, ['pool-dead']),
  ])
  expect(released.flat()).toEqual(['pool-dead'])
  expect(await lockedBy()).toBeNull()
})

test('a pool that was wrongly taken for killed cannot complete what was given back', async () => {
  await database.pool.query(`insert into posthorn.worker_pools (id) values ('pool-slow')`)
  await lockJob('pool-slow')
  const { rows } = await database.pool.query('select id from graphile_worker.jobs')
  await giveBackJobsOfDeadPools(database.pool, ['pool-slow'])
  await database.pool.query('select graphile_worker.complete_jobs($1)', [rows.map(({ id }) => id)])
  expect(await lockedBy()).toBeNull()
})

test('a job that was replaced while it ran goes with the pool that ran it', async () => {
  await database.pool.query(`insert into posthorn.worker_pools (id) values ('pool-dead')`)
  await lockJob('pool-dead')
  await database.pool.query(`select graphile_worker.add_job('deliver', job_key := 'k')`)
  await giveBackJobsOfDeadPools(database.pool, ['pool-dead'])
  const { rows } = await database.pool.query('select key, locked_by from graphile_worker.jobs')
  expect(rows).toEqual([{ key: 'k', locked_by: null }])
})

test('whoever lives gives back what a killed pool held', async () => {
  await using _liveness = watchPools({ databaseUrl: database.url, logger })
  await database.pool.query(`insert into posthorn.worker_pools (id) values ('pool-dead')`)
  await lockJob('pool-dead')
  await until(async () => (await lockedBy()) === null, 'its job is given back', 10_000)
})

test('a pool whose connection broke takes its lock again, and keeps its jobs', async () => {
  await using liveness = watchPools({ databaseUrl: database.url, logger })
  await using _other = watchPools({ databaseUrl: database.url, logger })
  await liveness.register('pool-b')
  await lockJob('pool-b')
  // Waits until they have ended, and let go of their locks.
  await database.pool.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = 'posthorn-pool-liveness' and datname = current_database()`,
  )
  await until(async () => (await holders()) === 1, 'the lock is held again')
  expect(await giveBackJobsOfDeadPools(database.pool, ['pool-b'])).toEqual([])
  expect(await lockedBy()).toBe('pool-b')
})

test('a living pool that counted as killed is told so', async () => {
  const lost: string[] = []
  await using liveness = watchPools({
    databaseUrl: database.url,
    logger,
    onLost: (poolId) => lost.push(poolId),
  })
  await liveness.register('pool-c')
  await database.pool.query('delete from posthorn.worker_pools')
  expect(lost).toEqual([])
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'posthorn-pool-liveness' and datname = current_database()`,
  )
  await until(() => lost.length > 0, 'it is told')
  expect(lost).toEqual(['pool-c'])
})

test('a pool that is forgotten gives its jobs back although its process lives', async () => {
  await using liveness = watchPools({ databaseUrl: database.url, logger })
  await liveness.register('pool-c')
  await lockJob('pool-c')
  await liveness.forget('pool-c')
  await until(async () => (await lockedBy()) === null, 'its job is given back', 10_000)
})

test('a pool that took its lock from two sides at once lets go of it', async () => {
  const liveness = watchPools({ databaseUrl: database.url, logger })
  // It looks each second, and registers just then.
  for (let pool = 0; pool < 100; pool++) {
    const id = `pool-${pool}`
    await Promise.all([liveness.register(id), liveness.register(`${id}-too`)])
    await Promise.all([liveness.forget(id), liveness.forget(`${id}-too`)])
  }
  expect(await holders()).toBe(0)
  await liveness[Symbol.asyncDispose]()
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
