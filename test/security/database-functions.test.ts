import { expect, test } from 'vitest'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { useResource } from '../support/use-resource.ts'
import { createRoleDatabase } from './role-database.ts'

const roles = await useResource(createRoleDatabase())
await migrate(roles.asOwner.pool)

const names = async (where: string): Promise<string[]> =>
  (
    await roles.asAdmin.pool.query(
      `select p.oid::regprocedure::text as name from pg_proc as p
       where p.pronamespace = 'posthorn'::regnamespace and (${where}) order by 1`,
    )
  ).rows.map(({ name }) => name)

const IS_PUBLIC = `has_function_privilege('public', p.oid, 'execute')`
const SEARCH_PATH = `(select setting from unnest(p.proconfig) as setting where setting like 'search\\_path=%')`
/** A body that Postgres bound when the function was created depends on no search path. */
const HAS_NO_SEARCH_PATH = `p.prosqlbody is null and ${SEARCH_PATH} is null`
/** Others than `pg_catalog`, `posthorn` and the worker schema, in which no role of a host may create anything. */
const HAS_OTHER_SCHEMAS = `${SEARCH_PATH} not in ('search_path=pg_catalog, pg_temp', 'search_path=posthorn, graphile_worker, pg_temp')`
/** Types that a host can choose: its own, and those that take any type. An array counts as its items. */
const TAKES_OTHER_TYPES = `exists (
  select from unnest(p.prorettype || coalesce(p.proallargtypes, p.proargtypes::oid[])) as given (oid)
  join pg_type as t on t.oid = given.oid
  join pg_type as item on item.oid = case t.typcategory when 'A' then t.typelem else t.oid end
  where item.typname like 'any%'
    or item.typnamespace not in ('pg_catalog'::regnamespace, 'posthorn'::regnamespace))`

test.each([
  ['is public', IS_PUBLIC],
  ['has neither a search path nor a bound body', HAS_NO_SEARCH_PATH],
  ['looks into a schema of others', HAS_OTHER_SCHEMAS],
  [
    'runs as its owner and takes values of any type, or of a type of the host',
    `p.prosecdef and ${TAKES_OTHER_TYPES}`,
  ],
  [
    'runs as its owner and finds its functions where its caller says',
    `p.prosecdef and ${SEARCH_PATH} is null`,
  ],
])('no function of Posthorn %s', async (_rule, breaks) => {
  expect(await names('true')).not.toHaveLength(0)
  expect(await names(breaks)).toEqual([])
})

test('no function of the schema is public after a migration, and a function of a host that the same role creates stays so', async () => {
  await using others = await createRoleDatabase()
  await others.asOwner.pool.query(`
    create schema shop;
    create function shop.price() returns int language sql return 1;
    create schema if not exists posthorn;
    create function posthorn."Later"(given int[]) returns int language sql return 1;
    create procedure posthorn.later() language sql begin atomic end`)
  await migrate(others.asOwner.pool)
  const { rows } = await others.asAdmin.pool.query(
    `select p.oid::regprocedure::text as name from pg_proc as p
     where p.pronamespace in ('posthorn'::regnamespace, 'shop'::regnamespace) and ${IS_PUBLIC}`,
  )
  expect(rows).toEqual([{ name: 'shop.price()' }])
})
