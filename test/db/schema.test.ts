import { expect, test } from 'vitest'
import config from '../../prisma.config.ts'
import { useTestDatabase } from '../support/database.ts'
import { readPrismaSchema, type Table } from '../support/prisma-schema.ts'

const database = await useTestDatabase()
const schema = readPrismaSchema()

test('schema.prisma has the tables of the database, except those that prisma.config.ts lists', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and relname <> '_prisma_migrations'`,
  )
  const external = config.tables?.external?.map((name) => name.replace('posthorn.', '')) ?? []
  const described = [...Object.keys(schema.tables), ...external]
  expect(described.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test.each(Object.entries(schema.tables))(
  'schema.prisma and the database agree on %s',
  async (name, table) => {
    const found = await readTable(name)
    const { indexes, ...rest } = table
    expect({ ...found, indexes: [], columns: withoutNullability(found, table) }).toEqual({
      ...rest,
      indexes: [],
    })
    expect(found.indexes).toEqual(expect.arrayContaining([...indexes]))
  },
)

test('schema.prisma and the database agree on the enums of its tables', async () => {
  const { rows } = await database.pool.query<{ name: string; values: string[] }>(
    `select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as values
     from pg_type as t join pg_enum as e on e.enumtypid = t.oid
     where t.oid in (select atttypid from pg_attribute where attrelid = any ($1::regclass[])) group by t.typname`,
    [Object.keys(schema.tables).map((name) => `posthorn.${name}`)],
  )
  expect(Object.fromEntries(rows.map(({ name, values }) => [name, values]))).toEqual(schema.enums)
})

async function readTable(name: string): Promise<Table> {
  const table = `posthorn.${name}`
  const { rows: columns } = await database.pool.query(
    `select attname as name, not attnotnull as "isNullable",
       regexp_replace(format_type(atttypid, atttypmod), '^posthorn[.]|[(]6[)]', '', 'g') as type
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  )
  // Prisma cannot express indexes with a condition or an expression.
  const { rows: indexes } = await database.pool.query(
    `select indisprimary as "isPrimary", indisunique as "isUnique", array_to_string(array(
         select attname from unnest(indkey[0:indnkeyatts - 1]) with ordinality as k (attnum, position)
         join pg_attribute on attrelid = indrelid and pg_attribute.attnum = k.attnum
         order by position), ',') as columns
     from pg_index where indrelid = $1::regclass and indpred is null and indexprs is null`,
    [table],
  )
  const listed = (isPrimary: boolean, isUnique: boolean): string[] =>
    indexes
      .filter((index) => index.isPrimary === isPrimary && index.isUnique === isUnique)
      .map((index) => index.columns)
  return {
    columns: Object.fromEntries(
      columns.map(({ name: column, type, isNullable }) => [column, { type, isNullable }]),
    ),
    primaryKey: listed(true, true)[0]?.split(',') ?? [],
    uniques: listed(false, true).toSorted(),
    indexes: listed(false, false),
  }
}

/** The columns of the database, without the nullability of columns for which schema.prisma does not give it. */
function withoutNullability(found: Table, { columns }: Table): Table['columns'] {
  return Object.fromEntries(
    Object.entries(found.columns).map(([name, column]) => [
      name,
      columns[name]?.isNullable === null ? { ...column, isNullable: null } : column,
    ]),
  )
}
