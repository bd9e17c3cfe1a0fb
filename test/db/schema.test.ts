import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import config from '../../prisma.config.ts'
import { sharedDatabase } from '../support/database.ts'

/** Nullability by column. Prisma has none for lists. */
type Columns = Record<string, boolean | null>

const database = await sharedDatabase()
const text = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
const models = [...text.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)].map(
  ([, name = '', body = '']) => ({
    name: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
    body,
  }),
)
const relations = [...text.matchAll(/^(?:model|view) (\w+) /gm)].map(([, name]) => name)

test('schema.prisma has the tables of the database, except those that prisma.config.ts lists', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and relname <> '_prisma_migrations'`,
  )
  const external = config.tables?.external?.map((name) => name.replace('posthorn.', '')) ?? []
  const described = [...models.map(({ name }) => name), ...external]
  expect(described.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

// A type that differs fails the statements of other tests.
test.each(models)('schema.prisma and the database agree on the columns of $name', async (model) => {
  const described: Columns = {}
  for (const [, field = '', type = '', suffix, attributes = ''] of model.body.matchAll(
    /^ +(\w+) +(\w+)(?:\("\w+"\))?(\[\]|\?)?(.*)$/gm,
  )) {
    if (relations.includes(type)) continue
    const column = /@map\("(\w+)"\)/.exec(attributes)?.[1] ?? field
    described[column] = suffix === '[]' ? null : suffix === '?'
  }
  const { rows } = await database.pool.query(
    `select attname as name, not attnotnull as nullable from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [`posthorn.${model.name}`],
  )
  const found = rows.map(({ name, nullable }) => [name, described[name] === null ? null : nullable])
  expect(Object.fromEntries(found)).toEqual(described)
})
