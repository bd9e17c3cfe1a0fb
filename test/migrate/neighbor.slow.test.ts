import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { unappliedMigrations } from '../../src/migrate/migrations.ts'
import { WORKER_RELEASE } from '../../src/queue/worker-revision.ts'
import { testEnvironment } from '../support/app.ts'
import { catalogueOf, createBlankDatabase } from '../support/blank-database.ts'
import { createTestDatabase } from '../support/database.ts'
import { startHostWorker } from '../support/host-worker.ts'
import { runPosthorn } from '../support/posthorn-process.ts'

let database: Database

beforeEach(async () => {
  database = await createBlankDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

/** Replaces the blank database with one that Posthorn has migrated. */
async function useMigratedDatabase(): Promise<void> {
  await database[Symbol.asyncDispose]()
  database = await createTestDatabase()
}

describe("a host application's graphile-worker in Posthorn's schema", () => {
  test('older: Posthorn rejects it with the remedy and stops no worker', async () => {
    await using host = await startHostWorker(database, 'graphile-worker-0.16', 'graphile_worker')
    await expectRefused(
      await posthorn('migrate', '--restart-other-workers'),
      /graphile_worker has graphile-worker at revision 18.*Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own/,
    )
    await host.runsJobs()
  })

  test('equal: Posthorn shares it and stops no worker', async () => {
    await using host = await startHostWorker(database, 'graphile-worker', 'graphile_worker')
    expect(await posthorn('migrate')).toMatchObject({ code: 0 })
    await host.runsJobs()
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })

  test('the remedy works: Posthorn is installed in a schema of its own', async () => {
    await using host = await startHostWorker(database, 'graphile-worker-0.16', 'graphile_worker')
    const own = { POSTHORN_WORKER_SCHEMA: 'posthorn_worker' }
    const { code, stderr } = await posthornWith(own, 'migrate', '--restart-other-workers')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await host.ended).toBe(57)
    await using restarted = await startHostWorker(
      database,
      'graphile-worker-0.16',
      'graphile_worker',
    )
    expect((await posthornWith(own, 'migrate')).stdout).toBe('The database is up to date.\n')
    await restarted.runsJobs()
  })
})

describe.each([
  ['older', 'graphile-worker-0.16'],
  ['equal', 'graphile-worker'],
] as const)("a host application's graphile-worker in another schema, %s", (_age, version) => {
  test('Posthorn does not stop it, names the flag, and changes nothing', async () => {
    await using host = await startHostWorker(database, version, 'jobs_of_app')
    await expectRefused(
      await posthorn('migrate'),
      /installed in the schema graphile_worker, which stops the workers of jobs_of_app.*--restart-other-workers/,
    )
    await expectRefused(await posthorn('start'), /--restart-other-workers/)
    await host.runsJobs()
  })

  test('with the flag its workers stop, and can run again next to Posthorn', async () => {
    await using host = await startHostWorker(database, version, 'jobs_of_app')
    expect(await posthorn('migrate', '--restart-other-workers')).toMatchObject({ code: 0 })
    expect(await host.ended).toBe(57)
    await using restarted = await startHostWorker(database, version, 'jobs_of_app')
    expect((await posthorn('migrate')).stdout).toBe('The database is up to date.\n')
    await restarted.runsJobs()
  })
})

describe('a schema of this name that graphile-worker did not create', () => {
  test("another program's schema is rejected with the remedy", async () => {
    await database.pool.query(
      'create schema graphile_worker; create table graphile_worker.migrations (version text)',
    )
    await expectRefused(
      await posthorn('migrate'),
      /The schema graphile_worker is not empty and has no graphile-worker tables.*Set POSTHORN_WORKER_SCHEMA/,
    )
  })
})

describe('the schema that Posthorn created', () => {
  beforeEach(useMigratedDatabase)

  test('is migrated by a later version', async () => {
    const { revision } = WORKER_RELEASE
    await database.pool.query('delete from graphile_worker.migrations where id = $1', [revision])
    const { code, stderr } = await posthorn('migrate')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await revisionOf('graphile_worker')).toBe(revision)
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

  test('is not migrated by a version older than the one that migrated it', async () => {
    await simulateNewerRevision('graphile_worker')
    await expectRefused(await posthorn('migrate'), /Run the version of Posthorn that migrated it\./)
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

/** Records a non-breaking migration of a newer graphile-worker in the schema. */
async function simulateNewerRevision(schema: string): Promise<{ revision: number }> {
  const revision = WORKER_RELEASE.revision + 1
  await database.pool.query(`insert into ${schema}.migrations (id) values ($1)`, [revision])
  return { revision }
}

async function revisionOf(schema: string): Promise<number> {
  const { rows } = await database.pool.query(`select max(id) as revision from ${schema}.migrations`)
  return rows[0].revision
}
