import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sharedDatabase } from '../support/database.ts'

test('the page about publishing names each function that has a comment in Postgres', async () => {
  const page = readFileSync(new URL('../../docs/guides/publish.md', import.meta.url), 'utf8')
  const database = await sharedDatabase()
  const { rows } = await database.pool.query<{ name: string }>(
    `select distinct p.proname as name
     from pg_proc as p join pg_description as d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
     where p.pronamespace = 'posthorn'::regnamespace and d.description not like 'Calls graphile-worker.%'`,
  )
  expect(rows.map(({ name }) => name).filter((name) => !page.includes(`posthorn.${name}`))).toEqual(
    [],
  )
  expect(rows.length).toBe(4)
})
