import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { EXPORTED_COLUMNS, LEFT_OUT } from '../../src/transfer/exported-columns.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => await database[Symbol.asyncDispose]())

test('each table, and each column of an exported table, is exported or left out for a reason', async () => {
  expect(await undecided()).toEqual([])
  const columns = await columnsOfDatabase()
  const tables = new Set(columns.map(({ table }) => table))
  const names = new Set([...tables, ...columns.map(({ table, column }) => `${table}.${column}`)])
  const decisions = Object.entries(EXPORTED_COLUMNS).flatMap(([table, exported]) =>
    exported.map((column) => `${table}.${column}`),
  )
  expect([...decisions, ...Object.keys(LEFT_OUT)].filter((name) => !names.has(name))).toEqual([])
})

test('a new column or table without a decision is found', async () => {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query('alter table posthorn.webhooks add column priority int')
    await client.query('create table posthorn.templates (id uuid primary key)')
    expect(await undecided(client)).toEqual(['templates', 'webhooks.priority'])
  } finally {
    await client.query('rollback')
    client.release()
  }
})

async function undecided(sql: Pick<Database['pool'], 'query'> = database.pool): Promise<string[]> {
  const columns = await columnsOfDatabase(sql)
  const names = columns.map(({ table, column }) => {
    const exported: readonly string[] | undefined =
      EXPORTED_COLUMNS[table as keyof typeof EXPORTED_COLUMNS]
    if (exported === undefined) return Object.hasOwn(LEFT_OUT, table) ? null : table
    const name = `${table}.${column}`
    return exported.includes(column) !== Object.hasOwn(LEFT_OUT, name) ? null : name
  })
  return [...new Set(names.filter((name) => name !== null))]
}

async function columnsOfDatabase(sql: Pick<Database['pool'], 'query'> = database.pool) {
  const { rows } = await sql.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped
       -- Prisma's bookkeeping
       and c.relname !~ '^_'
     order by c.relname, a.attname`,
  )
  return rows
}
