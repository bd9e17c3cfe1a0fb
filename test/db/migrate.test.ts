import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { getDatamodel } from '../../src/db/generated/pothos.ts'
import { migrate, unappliedMigrations } from '../../src/db/migrate.ts'
import { withDatabase } from '../support/with-database.ts'

let server: Database
let name: string
let database: Database

beforeEach(async () => {
  name = `posthorn_migrate_${randomBytes(6).toString('hex')}`
  server = openDatabase(inject('postgresUrl'), { maxConnections: 1 })
  await server.pool.query(`create database ${name}`)
  database = openDatabase(withDatabase(inject('postgresUrl'), name))
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await server.pool.query(`drop database ${name} with (force)`)
  await server[Symbol.asyncDispose]()
})

test('migration installs the schema; a second one does no harm', async () => {
  const applied = await migrate(database.pool)
  expect(applied[0]).toBe('20261120000000_create_posthorn')
  expect(await unappliedMigrations(database.pool)).toEqual([])
  expect(await migrate(database.pool)).toEqual([])
  expect(await database.prisma.eventType.count()).toBe(2)
})

test('processes that start together migrate once', async () => {
  const others = Array.from({ length: 3 }, () => openDatabase(database.url))
  const applied = await Promise.all([database, ...others].map(({ pool }) => migrate(pool)))
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
  for (const other of others) await other[Symbol.asyncDispose]()
})

test('a migration that was cut off runs again', async () => {
  const [first] = await migrate(database.pool)
  await database.pool.query('drop schema posthorn_partitions cascade')
  await database.pool.query(
    `create table public.kept as select * from posthorn._prisma_migrations where migration_name = $1`,
    [first],
  )
  await database.pool.query('drop schema posthorn cascade; create schema posthorn')
  await database.pool.query(
    `create table posthorn._prisma_migrations (like public.kept including all)`,
  )
  await database.pool.query(`alter table posthorn._prisma_migrations
    alter started_at set default now(), alter applied_steps_count set default 0, add primary key (id)`)
  await database.pool.query(
    `insert into posthorn._prisma_migrations (id, checksum, migration_name, logs, started_at, applied_steps_count)
     select id, checksum, migration_name, 'cut off', started_at, 0 from public.kept`,
  )
  expect(await migrate(database.pool)).toContain(first)
})

test('lives beside the tables of a host application', async () => {
  await database.pool.query('create table public.orders (id int primary key)')
  await migrate(database.pool)
  const { rows } = await database.pool.query(
    `select count(*)::int as n from pg_tables where schemaname = 'public'`,
  )
  expect(rows).toEqual([{ n: 1 }])
})

test('a failing migration says what Postgres said', async () => {
  await database.pool.query(
    'create schema posthorn_partitions; create table posthorn_partitions.events_default ()',
  )
  await expect(migrate(database.pool)).rejects.toThrow(/"events_default" already exists/)
})

test('schema.prisma and the migrations describe the same tables', async () => {
  await migrate(database.pool)
  const { rows } = await database.pool.query<{ name: string; columns: number }>(
    `select table_name as name, count(*)::int as columns from information_schema.columns
     where table_schema = 'posthorn' and table_name not in ('_prisma_migrations', 'worker_pools', 'live_listeners') group by 1`,
  )
  const { models } = getDatamodel().datamodel
  expect(rows).toHaveLength(Object.keys(models).length)
  for (const [model, { fields }] of Object.entries(models)) {
    const delegate = model.charAt(0).toLowerCase() + model.slice(1)
    // Reads every column of the model, so it fails where one is missing or has another name.
    // @ts-expect-error the delegates are named by the models
    await database.prisma[delegate].findFirst()
    const table = rows.find((row) => row.name === tableOf(model))
    expect(table?.columns, model).toBe(fields.filter((field) => !field.relationName).length)
  }
})

function tableOf(model: string): string {
  if (model === 'AuditEntry') return 'audit_log'
  const snake = model.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  return /[^aeiou]y$/.test(snake) ? `${snake.slice(0, -1)}ies` : `${snake}s`
}
