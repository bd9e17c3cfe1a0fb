import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../../src/db/migrate/migrate.ts'
import { createRoleDatabase, type RoleDatabase } from '../../security/role-database.ts'
import { createTenant } from '../../support/factories.ts'
import { hostUrl } from '../../support/host-url.ts'
import { documentedGrants } from './support.ts'

/* A host with the documented grants plants functions where the triggers read its tables. Each says which role ran it. */

let roles: RoleDatabase
let host: string
let session: pg.Client
let writer: pg.Client
let organization: string
let ranAs: string[]

beforeAll(async () => {
  roles = await createRoleDatabase()
  await migrate(roles.asOwner.pool)
  organization = (await createTenant(roles.asOwner.prisma)).publicOrganizationId
  for (const name of ['order.created', 'order.updated', 'order.deleted', 'posthorn.created']) {
    await roles.asOwner.prisma.eventType.create({ data: { name, description: 'A change.' } })
  }
  const connected = await roles.connectAsHost()
  host = connected.host
  await roles.asAdmin.pool.query(`
    create schema evil authorization ${host};
    do $$ begin execute format('grant temporary on database %I to ${host}', current_database()); end $$`)
  session = new pg.Client({ connectionString: hostUrl(connected.asHost.url) })
  await session.connect()
  // The tables of the host belong to one role, and another one writes: neither may read the tables of Posthorn.
  await roles.asAdmin.pool.query(`
    create schema shop authorization ${host}; create role ${WRITER} login password 'of the writer'`)
  const url = new URL(connected.asHost.url)
  Object.assign(url, { username: WRITER, password: 'of the writer' })
  writer = new pg.Client({ connectionString: hostUrl(url.href) })
  await writer.connect()
  await session.query(`
    create table shop.orders (id int primary key, org text, status text);
    grant usage on schema shop to ${WRITER}; grant insert, update, select on shop.orders to ${WRITER}`)
  await expect(install()).rejects.toMatchObject(DENIED)
  await roles.asOwner.pool.query(documentedGrants(host))
  session.on('notice', ({ message = '' }) => {
    const [, role] = /^ran as (.*)$/.exec(message) ?? []
    if (role !== undefined) ranAs.push(role)
  })
  ranAs = []
  await session.query(PLANT)
})
afterAll(async () => {
  await session?.end()
  await writer?.end()
  await roles.asAdmin.pool.query(`drop owned by ${WRITER}; drop role ${WRITER}`)
  await roles[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await session.query('drop table if exists evil.orders cascade')
  ranAs = []
})

const WRITER = `posthorn_writer_${randomBytes(4).toString('hex')}`
/** insufficient_privilege */
const DENIED = { code: '42501' }
const install = () =>
  session.query(`select posthorn.publish_changes('shop.orders', 'org', '{id,status}', 'order')`)

test('the owner of a table installs with the documented grants, and a role without any rights on Posthorn publishes', async () => {
  await install()
  await writer.query(`insert into shop.orders values (1, $1, 'open')`, [organization])
  await writer.query(`update shop.orders set status = 'paid'`)
  const events = await roles.asOwner.prisma.event.findMany({ orderBy: { id: 'desc' }, take: 2 })
  const [open, paid] = ['{"id":1,"status":"open"}', '{"id":1,"status":"paid"}']
  expect(events.toReversed()).toMatchObject([
    { type: 'order.created', data: open, previous: null },
    { type: 'order.updated', data: paid, previous: open },
  ])
  const { rows } = await session.query('select * from posthorn.published_tables')
  expect(rows).toMatchObject([{ table_name: 'shop.orders', problem: null }])
})

test('a role can neither publish the changes of a table of others, nor end it, nor call the function of the triggers', async () => {
  await install()
  await roles.asAdmin.pool.query(`
    create table public.of_others (id int primary key, org text);
    grant select, insert on public.of_others to public`)
  await expect(
    session.query(`select posthorn.publish_changes('public.of_others', 'org', '{id}', 'order')`),
  ).rejects.toMatchObject(DENIED)
  for (const statement of [
    `select posthorn.stop_publishing_changes('shop.orders')`,
    `create trigger own after insert on shop.orders for each statement execute function posthorn.publish_row_changes('{}')`,
  ]) {
    await expect(writer.query(statement)).rejects.toMatchObject(DENIED)
  }
  await expect(session.query('select * from posthorn.events')).rejects.toMatchObject(DENIED)
})

const SPY = `language plpgsql as $$ begin raise notice 'ran as %', current_user; `
const CASTS = ['text', 'varchar', 'json', 'jsonb', 'uuid', 'name']
const OPERATORS = ['=', '<>', '<', '>', '<=', '>=']

/** Casts, operators and functions of a type. */
const code = (type: string) => `
  ${CASTS.map(
    (target) => `
      create function evil.as_${target}(evil.${type}) returns ${target} ${SPY} return null; end $$;
      create cast (evil.${type} as ${target}) with function evil.as_${target}(evil.${type}) as implicit;`,
  ).join('')}
  create function evil.compare(evil.${type}, evil.${type}) returns boolean ${SPY} return true; end $$;
  ${OPERATORS.map(
    (name) =>
      `create operator evil.${name} (leftarg = evil.${type}, rightarg = evil.${type}, function = evil.compare);`,
  ).join('')}
  create function evil.to_json(evil.${type}) returns json ${SPY} return '1'; end $$;
  create function evil.concat(evil.${type}) returns text ${SPY} return 'x'; end $$;`

const PLANT = `
  set search_path = evil, pg_catalog;
  create type evil.pair as (id text, n int);
  create type evil.mood as enum ('fine', 'bad');
  ${code('pair')} ${code('mood')}
  create function evil.is_fine(text) returns boolean ${SPY} return true; end $$;
  create domain evil.checked as text check (evil.is_fine(value));
  create domain evil.pair_domain as evil.pair;
  create domain evil.pairs_domain as evil.pair[];
  create function evil.distance(evil.pair, evil.pair) returns float8 ${SPY} return 1; end $$;
  alter function evil.distance(evil.pair, evil.pair) immutable;
  create type evil.span as range (subtype = evil.pair, subtype_diff = evil.distance);
  create type evil.nested as (pair evil.pair, mood evil.mood, span evil.span, checked evil.checked);
  create collation evil.odd (provider = icu, locale = 'und', deterministic = false);`

/** Types of the host, with a value and its text. */
const TYPES: readonly (readonly [type: string, sql: string, json: unknown])[] = [
  ['evil.pair', `row('a', 1)`, '(a,1)'],
  ['evil.mood', `'fine'`, 'fine'],
  ['evil.checked', `'a'`, 'a'],
  ['evil.pair_domain', `row('a', 1)`, '(a,1)'],
  ['evil.pair[]', `array[row('a', 1), row('b', 0)]::evil.pair[]`, ['(a,1)', '(b,0)']],
  ['evil.pairs_domain', `array[row('a', 1)]::evil.pair[]`, ['(a,1)']],
  ['evil.mood[]', `'{fine,bad}'`, ['fine', 'bad']],
  ['evil.checked[]', `'{a}'`, ['a']],
  ['evil.span', `'["(a,1)","(b,1)")'`, '["(a,1)","(b,1)")'],
  ['evil.span_multirange', `'{}'`, '{}'],
  ['evil.nested', `row(row('a', 1), 'fine', null, 'c')`, '("(a,1)",fine,,c)'],
  ['text collate evil.odd', `'a'`, 'a'],
]

const argument = (changes: object = {}) =>
  JSON.stringify({
    eventType: 'order',
    operations: ['created', 'updated', 'deleted'],
    organization: 'org',
    key: ['id', 'k'],
    columns: ['v'],
    maxEvents: 1000,
    ...changes,
  })

const create = (k: string, v: string, org = 'text') => `
  create table evil.orders (id int, k ${k} not null, org ${org}, v ${v}, unique (id, k), primary key (id));`
const INSTALL = `select posthorn.publish_changes('evil.orders', 'org', '{v}', 'order', '{id,k}');`
const retype = (column: string, type: string) =>
  `alter table evil.orders drop column ${column}, add column ${column} ${type};`

/** How columns of a type come to be read by a trigger. */
const WAYS: readonly (readonly [string, (type: string) => string])[] = [
  ['publish_changes lists them', (type) => create(type, type) + INSTALL],
  [
    'they get the type after publish_changes',
    (type) => create('text', 'text') + INSTALL + retype('k', type) + retype('v', type),
  ],
]

const countEvents = async () => await roles.asOwner.prisma.event.count()
const countRows = async () =>
  (await session.query('select count(*)::int as rows from evil.orders')).rows[0].rows

/** Runs a statement of the host. A rejected one must leave neither a row nor an event. */
async function attempt(statement: string): Promise<string | null> {
  const before = [await countRows(), await countEvents()]
  try {
    await session.query(statement)
    return null
  } catch (error) {
    expect([await countRows(), await countEvents()], statement).toEqual(before)
    return (error as Error).message
  }
}

test('the planted functions run where the host itself calls them, as the host', async () => {
  await session.query(`
    select row('a', 1)::evil.pair::text, row('a', 1)::evil.pair = row('b', 1)::evil.pair,
      evil.to_json('fine'::evil.mood), evil.concat('fine'::evil.mood), 'a'::evil.checked`)
  expect(ranAs).toEqual(Array(5).fill(host))
})

describe.each(WAYS)('where %s', (_way, prepare) => {
  test.each(TYPES)('columns of type %s are texts, read as the host', async (type, sql, json) => {
    await session.query(prepare(type))
    const values = (id: number) => `(${id}, '${organization}', ${sql}, ${sql})`
    for (const statement of [
      `insert into evil.orders (id, org, k, v) values ${values(1)}, ${values(2)}`,
      'update evil.orders set v = null where id = 1',
      'delete from evil.orders',
    ]) {
      expect(await attempt(statement)).toBeNull()
    }
    const events = await roles.asOwner.prisma.event.findMany({ orderBy: { id: 'desc' }, take: 5 })
    const published = events.map((event) => [event.type, event.data && JSON.parse(event.data).v])
    expect(published.reverse()).toEqual([
      ['order.created', json],
      ['order.created', json],
      ['order.updated', null],
      ['order.deleted', null],
      ['order.deleted', json],
    ])
    expect(ranAs.filter((role) => role !== host)).toEqual([])
  })
})

const HOST_TYPES = TYPES.filter(([type]) => !type.startsWith('text'))
test.each(HOST_TYPES)('an organization column altered to %s is a text', async (type, sql) => {
  await session.query(create('text', 'text') + INSTALL + retype('org', type))
  const insert = `insert into evil.orders (id, k, v, org) values (1, 'k', 'v', ${sql})`
  expect(await attempt(insert)).toMatch(
    /^A row of the table evil\.orders has '.+' in its column org, and there is no such organization/,
  )
  expect(ranAs.filter((role) => role !== host)).toEqual([])
})

describe('a trigger that was created by hand', () => {
  const NOT_OURS =
    /^The trigger mine of the table evil\.orders is not one that posthorn\.publish_changes creates\. Drop it/
  const withArguments = (args: string) => `
    ${create('text', 'text')}
    create trigger mine after insert on evil.orders referencing new table as new_rows
    for each statement execute function posthorn.publish_row_changes(${args})`
  const INSERT = () => `insert into evil.orders values (1, 'k', '${organization}', 'v')`

  test.each(['statement', 'row'])('for each %s reads no temporary view', async (level) => {
    await session.query(`
      ${create('text', 'text')}
      create function evil.spy() returns text ${SPY} return 'v'; end $$;
      create temp view new_rows as select 1 as id, 'k' as k, '${organization}' as org, evil.spy() as v;
      grant select on new_rows to public; grant usage on schema evil to public;
      create trigger mine after insert on evil.orders for each ${level} execute function posthorn.publish_row_changes('${argument()}')`)
    await session.query('select * from pg_temp.new_rows')
    expect(ranAs).toEqual([host])
    expect(await attempt(INSERT())).toMatch(NOT_OURS)
    expect(ranAs).toEqual([host])
    await session.query('drop view new_rows; drop function evil.spy()')
  })

  test.each([
    ['event types of Posthorn', { eventType: 'posthorn' }],
    ['other operations', { operations: ['created', 'archived'] }],
    ['more events than the limit', { maxEvents: 10_001 }],
    ['no key', { key: [] }],
    ['columns of another kind', { columns: 'v' }],
  ])('cannot have %s', async (_case, changes) => {
    await session.query(withArguments(`'${argument(changes)}'`))
    expect(await attempt(INSERT())).toMatch(NOT_OURS)
    const { rows } = await session.query(
      `select problem from posthorn.published_tables where table_name = 'evil.orders'::regclass`,
    )
    const problem = 'The argument of a trigger is not of posthorn.publish_changes.'
    expect(rows).toEqual([{ problem }])
  })
})
