import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Database
let client: pg.PoolClient
/** How often Postgres described the columns of a result. */
let descriptions: number

beforeEach(async () => {
  database = await createTestDatabase()
  client = await database.pool.connect()
  descriptions = 0
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('rowDescription', () => {
    descriptions += 1
  })
})
afterEach(async () => {
  client.release()
  await database[Symbol.asyncDispose]()
})

const PEOPLE = {
  name: 'people',
  text: `select n, 'name ' || n as name, now() as at, n > 1 as later from generate_series(1, $1) as n`,
}

test('the columns of a statement with a name are described once, and read alike each time', async () => {
  for (const count of [2, 0, 1]) {
    const { rows, fields, rowCount } = await client.query({ ...PEOPLE, values: [count] })
    expect(rows).toEqual(
      [1, 2]
        .slice(0, count)
        .map((n) => ({ n, name: `name ${n}`, at: expect.any(Date), later: n > 1 })),
    )
    expect(rowCount).toBe(count)
    expect(fields.map(({ name }) => name)).toEqual(['n', 'name', 'at', 'later'])
  }
  const { rows } = await client.query({ ...PEOPLE, values: [1], rowMode: 'array' })
  expect(rows).toEqual([[1, 'name 1', expect.any(Date), false]])
  expect(descriptions).toBe(1)
})

test('rows read one after the other are objects of their own', async () => {
  await client.query({ ...PEOPLE, values: [1] })
  const first = await client.query({ ...PEOPLE, values: [2] })
  const second = await client.query({ ...PEOPLE, values: [1] })
  second.rows[0].name = 'changed'
  expect(first.rows.map(({ name }) => name)).toEqual(['name 1', 'name 2'])
  expect(new Set([...first.rows, ...second.rows]).size).toBe(3)
})

test('each connection has them described for itself', async () => {
  await client.query({ ...PEOPLE, values: [1] })
  const other = await database.pool.connect()
  const { rows } = await other.query({ ...PEOPLE, values: [1] })
  expect(rows).toHaveLength(1)
  other.release()
})

test('a statement without a name, or with parsers of its own, is described each time', async () => {
  for (let i = 0; i < 2; i++) {
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect((await client.query('select $1::int as one', [1])).rows).toEqual([{ one: 1 }])
    const one = { name: '', text: 'select $1::int as one', values: [1] }
    const two = { name: '', text: 'select $1::text as two', values: ['b'] }
    expect((await client.query(one)).rows).toEqual([{ one: 1 }])
    expect((await client.query(two)).rows).toEqual([{ two: 'b' }])
    const types = { getTypeParser: () => (text: string) => `read ${text} ${i}` }
    const { rows } = await client.query({ name: 'own', text: 'select 1 as one', types })
    expect(rows).toEqual([{ one: `read 1 ${i}` }])
  }
  expect(descriptions).toBe(10)
})

test('a statement that fails, and one without columns, leave the next ones as they are', async () => {
  const divide = { name: 'divide', text: 'select 6 / $1::int as part' }
  const write = { name: 'write', text: 'delete from posthorn.webhooks where false' }
  expect((await client.query({ ...divide, values: [2] })).rows).toEqual([{ part: 3 }])
  await expect(client.query({ ...divide, values: [0] })).rejects.toThrow('division by zero')
  expect((await client.query(write)).rows).toEqual([])
  expect((await client.query(write)).rows).toEqual([])
  expect((await client.query({ ...divide, values: [3] })).rows).toEqual([{ part: 2 }])
})

test('a statement whose columns have changed since is refused, not misread', async () => {
  await client.query('create table changing (a int); insert into changing values (1)')
  const all = { name: 'all', text: 'select * from changing' }
  expect((await client.query(all)).rows).toEqual([{ a: 1 }])
  await client.query('alter table changing add column b int default 2')
  await expect(client.query(all)).rejects.toThrow('cached plan must not change result type')
})
