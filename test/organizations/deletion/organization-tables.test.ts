import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import {
  ORGANIZATION_TABLES,
  PARTITIONED_TABLES,
} from '../../../src/organizations/deletion/organization-tables.ts'
import { useTestDatabase } from '../../support/database.ts'
import { OTHER_TABLES, TABLES_OF_PARENTS } from './support/tables-without-pages.ts'

type Sql = Pick<Database['pool'], 'query'>

const database = await useTestDatabase()

test('for each table it is decided how a deletion removes the rows of an organization, or why there are none', async () => {
  const tables = await tablesOf(database.pool)
  const decided = [ORGANIZATION_TABLES, TABLES_OF_PARENTS, OTHER_TABLES].flatMap(Object.keys)
  expect(decided.toSorted()).toEqual(tables.map(({ name }) => name))
})

test('a table with rows of an organization has the column that a deletion selects by, and the columns of its pages', async () => {
  const tables = new Map((await tablesOf(database.pool)).map((table) => [table.name, table]))
  for (const [name, key] of Object.entries(ORGANIZATION_TABLES)) {
    expect(tables.get(name)?.required, name).toEqual(expect.arrayContaining([...key]))
    expect(tables.get(name)?.columns, name).toContain('organization_id')
  }
  const owned = [...tables.values()].filter(({ columns }) => columns.includes('organization_id'))
  const names = owned.map(({ name }) => name).filter((name) => name !== 'organization_deletions')
  expect(names).toEqual(Object.keys(ORGANIZATION_TABLES).toSorted())
})

test('rows of the other tables of an organization are deleted by a foreign key of the table that is named', async () => {
  const keys = await foreignKeys(database.pool)
  for (const [table, parent] of Object.entries(TABLES_OF_PARENTS)) {
    expect(keys, table).toContainEqual({ table, parent, cascades: true })
  }
})

test('the partitioned tables are those that a deletion looks for among detached partitions', async () => {
  const { rows } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'posthorn'::regnamespace and relkind = 'p' order by 1`,
  )
  expect(rows.map(({ name }) => name)).toEqual(PARTITIONED_TABLES.toSorted())
})

async function tablesOf(sql: Sql) {
  const { rows } = await sql.query<{ name: string; columns: string[]; required: string[] }>(
    `select c.relname as name, array_agg(a.attname::text) as columns,
       array_agg(a.attname::text) filter (where a.attnotnull or a.attgenerated <> '') as required
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped
       -- Prisma's bookkeeping
       and c.relname !~ '^_'
     group by c.relname order by c.relname collate "C"`,
  )
  return rows
}

async function foreignKeys(sql: Sql) {
  const { rows } = await sql.query<{ table: string; parent: string; cascades: boolean }>(
    `select child.relname as table, parent.relname as parent, k.confdeltype = 'c' as cascades
     from pg_constraint as k join pg_class as child on child.oid = k.conrelid
     join pg_class as parent on parent.oid = k.confrelid
     where k.contype = 'f' and child.relnamespace = 'posthorn'::regnamespace`,
  )
  return rows
}
