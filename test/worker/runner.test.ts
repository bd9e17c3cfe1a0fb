import { once } from 'node:events'
import pg from 'pg'
import { v7 as uuidV7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { publicId } from '../../src/ids.ts'
import { createHandOver, type HandOver, type Places } from '../../src/queue/hand-over.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { startWorker } from '../../src/worker/runner.ts'
import type { Tasks } from '../../src/worker/task-runs.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const idle = async () => {}

let database: Database
let delivered: string[]
let handOver: HandOver

beforeEach(async () => {
  database = await createTestDatabase()
  delivered = []
  handOver = createHandOver()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('a worker whose first look at the tasks broke off begins anew, and takes jobs', async () => {
  const release = await lock('_private_tasks')
  await using _worker = await start()
  await until(async () => (await poolIds()).length > 0, 'it has shown itself')
  const pools = await poolIds()
  await breakOffFetching()
  await release()
  await addJob('dlv_1')
  await until(() => delivered.length > 0, 'it takes the job')
  expect(delivered).toEqual(['dlv_1'])
  expect(await poolIds()).not.toEqual(pools)
})

test('a worker whose later fetch was refused takes jobs as it is', async () => {
  await using _worker = await start()
  await addJob('dlv_1')
  await until(() => delivered.length > 0, 'it takes a job')
  const pools = await poolIds()
  const release = await lock('_private_jobs')
  await breakOffFetching('pg_cancel_backend')
  await release()
  await addJob('dlv_2')
  await until(() => delivered.length > 1, 'it takes the next')
  expect(delivered).toEqual(['dlv_1', 'dlv_2'])
  expect(await poolIds()).toEqual(pools)
})

test('a job that was taken while the connection broke is run, as the worker begins anew', async () => {
  await using _worker = await start()
  await addJob('dlv_1')
  await until(() => delivered.length > 0, 'it takes a job')
  const other = new pg.Client(database.url)
  await other.connect()
  await other.query('begin; lock table graphile_worker._private_jobs in share mode')
  await addJobLater(other, 'dlv_2')
  await until(async () => (await waitingFor(other)) > 0, 'it waits for the lock')
  // As seen from here: Postgres goes on with what waits.
  database.connections.breakOff()
  await other.query('commit')
  await other.end()
  await until(() => delivered.includes('dlv_2'), 'it is run')
  await until(async () => (await jobs()).length === 0, 'it is done')
  expect(delivered).toEqual(['dlv_1', 'dlv_2'])
})

describe('a job that a crash of Postgres has forgotten was taken', () => {
  test('is not run twice beside itself, and is gone when it is done', async () => {
    const held = Promise.withResolvers<void>()
    await using worker = await start(() => held.promise)
    await addJob('dlv_1')
    await until(() => delivered.length === 1, 'it runs')
    await forgetWhatIsTaken()
    await until(async () => (await takenJobs()).length === 1, 'it is taken again')
    held.resolve()
    await until(async () => (await jobs()).length === 0, 'it is done')
    expect(delivered).toEqual(['dlv_1'])
    expect(worker.running).toBe(true)
  })

  test('is still there where it was made the job of the next attempt meanwhile', async () => {
    const held = Promise.withResolvers<void>()
    await using _worker = await start(() => held.promise)
    await addJob('dlv_1')
    await until(() => delivered.length === 1, 'it runs')
    await forgetWhatIsTaken(`run_at = now() + interval '1 hour'`)
    held.resolve()
    await addJob('dlv_2')
    await until(() => delivered.length === 2, 'another one runs')
    await until(async () => (await jobs()).length === 1, 'that one is done')
    expect((await jobs())[0]?.payload).toEqual({ deliveryId: 'dlv_1' })
  })

  test('is given back with what runs it, where another shift has taken it again', async () => {
    {
      await using worker = await start(async (signal) => {
        if (signal?.aborted === false) await once(signal, 'abort')
        throw new Error('It was asked to stop.')
      })
      await addJob('dlv_1')
      await until(() => delivered.length === 1, 'it runs')
      const pools = await poolIds()
      await forgetWhatIsTaken(`run_at = now() + interval '1 hour'`)
      await countAsKilled()
      await until(async () => (await poolIds()).some((id) => !pools.includes(id)), 'another begins')
      await database.pool.query('update graphile_worker._private_jobs set run_at = now()')
      await until(async () => (await takenJobs()).length === 1, 'it is taken again')
      worker.hurry()
    }
    expect(await takenJobs()).toEqual([])
    expect((await jobs()).map(({ payload }) => payload)).toEqual([{ deliveryId: 'dlv_1' }])
  })
})

describe('jobs that are taken as they are made', () => {
  test('begin while there is room beside what is fetched, and are gone when they are done', async () => {
    const held = Promise.withResolvers<void>()
    await using _worker = await start(() => held.promise)
    const places = await reserve()
    // Of four workers, two are left to what is fetched.
    expect(places.count).toBe(2)
    await storeAndBegin(places)
    expect(delivered).toHaveLength(2)
    expect(handOver.reserve(1)).toBeNull()
    await addJob('dlv_1')
    await until(() => delivered.includes('dlv_1'), 'what is fetched has room')
    held.resolve()
    await until(async () => (await jobs()).length === 0, 'all are done')
    await until(() => handOver.reserve(10)?.count === 2, 'there is room again')
  })

  test('are given back where other jobs have all places by now', async () => {
    const held = Promise.withResolvers<void>()
    await using _worker = await start(() => held.promise)
    const places = await reserve()
    for (let i = 0; i < 3; i++) await addJob(`dlv_${i}`)
    await until(() => delivered.length === 3, 'those are fetched')
    const [, other] = await storeAndBegin(places)
    expect(delivered).toHaveLength(4)
    await until(async () => (await takenJobs()).length === 4, 'the other one is given back')
    expect((await jobs()).find(({ locked_at }) => !locked_at)?.payload).toEqual({
      deliveryId: other,
    })
    held.resolve()
    await until(() => delivered.includes(other as string), 'it is fetched')
  })

  test('are given back where the worker has ended', async () => {
    const worker = await start()
    const places = await reserve()
    await worker[Symbol.asyncDispose]()
    expect(handOver.reserve(1)).toBeNull()
    await storeAndBegin(places)
    await until(async () => (await takenJobs()).length === 0, 'they are given back')
    expect(await jobs()).toHaveLength(2)
    expect(delivered).toEqual([])
  })

  test('and that nobody was told of are found: the worker begins anew', async () => {
    await using worker = await start()
    const places = await reserve()
    await store(places)
    places.lose()
    await until(() => delivered.length === 2, 'they are run')
    await until(async () => (await jobs()).length === 0, 'they are done')
    expect(worker.running).toBe(true)
    expect((await reserve()).poolId).not.toBe(places.poolId)
  })
})

async function reserve(): Promise<Places> {
  let places: Places | null = null
  await until(() => {
    places = handOver.reserve(10)
    return places
  }, 'there is room')
  return places as unknown as Places
}

/** As many as there are places. */
async function store({ poolId, count }: Places): Promise<{ jobId: string; id: string }[]> {
  const ids = Array.from({ length: count }, () => uuidV7())
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into graphile_worker._private_jobs (task_id, payload, key, attempts, locked_by, locked_at)
     select task.id, json_build_object('deliveryId', key), key, 1, $2, now()
     from unnest($1::text[]) as key, graphile_worker._private_tasks as task where task.identifier = 'deliver'
     returning id`,
    [ids.map((id) => publicId('delivery', id)), poolId],
  )
  return ids.map((id, i) => ({ id, jobId: rows[i]?.id as string }))
}

/** Answers the public ids of the deliveries. */
async function storeAndBegin(places: Places): Promise<string[]> {
  const stored = await store(places)
  const rest = { organizationId: '', webhookId: '', revision: '1', body: '{}', traceParent: null }
  const taken = stored.map((delivery) => ({ ...delivery, ...rest }))
  places.begin(taken, performance.now())
  // They begin with the next tick.
  await new Promise((resolve) => setImmediate(resolve))
  return stored.map(({ id }) => publicId('delivery', id))
}

/** Its shift ends then, and another one begins. */
async function countAsKilled(): Promise<void> {
  await database.pool.query('delete from posthorn.worker_pools')
  const { rowCount } = await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'posthorn-pool-liveness'`,
  )
  expect(rowCount).toBe(1)
}

async function forgetWhatIsTaken(and = 'run_at = run_at'): Promise<void> {
  const { rowCount } = await database.pool.query(
    `update graphile_worker._private_jobs
     set locked_by = null, locked_at = null, attempts = attempts - 1, ${and} where locked_at is not null`,
  )
  expect(rowCount).toBe(1)
}

async function jobs(): Promise<{ payload: unknown; locked_at: Date | null }[]> {
  const { rows } = await database.pool.query(
    `select payload, locked_at from graphile_worker._private_jobs as job
     join graphile_worker._private_tasks as task on task.id = job.task_id and task.identifier = 'deliver'`,
  )
  return rows
}

async function takenJobs(): Promise<unknown[]> {
  return (await jobs()).filter(({ locked_at }) => locked_at !== null)
}

function start(run: (signal: AbortSignal | undefined) => Promise<void> = idle) {
  const tasks: Tasks = {
    async deliver({ deliveryId }, signal) {
      delivered.push(deliveryId)
      await run(signal)
    },
    release_waiting_deliveries: idle,
    cancel_deliveries: idle,
    recover_deliveries: idle,
    maintain: idle,
    sweep_orphans: idle,
    keep_up: idle,
  }
  const logger = createLogger('silent')
  return startWorker(database, tasks, {
    concurrency: 2,
    handOver,
    logger,
    onStopping() {},
  })
}

async function addJob(deliveryId: string): Promise<void> {
  await database.pool.query(`select graphile_worker.add_job('deliver', $1, job_key := $2)`, [
    { deliveryId },
    deliveryId,
  ])
}

/** Resolves to what lets go of the lock. */
async function lock(table: string): Promise<() => Promise<void>> {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query(`lock table graphile_worker.${table}`)
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** Not whoever looks for killed workers meanwhile, on a connection of another name. */
async function breakOffFetching(by = 'pg_terminate_backend'): Promise<void> {
  await until(async () => {
    const { rowCount } = await database.pool.query(
      `select ${by}(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'posthorn' and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  }, 'the worker waits for the lock')
}

/** In the transaction that is open. */
async function addJobLater(client: pg.Client, deliveryId: string): Promise<void> {
  await client.query(`select graphile_worker.add_job('deliver', $1, job_key := $2)`, [
    { deliveryId },
    deliveryId,
  ])
}

/** How many statements that fetch wait for a lock. */
async function waitingFor(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rowCount } = await client.query(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%with wanted%'`,
  )
  return rowCount ?? 0
}

async function poolIds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('select id from posthorn.worker_pools')
  return rows.map(({ id }) => id)
}
