import { describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { unappliedMigrations } from '../../../src/db/migrate/migrations.ts'
import { WORKER_REVISION } from '../../../src/queue/worker-schema.ts'
import { catalogueOf, createBlankDatabase } from '../../support/blank-database.ts'
import { createTestDatabase } from '../../support/database.ts'
import { hostUrl } from '../../support/host-url.ts'

/** A host application installs its graphile-worker in Posthorn's schema. */
async function installForHost(url: string, packageName: string): Promise<void> {
  const { runMigrations } = (await import(packageName)) as typeof import('graphile-worker')
  await runMigrations({ connectionString: hostUrl(url), schema: 'graphile_worker' })
}

describe('the graphile_worker schema of another program', () => {
  test('is shared with the same revision', async () => {
    await using database = await createBlankDatabase()
    await installForHost(database.url, 'graphile-worker')
    await migrate(database.pool)
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })

  const old = ({ url }: Database) => installForHost(url, 'graphile-worker-0.16')
  const strange = ({ pool }: Database) =>
    pool.query('create schema graphile_worker; create table graphile_worker.migrations (n text)')
  test.each<[string, (database: Database) => Promise<unknown>, string]>([
    ['an older revision', old, 'has graphile-worker at revision 18'],
    ['tables of others', strange, 'is not empty and has no graphile-worker tables'],
  ])('is rejected with %s, and the remedy works: a schema of its own', async (_, fill, why) => {
    await using database = await createBlankDatabase()
    await fill(database)
    const before = await catalogueOf(database)
    await expect(migrate(database.pool)).rejects.toThrow(
      new RegExp(
        `graphile_worker ${why}.*Set POSTHORN_WORKER_SCHEMA to a schema of Posthorn's own`,
      ),
    )
    expect(await catalogueOf(database)).toEqual(before)
    await migrate(database.pool, { workerSchema: 'posthorn_worker' })
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })
})

test('the schema that Posthorn created is migrated by a later version, and not by an earlier one', async () => {
  await using database = await createTestDatabase()
  const { pool } = database
  await pool.query('delete from graphile_worker.migrations where id = $1', [WORKER_REVISION])
  await migrate(pool)
  const { rows } = await pool.query('select max(id) as revision from graphile_worker.migrations')
  expect(rows).toEqual([{ revision: WORKER_REVISION }])
  await pool.query('insert into graphile_worker.migrations (id) values ($1)', [WORKER_REVISION + 1])
  await expect(migrate(pool)).rejects.toThrow(/Run the version of Posthorn that migrated it\./)
})
