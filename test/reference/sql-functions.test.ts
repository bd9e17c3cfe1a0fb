import { expect, test } from 'vitest'
import { publicFunctions } from '../../scripts/site/reference/sql-functions.ts'
import { sharedDatabase } from '../support/database.ts'

test('the reference has the functions with a comment in Postgres, with their arguments and their comments', async () => {
  const database = await sharedDatabase()
  const { rows } = await database.pool.query<{ name: string; args: string[]; comment: string }>(
    `select p.proname as name, p.proargnames[1:p.pronargs] as args, d.description as comment
     from pg_proc as p join pg_description as d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
     where p.pronamespace = 'posthorn'::regnamespace and d.description not like 'Calls graphile-worker.%'`,
  )
  const listed = publicFunctions().map(({ name, args, comment }) => ({
    name,
    args: args.split(/, (?=\w+ )/).map((one) => one.split(' ')[0]),
    comment,
  }))
  const byText = (one: object, other: object) =>
    JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
  expect(listed.toSorted(byText)).toEqual(rows.toSorted(byText))
  expect(listed.length).toBe(8)
})
