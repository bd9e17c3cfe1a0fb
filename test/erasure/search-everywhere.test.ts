import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { useTestDatabase } from '../support/database.ts'
import { filesAfterVacuum, filesWith, STATISTICS, tablesWith } from './search-everywhere.ts'

/* What the other tests search with finds a marker that is left on purpose. */

const MARKER = `left-${randomUUID()}@example.org`

const database = await useTestDatabase()

beforeAll(async () => {
  // Autovacuum would remove what a test is about to find.
  await run(
    'create table posthorn.places (content text, bytes bytea) with (autovacuum_enabled = off)',
  )
  await run('alter table posthorn.places alter content set storage external')
  await run('create index places_content on posthorn.places (left(content, 99))')
})
afterEach(async () => {
  await run('truncate posthorn.places')
  await run('analyze posthorn.places')
  expect([await inTables(), await filesAfterVacuum(database.pool, MARKER)]).toEqual([[], []])
})

const run = (text: string, values: unknown[] = []) => database.pool.query(text, values)
const inTables = () => tablesWith(database.pool, MARKER)
const inFiles = () => filesWith(database.pool, MARKER)

test.each([
  ['a row and its index', MARKER, null],
  ['bytes', null, Buffer.from(MARKER)],
  ['what is stored beside a large row (TOAST)', 'x'.repeat(9_000) + MARKER, null],
])('in %s, and in the dead row until a vacuum', async (_, content, bytes) => {
  await run('insert into posthorn.places values ($1, $2)', [content, bytes])
  expect([await inTables(), await inFiles()]).toEqual([['posthorn.places'], ['places']])
  await run('update posthorn.places set content = null, bytes = null')
  expect([await inTables(), await inFiles()]).toEqual([[], ['places']])
})

test('in a job', async () => {
  const payload = 'json_build_object($1::text, 1)'
  await run(`select posthorn.enqueue('deliver', ${payload}, 'msg_left')`, [MARKER])
  expect((await inTables()).some((name) => name.startsWith('graphile_worker.'))).toBe(true)
  await run(`select graphile_worker.remove_job('msg_left')`)
})

test('in the statistics of Postgres', async () => {
  await run('insert into posthorn.places select $1 from generate_series(1, 100)', [MARKER])
  await run('analyze posthorn.places')
  await run('update posthorn.places set content = null')
  expect(await inTables()).toEqual([STATISTICS])
  await run('analyze posthorn.places')
  expect(await inTables()).toEqual([])
})
