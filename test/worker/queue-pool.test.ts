import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Logger, runOnce } from 'graphile-worker'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { KEEP_PLANS_MS, openQueuePool } from '../../src/worker/queue-pool.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const WAITING = 20_000

let database: Database
let errors: Error[]

beforeEach(async () => {
  database = await createTestDatabase()
  errors = []
})
afterEach(async () => await database[Symbol.asyncDispose]())

test.each(['nothing', 'all'])(
  'a session that began while there were no jobs, of which %s was known, soon fetches and completes by index beside thousands',
  async (known) => {
    await using queue = openQueue()
    const statements = await statementsOfWorker(queue.pool)
    await database.pool.query('delete from graphile_worker._private_jobs')
    if (known === 'all') await database.pool.query('vacuum (analyze) graphile_worker._private_jobs')
    const before = await queue.pool.connect()
    for (const statement of statements) await before.query(statement)
    before.release()
    await sleep(KEEP_PLANS_MS)

    await addJobs(WAITING, 'infinity')
    await addJobs(2, 'now')
    const session = await queue.pool.connect()
    expect(session).toBe(before)
    for (const statement of statements) {
      // What was counted before is told to the server, and forgotten here.
      await session.query('select pg_stat_force_next_flush()')
      await session.query('begin')
      await session.query(statement)
      expect(await rowsRead(session), statement.text).toBeLessThan(10)
      await session.query('rollback')
    }
    session.release()
    expect(errors).toEqual([])
  },
)

test('jobs are fetched in the order of an index, whose plan is made once', async () => {
  await using queue = openQueue()
  const statements = await statementsOfWorker(queue.pool)
  const fetching = statements.find(({ name }) => name?.startsWith('get_job')) as pg.QueryConfig
  await addJobs(WAITING, 'now')
  const session = await queue.pool.connect()
  for (let i = 0; i < 3; i++) await session.query({ ...fetching, name: 'fetching' })
  const { rows } = await session.query(
    `select generic_plans::int, custom_plans::int from pg_prepared_statements where name = 'fetching'`,
  )
  expect(rows).toEqual([{ generic_plans: 3, custom_plans: 0 }])
  const plan = await session.query('explain execute fetching (null, null)')
  expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
    /Limit.*\n.*LockRows.*\n.*Index Scan using jobs_\w+ on _private_jobs/,
  )
  session.release()
  expect(errors).toEqual([])
})

test('of a job that is fetched only what is looked at is asked for, and it fails and is tried again as ever', async () => {
  await using queue = openQueue()
  await addJobs(1, 'now')
  const seen: object[] = []
  const run = () =>
    runOnce({
      pgPool: queue.pool,
      logger: new Logger(() => () => {}),
      taskList: {
        deliver(_payload, { job }) {
          seen.push({ ...job })
          if (job.attempts < 2) throw new Error('Not yet.')
        },
      },
      preset: { worker: { localQueue: { size: 800 }, concurrentJobs: 400 } },
    })
  await run()
  await until(async () => {
    const { rowCount } = await database.pool.query(
      'update graphile_worker._private_jobs set run_at = now() where locked_by is null',
    )
    return rowCount === 1
  }, 'it may be tried again')
  await run()
  await until(async () => (await jobsLeft()) === 0, 'it is done')
  const fetched = {
    id: expect.any(String),
    task_id: expect.any(Number),
    task_identifier: 'deliver',
    job_queue_id: null,
    payload: {},
    max_attempts: 25,
  }
  expect(seen).toEqual([
    { ...fetched, attempts: 1 },
    { ...fetched, attempts: 2 },
  ])
  expect(errors).toEqual([])
})

test('jobs are taken in their order, up to the size of the queue, and none of a named queue', async () => {
  await using queue = openQueue()
  await addJobs(3, 'now')
  await database.pool.query(
    `update graphile_worker._private_jobs set run_at = now() - id * interval '1 second';
     select graphile_worker.add_job('deliver', queue_name := 'somebody''s', run_at := now() - interval '1 day')`,
  )
  const seen: string[] = []
  await runOnce({
    pgPool: queue.pool,
    logger: new Logger(() => () => {}),
    taskList: { deliver: (_payload, { job }) => void seen.push(job.id) },
    preset: { worker: { localQueue: { size: 2 }, concurrentJobs: 1 } },
  })
  expect(seen).toHaveLength(3)
  expect(seen).toEqual(seen.toSorted((a, b) => Number(b) - Number(a)))
  await until(async () => (await jobsLeft()) === 1, 'those in no queue are done')
  expect(errors).toEqual([])
})

test('a connection is lent when it is prepared, so that two questions at once are no warning', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  await using queue = openQueue()
  const client = await queue.pool.connect()
  await Promise.all([client.query('listen jobs'), client.query('unlisten jobs')])
  client.release()
  await setImmediate()
  process.off('warning', warned)
  expect(warnings).toEqual([])
  expect(errors).toEqual([])
})

test('a question to the pool itself waits until its new connection is prepared, and is no warning', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  await using queue = openQueue()
  const { rows } = await queue.pool.query('show plan_cache_mode')
  expect(rows).toEqual([{ plan_cache_mode: 'force_generic_plan' }])
  await expect(queue.pool.query('select $1::int / 0', [1])).rejects.toThrow('division by zero')
  await setImmediate()
  process.off('warning', warned)
  expect(warnings).toEqual([])
  expect(errors).toEqual([])
})

test('a connection that breaks while it is prepared is not lent', async () => {
  await using queue = openQueue()
  queue.pool.once('connect', () => database.connections.breakOff())
  await expect(queue.pool.connect()).rejects.toThrow('Connection terminated')
  expect(errors).not.toEqual([])

  const client = await queue.pool.connect()
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  client.release()
})

test('graphile-worker that stops listening twice, as Postgres ends while it begins to, is no warning', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  await using queue = openQueue()
  const client = await queue.pool.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const stopListening = () => client.query('UNLISTEN "jobs:insert"; UNLISTEN "worker:migrate";')

  // It stops as its runner ends, and once more as listening fails.
  const again = client.query('listen jobs; select pg_sleep(60)').catch(stopListening)
  const stopped = stopListening()
  await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid])

  const results = await Promise.allSettled([stopped, again])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  client.release()
  await setImmediate()
  process.off('warning', warned)
  expect(warnings).toEqual([])
})

function openQueue() {
  return openQueuePool(
    database.connections,
    (error) => errors.push(error),
    () => {},
  )
}

async function addJobs(count: number, runAt: string): Promise<void> {
  await database.pool.query(
    `insert into graphile_worker._private_tasks (identifier) values ('deliver') on conflict do nothing`,
  )
  await database.pool.query(
    `insert into graphile_worker._private_jobs (task_id, run_at)
     select task.id, $2::timestamptz from graphile_worker._private_tasks as task, generate_series(1, $1)
     where task.identifier = 'deliver'`,
    [count, runAt],
  )
}

/** What graphile-worker asks while it runs three jobs: how it fetches and how it completes them. */
async function statementsOfWorker(pool: pg.Pool): Promise<pg.QueryConfig[]> {
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  await addJobs(3, 'now')
  await runOnce({
    pgPool: pool,
    taskList: { deliver: () => {} },
    preset: {
      worker: { localQueue: { size: 800 }, concurrentJobs: 400, completeJobBatchDelay: 0 },
    },
  })
  const statements = asked.mock.calls
    .map(([query]) => query as unknown as pg.QueryConfig)
    .filter(({ text }) => text?.includes('_private_jobs'))
  asked.mockRestore()
  const names = statements.map(({ name }) => name?.split('/')[0])
  expect(names).toContain('get_job800')
  expect(names.some((name) => name?.startsWith('complete_job'))).toBe(true)
  return statements
}

async function jobsLeft(): Promise<number | null> {
  const { rowCount } = await database.pool.query('select from graphile_worker._private_jobs')
  return rowCount
}

async function rowsRead(session: pg.PoolClient): Promise<number> {
  const { rows } = await session.query<{ n: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
     where schemaname = 'graphile_worker' and relname = '_private_jobs'`,
  )
  return rows[0]?.n as number
}
