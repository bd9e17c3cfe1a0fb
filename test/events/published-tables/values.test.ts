import { expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { createHostDatabase } from './support.ts'

const host = await useResource(createHostDatabase())

/** Columns, with a value in SQL and how it is published. */
const VALUES: readonly (readonly [type: string, sql: string, json: unknown])[] = [
  ['bigint', '9007199254740993', '9007199254740993'],
  ['numeric', '1.50', '1.50'],
  ['numeric', `'NaN'`, '"NaN"'],
  ['float8', '0.1::float8 + 0.2::float8', '0.30000000000000004'],
  ['boolean', 'true', 'true'],
  ['text', `e'a"\\\\\\n\\u20ac'`, '"a\\"\\\\\\n€"'],
  ['json', `'{ "b": 1.0, "a": "\\u0000" }'`, '{ "b": 1.0, "a": "\\u0000" }'],
  ['jsonb', `'{"b": 1.0, "a": []}'`, '{"a": [], "b": 1.0}'],
  ['date', `'2026-01-31'`, '"2026-01-31"'],
  ['timestamp', `'2026-01-31 12:00:00.5'`, '"2026-01-31T12:00:00.5"'],
  ['timestamptz', `'2026-01-31 12:00:00+05:30'`, '"2026-01-31T06:30:00+00:00"'],
  ['interval', `'1 day 2 hours'`, '"P1DT2H"'],
  ['tstzrange', `'[2026-01-31 12:00:00+02,)'`, '"[\\"2026-01-31 10:00:00+00\\",)"'],
  ['bytea', `'\\x00ff'`, '"\\\\x00ff"'],
  ['uuid', `'00000000-0000-4000-8000-000000000000'`, '"00000000-0000-4000-8000-000000000000"'],
  ['money', '1234.5', '"$1,234.50"'],
  ['int[]', `'{{1,2},{3,null}}'`, '[[1,2],[3,null]]'],
  [
    'timestamptz[]',
    `array['2026-01-31 12:00:00+02'::timestamptz]`,
    '["2026-01-31T10:00:00+00:00"]',
  ],
  ['regclass', `'public.orders'`, '"public.orders"'],
  ['mood', `'fine'`, '"fine"'],
  ['mood[]', `'{fine,null,bad}'`, '["fine",null,"bad"]'],
  ['positive', '7', '7'],
  ['point_of_sale', `row('a b', null)`, '"(\\"a b\\",)"'],
  ['text', 'null', 'null'],
  ['mood', 'null', 'null'],
  ['point_of_sale', 'row(null, null)', '"(,)"'],
]

test('each type has one JSON, whatever the settings of the session are', async () => {
  const names = VALUES.map((_, i) => `c${i}`)
  await host.session.query(`
    create type mood as enum ('fine', 'bad');
    create domain positive as int check (value > 0);
    create type point_of_sale as (name text, floor int);
    create table orders (id int primary key, org text, ${VALUES.map(([type], i) => `c${i} ${type}`).join(', ')});
    select posthorn.publish_changes('orders', 'org', '{${names}}', 'order')`)
  const insert = (id: number) =>
    `insert into orders values (${id}, '${host.organization}', ${VALUES.map(([, sql]) => sql).join(', ')})`
  await host.session.query(insert(1))
  const expected = `{${VALUES.map(([, , json], i) => `"c${i}":${json}`).join(',')}}`
  expect(await lastData()).toBe(expected)

  await host.session.query(`
    create table rows_to_copy as table orders;
    update rows_to_copy set id = 2;
    set timezone = 'America/St_Johns'; set datestyle = 'German, DMY'; set intervalstyle = 'sql_standard';
    set extra_float_digits = -15; set bytea_output = 'escape'; set standard_conforming_strings = off;
    set transform_null_equals = on; set quote_all_identifiers = on; set "plpgsql.variable_conflict" = 'use_variable';
    set "plpgsql.extra_errors" = 'all'; set search_path = public, pg_catalog; set plan_cache_mode = 'force_generic_plan';
    set enable_hashjoin = off; set enable_mergejoin = off; set enable_sort = off;
    insert into orders table rows_to_copy`)
  expect(await lastData()).toBe(expected)
  await host.session.query(
    `update orders set c4 = false, c5 = '' where id = 2; reset all; set search_path = public`,
  )
  expect(await lastData()).toBe(
    expected.replace('"c4":true', '"c4":false').replace(/"c5":".*?€"/, '"c5":""'),
  )
})

async function lastData(): Promise<string> {
  const { rows } = await host.database.pool.query(
    'select data from posthorn.events order by id desc limit 1',
  )
  return rows[0].data
}
