import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createFetchJobs } from '../../src/worker/fetch-jobs.ts'
import { openQueuePool } from '../../src/worker/queue-pool.ts'
import { createTestDatabase } from '../support/database.ts'

const LIMIT = 10

let database: Database
let taskId: number

beforeEach(async () => {
  database = await createTestDatabase()
  const { rows } = await database.pool.query(
    `select id from graphile_worker._private_tasks where identifier = 'deliver'`,
  )
  taskId = rows[0].id
})
afterEach(async () => await database[Symbol.asyncDispose]())

/** As graphile-worker asks. What it would run is replaced. */
const fetching = () => ({
  name: `get_job${LIMIT}/graphile_worker`,
  text: '',
  values: ['worker', [taskId]],
})

/** Fetches by a clock; answers the ids of the jobs. */
function createFetcher(now: () => number): () => Promise<string[]> {
  const fetchJobs = createFetchJobs(now)
  return async () => {
    const result = await fetchJobs(fetching(), (asked) => database.pool.query(asked))
    return (result?.rows ?? []).map(({ id }) => id)
  }
}

/** Adds a job; answers its id. */
async function addJob(dueFor: string, priority = 0): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into graphile_worker._private_jobs (task_id, run_at, priority)
     values ($1, now() - $2::interval, $3) returning id`,
    [taskId, dueFor, priority],
  )
  return rows[0]?.id as string
}

test('what was due for long is taken when there is nothing else, and soon where there is', async () => {
  let clock = 0
  const fetched = createFetcher(() => clock)
  const first = await addJob('0 s')
  expect(await fetched()).toEqual([first])

  const old = await addJob('1 day')
  expect(await fetched()).toEqual([old])

  const older = await addJob('2 days')
  const urgent = await addJob('0 s', -1)
  const recent = await addJob('0 s')
  clock = 249
  expect(await fetched()).toEqual([recent])
  const next = await addJob('0 s')
  clock = 250
  expect(await fetched()).toEqual([urgent, older, next])
  expect(await fetched()).toEqual([])
})

test('while more is due than is taken at once, the oldest are taken first', async () => {
  const fetched = createFetcher(() => 0)
  expect(await fetched()).toEqual([])
  const old: string[] = []
  for (let i = 0; i < 2 * LIMIT; i++) old.push(await addJob(`${100 - i} s`))
  expect(await fetched()).toEqual(old.slice(0, LIMIT))
  const recent = await addJob('0 s')
  expect(await fetched()).toEqual(old.slice(LIMIT))
  expect(await fetched()).toEqual([recent])
})

test('a statement that fetches no jobs is left alone', () => {
  const fetchJobs = createFetchJobs()
  const refuse = () => Promise.reject(new Error('It was run.'))
  for (const asked of ['select 1', { text: 'select 1' }, { ...fetching(), name: 'complete_job/x' }])
    expect(fetchJobs(asked, refuse)).toBeNull()
})

test('what was moved to another time is not passed over by each fetch', async () => {
  const errors: unknown[] = []
  await using queue = openQueuePool(
    database.connections,
    (error) => errors.push(error),
    () => {},
  )
  const session = await queue.pool.connect()
  await session.query(
    `insert into graphile_worker._private_jobs (task_id, run_at)
     select $1, now() - interval '10 s' from generate_series(1, 20000)`,
    [taskId],
  )
  await session.query(`update graphile_worker._private_jobs set run_at = 'infinity'`)
  // All, and then only what is recent.
  for (let i = 0; i < 2; i++) expect((await session.query(fetching())).rows).toEqual([])

  await addJob('0 s')
  expect(await pagesRead(session, `${fetching().name}/recent`)).toBeLessThan(50)
  session.release()
  expect(errors).toEqual([])
})

test('taking a job waits for no disk, and what follows on the connection does', async () => {
  const session = await database.pool.connect()
  await session.query(`
    create table waits (setting text);
    create function note_wait() returns trigger language plpgsql as $$
    begin
      insert into waits values (current_setting('synchronous_commit'));
      return null;
    end $$;
    create constraint trigger note_wait after update on graphile_worker._private_jobs
      deferrable initially deferred for each row execute function note_wait()`)
  const fetchJobs = createFetchJobs()
  const job = await addJob('0 s')
  const result = await fetchJobs(fetching(), (asked) => session.query(asked))
  expect(result?.rows.map(({ id }) => id)).toEqual([job])
  await session.query('update graphile_worker._private_jobs set priority = 1 where id = $1', [job])
  session.release()
  const { rows } = await database.pool.query('select setting from waits')
  expect(rows).toEqual([{ setting: 'off' }, { setting: 'on' }])
})

/** How many pages a statement that fetches reads for one job, where the session has prepared it. */
async function pagesRead(session: pg.PoolClient, name: string): Promise<number> {
  const { rows } = await session.query(
    `explain (analyze, buffers, format json) execute "${name}" ('worker', '{${taskId}}')`,
  )
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  expect(plan['Actual Rows']).toBe(1)
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
