import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { sharedDatabase } from '../../support/database.ts'

let page: ReadonlyMap<string, readonly string[]>

const database = await sharedDatabase()

beforeAll(async () => {
  page = tablesOf(await readFile(new URL('../../../docs/data/data.md', import.meta.url), 'utf8'))
})

/** The rows `| `table` | … |` with the columns that they name: everything in backticks in the second and third cell. */
function tablesOf(markdown: string): ReadonlyMap<string, readonly string[]> {
  const rows = markdown.matchAll(/^\| `([a-z0-9_]+)` \|([^|]*)\|([^|]*)\|/gm)
  return new Map(
    [...rows].map(([, table = '', about = '', columns = '']) => [
      table,
      [...`${about}${columns}`.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    ]),
  )
}

/** Each table with its columns that can have content. */
async function contentColumns(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.pool.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array(
       select a.attname::text from pg_attribute as a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.atttypid = any (array['text', 'text[]', 'json', 'jsonb', 'bytea', 'jsonpath', 'varchar']::regtype[])
       order by a.attnum) as columns
     from pg_class as c
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname`,
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

test('docs/data/data.md names every table, and every column that can have content', async () => {
  const missing = [...(await contentColumns())].flatMap(([table, columns]) => {
    const named = page.get(table)
    if (!named) return [`${table}: ${columns.join(', ')}`]
    return columns.filter((column) => !named.includes(column)).map((column) => `${table}.${column}`)
  })
  expect(missing).toEqual([])
})
