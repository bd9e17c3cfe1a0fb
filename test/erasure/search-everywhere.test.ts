import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { filesAfterVacuum, filesWith, tablesWith } from './search-everywhere.ts'

/* What the other tests search with finds a marker that is left on purpose. */

let database: Database
let marker: string

beforeAll(async () => {
  database = await createTestDatabase()
  marker = `left-${randomUUID()}@example.org`
  // Autovacuum would remove what a test is about to find.
  await database.pool.query(
    'create table posthorn.places (id int, content text, bytes bytea) with (autovacuum_enabled = off)',
  )
  await database.pool.query('alter table posthorn.places alter content set storage external')
})
afterAll(() => database[Symbol.asyncDispose]())

const run = (text: string, values: unknown[] = []) => database.pool.query(text, values)
const inTables = () => tablesWith(database.pool, marker)
const inFiles = () => filesWith(database.pool, marker)
const inFilesAfterVacuum = () => filesAfterVacuum(database.pool, marker)

test('in a row, and in the dead row until a vacuum', async () => {
  await run('insert into posthorn.places values (1, $1)', [marker])
  expect([await inTables(), await inFiles()]).toEqual([['posthorn.places'], ['places']])
  await run('update posthorn.places set content = null')
  expect([await inTables(), await inFiles()]).toEqual([[], ['places']])
  expect([await inTables(), await inFilesAfterVacuum()]).toEqual([[], []])
})

test('in bytes', async () => {
  await run('insert into posthorn.places values (1, null, $1)', [Buffer.from(marker)])
  expect([await inTables(), await inFiles()]).toEqual([['posthorn.places'], ['places']])
  await clear()
})

test('in what is stored beside a large row (TOAST)', async () => {
  const large = 'x'.repeat(9_000) + marker
  await run('insert into posthorn.places values (1, $1)', [large])
  expect(await inTables()).toEqual(['posthorn.places'])
  await run('update posthorn.places set content = null')
  expect([await inTables(), await inFiles()]).toEqual([[], ['places']])
  await clear()
})

test('in an index', async () => {
  await run('create index places_content on posthorn.places (content)')
  await run('insert into posthorn.places values (1, $1)', [marker])
  expect(await inFiles()).toEqual(['places'])
  await run('drop index posthorn.places_content')
  await clear()
})

test('in a job', async () => {
  await run(`select posthorn.enqueue('deliver', json_build_object('name', $1::text), 'msg_left')`, [
    marker,
  ])
  expect((await inTables()).some((name) => name.startsWith('graphile_worker.'))).toBe(true)
  await run(`select graphile_worker.remove_job('msg_left')`)
  expect([await inTables(), await inFilesAfterVacuum()]).toEqual([[], []])
})

test('in the statistics of Postgres', async () => {
  await run('insert into posthorn.places select n, $1 from generate_series(1, 100) as n', [marker])
  await run('analyze posthorn.places')
  await run('update posthorn.places set content = null')
  expect(await inTables()).toEqual(['pg_catalog.pg_statistic'])
  await run('analyze posthorn.places')
  expect(await inTables()).toEqual([])
  await clear()
})

async function clear(): Promise<void> {
  await run('truncate posthorn.places')
  await run('analyze posthorn.places')
  expect([await inTables(), await inFilesAfterVacuum()]).toEqual([[], []])
}
