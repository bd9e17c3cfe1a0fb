import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { unappliedMigrations } from '../../../src/db/migrate/migrations.ts'
import { testEnvironment } from '../../support/app.ts'
import { catalogueOf, createBlankDatabase } from '../../support/blank-database.ts'
import { makeUsual } from '../../support/hostile-database.ts'
import { needs } from '../../support/left-out.ts'
import { type PgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { runPosthorn, startPosthorn } from '../../support/posthorn-process.ts'
import { until } from '../../support/until.ts'

let database: Database

beforeEach(async () => {
  database = await createBlankDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('a database in another encoding is rejected with the command to create a UTF8 one', async () => {
  await using latin = await createBlankDatabase(`encoding 'LATIN1' locale 'C' template template0`)
  await expect(migrate(latin.pool)).rejects.toThrow(
    /encoded in UTF8; this one is LATIN1\. Create one with `create database .* encoding 'UTF8'/,
  )
  expect(await catalogueOf(latin)).toEqual(await catalogueOf(database))
})

describe('a transaction pooler', needs('pgbouncer'), () => {
  let pooler: PgBouncer | undefined

  afterEach(async () => {
    await pooler?.[Symbol.asyncDispose]()
    pooler = undefined
  })

  test.each([
    ['that reuses the last backend', {}],
    ['with round-robin backends', { server_round_robin: 1 }],
    ['with a single backend', { default_pool_size: 1 }],
  ])('%s is rejected with the remedy, and nothing is changed', async (_which, settings) => {
    pooler = await transactionPooler(settings)
    const before = await catalogueOf(database)
    const { code, stderr } = await runPosthorn(['migrate'], {
      environment: testEnvironment(pooler.url),
    })
    expect(stderr).toMatch(/^error: DATABASE_URL leads through a transaction pooler\. .*direct/)
    expect(stderr).toContain('POSTHORN_DIRECT_DATABASE_URL to the direct connection')
    expect(stderr).toContain('session mode')
    expect(code).toBe(1)
    expect(await catalogueOf(database)).toEqual(before)
  })

  test('is accepted in session mode', async () => {
    pooler = await transactionPooler({ pool_mode: 'session' })
    await using process = startPosthorn(['start'], {
      environment: { ...testEnvironment(pooler.url), POSTHORN_LOG_LEVEL: 'info' },
    })
    await until(() => process.stderr.includes('"ready"'), 'posthorn start is ready', 25_000)
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })

  test('is accepted for the API beside a direct connection to the same database', async () => {
    pooler = await transactionPooler({})
    const before = await catalogueOf(database)
    const { code, stderr } = await migrateThrough(pooler.url, pooler.url)
    expect(stderr).toMatch(
      /^error: POSTHORN_DIRECT_DATABASE_URL leads through a transaction pooler/,
    )
    expect(code).toBe(1)
    expect(await catalogueOf(database)).toEqual(before)
    expect(await migrateThrough(pooler.url, database.url)).toMatchObject({ code: 0 })
    expect(await unappliedMigrations(database.pool)).toEqual([])
  })

  async function migrateThrough(poolerUrl: string, directUrl: string) {
    const environment = { ...testEnvironment(poolerUrl), POSTHORN_DIRECT_DATABASE_URL: directUrl }
    return await runPosthorn(['migrate'], { environment })
  }

  async function transactionPooler(settings: Record<string, string | number>): Promise<PgBouncer> {
    await makeUsual(database)
    return await startPgBouncer(database.url, { pool_mode: 'transaction', ...settings })
  }
})
