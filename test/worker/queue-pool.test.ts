import { setImmediate } from 'node:timers/promises'
import { runOnce } from 'graphile-worker'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { openQueuePool } from '../../src/worker/queue-pool.ts'
import { createTestDatabase } from '../support/database.ts'

const WAITING = 20_000

let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('jobs are fetched and completed by index, whatever is known of a table in which thousands wait', async () => {
  const fail = (error: Error) => expect.fail(error.message)
  await using queue = openQueuePool(database.connections, fail)
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  await addJobs(3, 'now')
  await runOnce({
    pgPool: queue.pool,
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

  await addJobs(WAITING, 'infinity')
  for (const known of ['nothing', 'all']) {
    if (known === 'all') await database.pool.query('vacuum (analyze) graphile_worker._private_jobs')
    for (const { text, values } of statements) {
      expect(await planOf(queue.pool, text, values), `${known} is known`).not.toMatch(
        /Seq Scan on _private_jobs|Hash Join|Merge Join/,
      )
    }
  }
})

test('a connection is lent when it is prepared, so that two questions at once are no warning', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  await using queue = openQueuePool(database.connections, (error) => expect.fail(error.message))
  const client = await queue.pool.connect()
  await Promise.all([client.query('listen jobs'), client.query('unlisten jobs')])
  client.release()
  await setImmediate()
  process.off('warning', warned)
  expect(warnings).toEqual([])
})

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

async function planOf(pool: pg.Pool, text: string, values: unknown[] = []): Promise<string> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query(`explain ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    client.release()
  }
}
