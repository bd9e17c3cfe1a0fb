import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { startWorker } from '../../src/worker/runner.ts'
import type { Tasks } from '../../src/worker/task-runs.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const idle = async () => {}

let database: Database
let delivered: string[]

beforeEach(async () => {
  database = await createTestDatabase()
  delivered = []
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

test('a worker whose later fetch broke off takes jobs as it is', async () => {
  await using _worker = await start()
  await addJob('dlv_1')
  await until(() => delivered.length > 0, 'it takes a job')
  const pools = await poolIds()
  const release = await lock('_private_jobs')
  await breakOffFetching()
  await release()
  await addJob('dlv_2')
  await until(() => delivered.length > 1, 'it takes the next')
  expect(delivered).toEqual(['dlv_1', 'dlv_2'])
  expect(await poolIds()).toEqual(pools)
})

function start() {
  const tasks: Tasks = {
    async deliver({ deliveryId }) {
      delivered.push(deliveryId)
    },
    release_waiting_deliveries: idle,
    cancel_deliveries: idle,
    recover_deliveries: idle,
    maintain: idle,
    sweep_orphans: idle,
    keep_up: idle,
  }
  const logger = createLogger('silent')
  return startWorker(database, tasks, { concurrency: 2, logger, onStopping() {} })
}

async function addJob(deliveryId: string): Promise<void> {
  await database.pool.query(`select graphile_worker.add_job('deliver', $1)`, [{ deliveryId }])
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
async function breakOffFetching(): Promise<void> {
  await until(async () => {
    const { rowCount } = await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'posthorn' and wait_event_type = 'Lock'`,
    )
    return rowCount === 1
  }, 'the worker waits for the lock')
}

async function poolIds(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>('select id from posthorn.worker_pools')
  return rows.map(({ id }) => id)
}
