import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import { unappliedMigrations } from '../../../src/db/migrate/migrations.ts'
import { WORKER_RELEASE } from '../../../src/queue/worker-schema.ts'
import { testEnvironment } from '../../support/app.ts'
import { catalogueOf, createBlankDatabase } from '../../support/blank-database.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startHostWorker } from '../../support/host-worker.ts'
import { runPosthorn } from '../../support/posthorn-process.ts'

let database: Database

beforeEach(async () => {
  database = await createBlankDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

describe("a host application's graphile-worker in Posthorn's schema", () => {
  test('equal: Posthorn shares it and stops no worker', async () => {
    await using host = await startHostWorker(database, 'graphile-worker', 'graphile_worker')
    expect(await posthorn('migrate')).toMatchObject({ code: 0 })
    await host.runsJobs()
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })

  test('older: Posthorn rejects it and stops no worker, and its remedy works: a schema of its own', async () => {
    const version = 'graphile-worker-0.16'
    await using host = await startHostWorker(database, version, 'graphile_worker')
    await expectRefused(
      await posthorn('migrate', '--restart-other-workers'),
      /graphile_worker has graphile-worker at revision 18.*Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own/,
    )
    await host.runsJobs()
    const own = { POSTHORN_WORKER_SCHEMA: 'posthorn_worker' }
    const { code, stderr } = await posthornWith(own, 'migrate', '--restart-other-workers')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await host.ended).toBe(57)
    await using restarted = await startHostWorker(database, version, 'graphile_worker')
    expect((await posthornWith(own, 'migrate')).stdout).toBe('The database is up to date.\n')
    await restarted.runsJobs()
  })
})

describe.each([
  ['older', 'graphile-worker-0.16'],
  ['equal', 'graphile-worker'],
] as const)("a host application's graphile-worker in another schema, %s", (_age, version) => {
  test('Posthorn stops it only with the flag, and it can run again next to Posthorn', async () => {
    await using host = await startHostWorker(database, version, 'jobs_of_app')
    await expectRefused(
      await posthorn('migrate'),
      /installed in the schema graphile_worker, which stops the workers of jobs_of_app.*--restart-other-workers/,
    )
    await expectRefused(await posthorn('start'), /--restart-other-workers/)
    await host.runsJobs()
    expect(await posthorn('migrate', '--restart-other-workers')).toMatchObject({ code: 0 })
    expect(await host.ended).toBe(57)
    await using restarted = await startHostWorker(database, version, 'jobs_of_app')
    expect((await posthorn('migrate')).stdout).toBe('The database is up to date.\n')
    await restarted.runsJobs()
  })
})

test("another program's schema of this name is rejected with the remedy", async () => {
  await database.pool.query(
    'create schema graphile_worker; create table graphile_worker.migrations (version text)',
  )
  await expectRefused(
    await posthorn('migrate'),
    /The schema graphile_worker is not empty and has no graphile-worker tables.*Set POSTHORN_WORKER_SCHEMA/,
  )
})

describe('the schema that Posthorn created', () => {
  beforeEach(async () => {
    await database[Symbol.asyncDispose]()
    database = await createTestDatabase()
  })

  test('is migrated by a later version, and not by an earlier one', async () => {
    const { revision } = WORKER_RELEASE
    await database.pool.query('delete from graphile_worker.migrations where id = $1', [revision])
    expect(await posthorn('migrate')).toMatchObject({ code: 0, stderr: '' })
    const { rows } = await database.pool.query(
      'select max(id) as revision from graphile_worker.migrations',
    )
    expect(rows).toEqual([{ revision }])
    // It breaks no worker.
    await database.pool.query('insert into graphile_worker.migrations (id) values ($1)', [
      revision + 1,
    ])
    await expectRefused(await posthorn('migrate'), /Run the version of Posthorn that migrated it\./)
  })

  test('is migrated only with the flag if that stops workers of another schema', async () => {
    const { breaking } = WORKER_RELEASE
    const lastBreaking = Math.max(...breaking)
    // All migrations from this one on can run a second time.
    await database.pool.query('delete from graphile_worker.migrations where id >= $1', [
      lastBreaking,
    ])
    await using host = await startHostWorker(database, 'graphile-worker', 'jobs_of_app')
    await expectRefused(
      await posthorn('migrate'),
      /migrated in the schema graphile_worker, which stops the workers of jobs_of_app.*--restart-other-workers/,
    )
    await host.runsJobs()
    expect(await posthorn('migrate', '--restart-other-workers')).toMatchObject({ code: 0 })
    expect(await host.ended).toBe(57)
  })
})

type Result = Awaited<ReturnType<typeof runPosthorn>>

let before: unknown

async function posthorn(...args: string[]): Promise<Result> {
  return await posthornWith({}, ...args)
}

async function posthornWith(settings: Record<string, string>, ...args: string[]): Promise<Result> {
  before = await catalogueOf(database)
  const environment = { ...testEnvironment(database.url), ...settings }
  return await runPosthorn(args, { environment })
}

/** The command printed one line with the remedy, and the database is unchanged. */
async function expectRefused({ code, stderr }: Result, message: RegExp): Promise<void> {
  expect(stderr).toMatch(message)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(code).toBe(1)
  expect(await catalogueOf(database)).toEqual(before)
}
