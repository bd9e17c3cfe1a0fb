import { run, Logger as WorkerLogger } from 'graphile-worker'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { openRunnerPool } from '../../src/queue/runner-pool.ts'
import { countRows } from '../support/count-rows.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { serverVersion } from '../support/server-version.ts'
import { until } from '../support/until.ts'
import { addDeliveries } from './support/deliveries.ts'

/** As many as a worker claims at once. */
const BATCH = 1_000
const WAITING = 3 * BATCH

const database = useFreshDatabase()

test.each(['vacuum', 'analyze'])(
  'after %s of the empty queue, a worker that polled it claims and completes jobs with work for each job only',
  async (statement) => {
    // Before PostgreSQL 18, every plan is for no rows until the next vacuum, if the table kept its pages.
    if (statement === 'analyze' && (await serverVersion(database.pool)) < 18) return
    const runner = openRunnerPool(database, 'a runner', () => {})
    try {
      await pollEmptyQueue(runner.pool, statement)
      await addDeliveries(database, WAITING)
      const worked = await workOfKeptStatements(runner.pool)
      expect(worked.map(({ name }) => name.split('/')[0])).toEqual(
        expect.arrayContaining([`get_job${BATCH}`, 'complete_jobs']),
      )
      for (const { name, rows } of worked) {
        expect(rows, name).toBeGreaterThan(BATCH)
        expect(rows, name).toBeLessThan(20 * BATCH)
      }
    } finally {
      runner.destroy()
    }
  },
)

/** Lets a worker run some jobs, then poll the empty queue after the statement. */
async function pollEmptyQueue(pool: pg.Pool, statement: string): Promise<void> {
  const { done, stop } = await startWorker(pool)
  // Postgres keeps a plan from the sixth execution on.
  for (let i = 1; i <= 10; i++) {
    await addDeliveries(database, 10)
    await until(() => done() === 10 * i, 'the jobs are done')
  }
  await until(async () => (await jobCount()) === 0, 'the jobs are completed')
  await database.pool.query(statement)
  const { rows } = await database.pool.query('select clock_timestamp() as now')
  await until(() => hasPolledSince(rows[0].now), 'the worker has polled')
  await stop()
}

async function startWorker(pool: pg.Pool) {
  let count = 0
  const runner = await run({
    pgPool: pool,
    logger: new WorkerLogger(() => () => {}),
    noHandleSignals: true,
    parsedCronItems: [],
    taskList: {
      async 'posthorn:deliver'() {
        count += 1
      },
    },
    preset: {
      worker: {
        concurrentJobs: 10,
        localQueue: { size: BATCH },
        pollInterval: 50,
        // Completes several jobs with one statement.
        completeJobBatchDelay: 5,
      },
    },
  })
  async function stop(): Promise<void> {
    await runner.stop()
    await runner.promise
  }
  return { done: () => count, stop }
}

const jobCount = () => countRows(database.pool, 'graphile_worker.jobs')

const hasPolledSince = (time: Date) =>
  countRows(
    database.pool,
    `pg_stat_activity where application_name = 'a runner' and datname = current_database()
       and query_start > $1 and state = 'idle' and query ~ 'skip locked'`,
    [time],
  )

/** The rows that the statements read or compare that the sessions of a pool have prepared, each for a batch of jobs. */
async function workOfKeptStatements(pool: pg.Pool): Promise<{ name: string; rows: number }[]> {
  const sessions = await Promise.all(
    Array.from({ length: pool.totalCount }, async () => await pool.connect()),
  )
  const worked: { name: string; rows: number }[] = []
  for (const session of sessions) {
    const { rows: statements } = await session.query<{ name: string; types: string[] }>(
      'select name, parameter_types::text[] as types from pg_prepared_statements',
    )
    for (const { name, types } of statements) {
      const values = await Promise.all(types.map((type) => parameterOf(type)))
      if (values.includes(null) || types.length === 0) continue
      worked.push({ name, rows: await workOf(session, name, values as string[]) })
    }
    session.release()
  }
  return worked
}

/** A parameter of the statements that claim and complete jobs. */
async function parameterOf(type: string): Promise<string | null> {
  const all = async (column: string, from: string) =>
    (await database.pool.query(`select array(select ${column} from ${from})::text as value`))
      .rows[0].value
  if (type === 'text') return 'a worker'
  if (type === 'integer[]') return await all('n', 'generate_series(1, 100) as task (n)')
  if (type === 'bigint[]') return await all('id', `graphile_worker.jobs order by id limit ${BATCH}`)
  return null
}

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: PlanNode[]
}

/** Runs a prepared statement with the plan that its session kept, and rolls back its changes. */
async function workOf(session: pg.PoolClient, name: string, values: string[]): Promise<number> {
  await session.query('begin')
  const { rows } = await session.query(
    `explain (analyze, timing off, format json)
     execute ${session.escapeIdentifier(name)} (${values.map((value) => session.escapeLiteral(value)).join(', ')})`,
  )
  await session.query('rollback')
  const count = (node: PlanNode): number =>
    node['Actual Loops'] *
      (node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Join Filter'] ?? 0)) +
    (node.Plans ?? []).reduce((sum, plan) => sum + count(plan), 0)
  return count(rows[0]['QUERY PLAN'][0].Plan)
}
