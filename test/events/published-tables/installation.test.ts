import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { created, createHostDatabase, updated } from './support.ts'

const host = await useResource(createHostDatabase())
const org = host.organization

beforeEach(async () => {
  await host.session.query(`
    drop table if exists public.orders cascade;
    create table public.orders (id int primary key, org text, status text, amount int)`)
  await host.published()
})

const install = (args: string) => host.changes(`select posthorn.publish_changes(${args})`)
const installed = async () =>
  (await host.session.query('select * from posthorn.published_tables order by table_name')).rows
const insert = (id: number) =>
  host.changes(`insert into orders values (${id}, '${org}', 'open', 1)`)

describe('what cannot publish is refused with the argument and the remedy', () => {
  const COLUMNS = `'org', '{id,status}', 'order'`
  const KEYED = `'org', '{id}', 'order'`
  const NAMES =
    'event_type: give the beginning of names of event types, such as order for order.created. It must not be posthorn.'
  const INVOICE = 'invoice.created, invoice.updated, invoice.deleted'

  beforeAll(async () => {
    await host.session.query(`
      create view a_view as select 1 as id, ''::text as org;
      create table no_key (id int, org text);
      create table late_key (id int primary key deferrable initially deferred, org text, part text unique);
      create table numbered (id int primary key, org int)`)
  })

  test.each([
    [`null, ${COLUMNS}`, 'table_name: give a table'],
    [`'a_view', ${COLUMNS}`, 'table_name: give a table, not a view'],
    [`'posthorn.webhooks', ${COLUMNS}`, 'table_name: posthorn.webhooks is'],
    [`'orders', null, '{id}', 'order'`, 'organization_column: give the column'],
    [
      `'orders', 'tenant', '{id}', 'order'`,
      'organization_column: public.orders has no column tenant',
    ],
    [`'orders', 'amount', '{id}', 'order'`, 'organization_column: amount is of type integer. Give'],
    [`'orders', 'org', '{}', 'order'`, 'columns: give one or more names'],
    [`'orders', 'org', '{id,state}', 'order'`, 'columns: public.orders has no column state.'],
    [`'orders', 'org', '{id,id}', 'order'`, 'columns: a name stands twice'],
    [`'orders', 'org', '{ctid}', 'order'`, 'columns: public.orders has no column ctid.'],
    [`'orders', 'org', '{id}', 'posthorn'`, NAMES],
    [`'orders', 'org', '{id}', 'invoice'`, `event_type: ${INVOICE} is not in the catalogue`],
    [`'orders', ${KEYED}, '{status}'`, 'key_columns: public.orders has no unique index'],
    [`'orders', ${KEYED}, '{nr}'`, 'key_columns: public.orders has no column nr'],
    [`'no_key', ${KEYED}`, 'key_columns: public.no_key has no primary key'],
    [`'late_key', ${KEYED}`, 'key_columns: public.late_key has no primary key, or a def'],
    [`'late_key', ${KEYED}, '{part}'`, 'key_columns: public.late_key has no unique'],
    [`'orders', ${KEYED}, null, '{inserted}'`, 'operations: give one or more of'],
    [`'orders', ${KEYED}, null, '{created}', 0`, 'max_events: give a number from 1'],
  ])('publish_changes(%s)', async (args, beginning) => {
    const error = await install(args).catch((reason) => reason)
    expect(error.code).toBe('22023')
    expect(error.message.slice(0, beginning.length)).toBe(beginning)
    expect(await installed()).toEqual([])
  })
})

test('a second call replaces the first, and stop_publishing_changes ends it', async () => {
  await install(`'orders', 'org', '{id}', 'order'`)
  await install(`'orders', 'org', '{id,status}', 'order', operations => '{updated,created}'`)
  expect(await insert(1)).toEqual([created({ id: 1, status: 'open' })])
  expect(await host.changes('delete from orders')).toEqual([])
  const stop = async () =>
    (await host.session.query(`select posthorn.stop_publishing_changes('orders') as stopped`)).rows
  expect(await stop()).toEqual([{ stopped: true }])
  expect(await stop()).toEqual([{ stopped: false }])
  expect(await insert(2)).toEqual([])
  expect(await installed()).toEqual([])
})

describe('the view published_tables', () => {
  test('shows what each table publishes', async () => {
    await install(
      `'orders', 'org', '{status,id}', 'order', operations => '{deleted,created}', max_events => 7`,
    )
    expect(await installed()).toEqual([
      {
        ...{ table_name: 'orders', partition_of: null, event_type: 'order', problem: null },
        ...{ operations: ['created', 'deleted'], organization_column: 'org', max_events: 7 },
        ...{ columns: ['status', 'id'], key_columns: ['id'] },
      },
    ])
  })

  test('shows what is wrong', async () => {
    const problem = async () => (await installed())[0]?.problem
    await install(`'orders', 'org', '{status}', 'order'`)
    await host.session.query('alter table orders disable trigger posthorn_changes_update')
    expect(await problem()).toBe('A trigger is disabled.')
    await host.session.query('alter table orders enable trigger posthorn_changes_update')
    await host.session.query('alter table orders rename status to state')
    expect(await problem()).toBe('The table has no column status any more, so its writes fail.')
    await host.session.query('alter table orders rename state to status')
    await host.session.query(
      `update posthorn.event_types set archived_at = now() where name = 'order.updated'`,
    )
    const missing = 'order.updated is not in the catalogue of event types'
    expect(await problem()).toBe(`${missing}, so writes fail.`)
    await expect(host.changes('update orders set status = 1')).resolves.toEqual([])
    await insert(1)
    await expect(host.changes('update orders set status = 2')).rejects.toMatchObject({
      code: '55000',
      message: expect.stringContaining(`${missing}. Call`),
    })
    await host.session.query(`update posthorn.event_types set archived_at = null`)
    expect(await problem()).toBeNull()
  })
})

test('a renamed table goes on, and a renamed column fails with the remedy', async () => {
  await install(`'orders', 'org', '{id,status}', 'order'`)
  await host.session.query('drop table if exists purchases; alter table orders rename to purchases')
  const add = `insert into purchases values (1, '${org}', 'open', 1)`
  expect(await host.changes(add)).toEqual([created({ id: 1, status: 'open' })])
  await host.session.query('alter table purchases rename status to "State of it"')
  await expect(host.changes('delete from purchases')).rejects.toMatchObject({
    code: '55000',
    message:
      'The table public.purchases publishes its changes and has no column status any more. ' +
      `Call posthorn.publish_changes('public.purchases', …) again, or posthorn.stop_publishing_changes('public.purchases').`,
  })
  await install(`'purchases', 'org', '{id,"State of it"}', 'order'`)
  expect(await host.changes('update purchases set amount = 2, "State of it" = $$paid$$')).toEqual([
    updated({ id: 1, 'State of it': 'open' }, { id: 1, 'State of it': 'paid' }),
  ])
  await host.session.query('drop table purchases')
})

test('names that need quotes, and a schema of the host, work', async () => {
  const table = `"My ""Shop""'s"."Order's \\ %I"`
  await host.session.query(`
    drop schema if exists "My ""Shop""'s" cascade; create schema "My ""Shop""'s";
    create table ${table} ("the id" int, "key" text, "Org %s" uuid, "select" text, "état ""ü""" int, primary key ("the id", "key"))`)
  await host.session.query(
    `select posthorn.publish_changes($1::regclass, $2, $3::name[], 'order')`,
    [table, 'Org %s', ['select', 'état "ü"', 'the id']],
  )
  const add = `insert into ${table} values (1, 'a\\b', '${host.organizationUuid}', 'x', 2)`
  const row = { select: 'x', 'état "ü"': 2, 'the id': 1 }
  expect(await host.changes(add)).toEqual([created(row)])
  expect(await host.changes(`update ${table} set "état ""ü""" = 3`)).toEqual([
    updated(row, { ...row, 'état "ü"': 3 }),
  ])
  expect((await installed()).map(({ key_columns: key }) => key)).toEqual([['the id', 'key']])
  await host.session.query(`drop schema "My ""Shop""'s" cascade`)
})
