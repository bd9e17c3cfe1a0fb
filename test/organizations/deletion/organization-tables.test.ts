import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/client.ts'
import {
  ORGANIZATION_TABLES,
  PARTITIONED_TABLES,
} from '../../../src/organizations/deletion/organization-tables.ts'
import { sharedDatabase } from '../../support/database.ts'
import { OTHER_TABLES, TABLES_OF_PARENTS } from './support/tables-without-pages.ts'

type Sql = Pick<Database['pool'], 'query'>

const database = await sharedDatabase()

test('for each table it is decided how a deletion removes the rows of an organization, or why there are none', async () => {
  const tables = await tablesOf(database.pool)
  const decided = [ORGANIZATION_TABLES, TABLES_OF_PARENTS, OTHER_TABLES].flatMap(Object.keys)
  expect(decided.toSorted()).toEqual(tables.map(({ name }) => name))
})

test('the partitioned tables are those that a deletion looks for among detached partitions', async () => {
  const { rows } = await database.pool.query(
    `select relname as name from pg_class where relnamespace = 'posthorn'::regnamespace and relkind = 'p' order by 1`,
  )
  expect(rows.map(({ name }) => name)).toEqual(PARTITIONED_TABLES.toSorted())
})

async function tablesOf(sql: Sql) {
  const { rows } = await sql.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and not relispartition
       -- Prisma's bookkeeping
       and relname !~ '^_'
     order by relname collate "C"`,
  )
  return rows
}
