import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { CONFIGURED_COLUMNS, ERASED_COLUMNS, OTHER_COLUMNS } from './content-columns.ts'

type Sql = Pick<Database['pool'], 'query'>

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('for each column that can have contents it is decided whether an erasure empties it, or why not', async () => {
  const decided = [...ERASED_COLUMNS, ...CONFIGURED_COLUMNS, ...Object.keys(OTHER_COLUMNS)]
  expect(decided.toSorted()).toEqual((await contentColumns(database.pool)).toSorted())
})

test.each([
  ['text', 'nickname text'],
  ['JSON', 'nickname jsonb'],
  ['a list', 'nickname varchar(9)[]'],
  ['bytes', 'nickname bytea'],
])('a new column of %s without a decision is found', async (_, column) => {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(`alter table posthorn.events add column ${column}`)
    expect(await contentColumns(client)).toContain('events.nickname')
  } finally {
    await client.query('rollback')
    client.release()
  }
})

/** All types of which the values are not numbers, times, truth values, uuids, or words of a list of Posthorn. */
async function contentColumns(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_type as t on t.oid = a.atttypid
     left join pg_type as item on item.oid = t.typelem and t.typcategory = 'A'
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p', 'm') and not c.relispartition
       -- Prisma's bookkeeping
       and c.relname !~ '^_'
       and coalesce(item.typcategory, t.typcategory) not in ('N', 'D', 'B', 'E', 'T')
       and coalesce(item.oid, t.oid) <> 'uuid'::regtype`,
  )
  return rows.map(({ name }) => name)
}
