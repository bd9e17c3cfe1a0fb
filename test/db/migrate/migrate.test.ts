import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { unappliedMigrations } from '../../../src/db/migrate/migrations.ts'
import { createBlankDatabase } from '../../support/blank-database.ts'
import { PATIENT } from '../../support/database.ts'

let database: Database

beforeEach(async () => {
  database = await createBlankDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

test('migration installs the schema; a second migration does no harm', async () => {
  expect(await migrate(database.pool)).toEqual(await migrationNames())
  expect(await unappliedMigrations(database.pool)).toEqual([])
  expect(await migrate(database.pool)).toEqual([])
  expect(await database.prisma.eventType.count()).toBe(2)
})

test('a function of a host in the schema public runs in no session of Posthorn', async () => {
  await migrate(database.pool)
  await database.pool.query(`
    create function public.format(text, name, name, text) returns text language plpgsql as $$
      begin raise exception 'ran as %', current_user; end $$`)
  // It matches this call better than the function of Postgres, which takes any types.
  const call = `select format('%I%I%s', nspname, nspname, ''::text) from pg_namespace limit 1`
  await expect(
    database.pool.query(`begin; set local search_path = public; ${call}; commit`),
  ).rejects.toThrow('ran as')
  await database.pool.query('rollback')
  await expect(database.pool.query(call)).resolves.toMatchObject({ rowCount: 1 })
  expect(await migrate(database.pool)).toEqual([])
})

test('processes that start together migrate once', async () => {
  const others = Array.from({ length: 3 }, () => openDatabase(database.url, PATIENT))
  const applied = await Promise.all([database, ...others].map(({ pool }) => migrate(pool)))
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
  for (const other of others) await other[Symbol.asyncDispose]()
})

test('applied migrations are recorded in the table that Prisma creates', async () => {
  await migrate(database.pool)
  const { rows } = await database.pool.query(
    `select migration_name, checksum ~ '^[0-9a-f]{64}$' and finished_at >= started_at
       and logs is null and rolled_back_at is null and applied_steps_count = 1 as is_applied
     from posthorn._prisma_migrations order by started_at, migration_name`,
  )
  const names = await migrationNames()
  expect(rows).toEqual(names.map((migration_name) => ({ migration_name, is_applied: true })))
  await database.pool.query(PRISMA_TABLE)
  expect(await columnsOf('posthorn')).toEqual(await columnsOf('public'))
})

test('a changed migration and one of a newer version are rejected by name', async () => {
  const [first] = await migrate(database.pool)
  await database.pool.query(
    `insert into posthorn._prisma_migrations (id, checksum, migration_name, finished_at)
     values ('1', 'x', '20991231000000_later', now())`,
  )
  await expect(migrate(database.pool)).rejects.toThrow(
    /20991231000000_later, which this version of Posthorn does not have.*Run that version or a newer one/,
  )
  // A running process of this version is not affected.
  expect(await unappliedMigrations(database.pool)).toEqual([])
  await database.pool.query(`delete from posthorn._prisma_migrations where id = '1'`)
  await database.pool.query(
    `update posthorn._prisma_migrations set checksum = repeat('0', 64) where migration_name = $1`,
    [first],
  )
  await expect(migrate(database.pool)).rejects.toThrow(
    new RegExp(
      `The migration ${first} was changed after it was applied: .*0{64}.*Restore the file`,
    ),
  )
})

test('a failed migration reports the error of Postgres, leaves nothing behind, and can run again', async () => {
  await database.pool.query(`
    create function public.refuse() returns event_trigger language plpgsql as $$
    begin
      if exists (
        select from pg_event_trigger_ddl_commands()
        where schema_name = 'posthorn' and object_identity not like '%prisma_migrations%'
      ) then raise 'no tables today'; end if;
    end $$;
    create event trigger refuse on ddl_command_end when tag in ('CREATE TABLE') execute function public.refuse()`)
  await expect(migrate(database.pool)).rejects.toThrow(
    /^The migration \d+_\w+ failed: no tables today$/,
  )
  await database.pool.query('drop event trigger refuse')
  await migrate(database.pool)
  expect(await unappliedMigrations(database.pool)).toEqual([])
})

test('jobs are in the configured schema, and the tables of a host application stay untouched', async () => {
  await database.pool.query('create table public.orders (id int primary key)')
  await migrate(database.pool, { workerSchema: 'posthorn_worker' })
  const { rows } = await database.pool.query(
    `select to_regclass('posthorn_worker.jobs') is not null as configured, to_regnamespace('graphile_worker') as default,
       (select array_agg(tablename::text) from pg_tables where schemaname = 'public') as tables`,
  )
  expect(rows).toEqual([{ configured: true, default: null, tables: ['orders'] }])
})

/** The table as Prisma creates it. */
const PRISMA_TABLE = `
  CREATE TABLE public._prisma_migrations (
    id                    VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum              VARCHAR(64) NOT NULL,
    finished_at           TIMESTAMPTZ,
    migration_name        VARCHAR(255) NOT NULL,
    logs                  TEXT,
    rolled_back_at        TIMESTAMPTZ,
    started_at            TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count   INTEGER NOT NULL DEFAULT 0
  )`

async function columnsOf(schema: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select column_name, data_type, character_maximum_length, is_nullable, column_default
     from information_schema.columns where table_schema = $1 and table_name = '_prisma_migrations'
     order by ordinal_position`,
    [schema],
  )
  return rows
}

async function migrationNames(): Promise<string[]> {
  const entries = await readdir(new URL('../../../prisma/migrations', import.meta.url))
  return entries.filter((name) => /^\d/.test(name)).sort()
}
