import { beforeEach, expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { created, createHostDatabase, deleted, updated } from './support.ts'

const host = await useResource(createHostDatabase())
const org = host.organization

beforeEach(async () => {
  await host.session.query(`
    drop table if exists public.orders;
    create table public.orders (id int, day date, org text, status text, primary key (id, day)) partition by range (day);
    create table public.orders_1 partition of public.orders for values from ('2026-01-01') to ('2026-02-01');
    -- Its columns have another order than those of its parent.
    create table public.orders_2 (status text, gone int, day date not null, id int not null, org text);
    alter table public.orders_2 drop column gone;
    alter table public.orders attach partition public.orders_2 for values from ('2026-02-01') to ('2026-03-01');
    select posthorn.publish_changes('orders', 'org', '{id,day,status}', 'order')`)
  await host.published()
})

const row = (id: number, day: string, status = 'open') => ({ id, day, status })
const ADD = `insert into orders values
  (1, '2026-01-05', $1, 'open'), (2, '2026-02-05', $1, 'open'), (3, '2026-01-06', $1, 'open')`

test('a statement on the parent publishes the rows of all partitions once', async () => {
  expect(await host.changes(ADD, [org])).toEqual([
    created(row(1, '2026-01-05')),
    created(row(2, '2026-02-05')),
    created(row(3, '2026-01-06')),
  ])
  expect(await host.changes(`update orders set status = 'paid' where id < 3`)).toEqual([
    updated(row(1, '2026-01-05'), row(1, '2026-01-05', 'paid')),
    updated(row(2, '2026-02-05'), row(2, '2026-02-05', 'paid')),
  ])
  expect(await host.changes('delete from orders where id = 3')).toEqual([
    deleted(row(3, '2026-01-06')),
  ])
})

test('a statement on a partition publishes its rows once', async () => {
  await host.changes(ADD, [org])
  const paid = `update orders_2 set status = 'paid'`
  expect(await host.changes(paid)).toEqual([
    updated(row(2, '2026-02-05'), row(2, '2026-02-05', 'paid')),
  ])
  const add = `insert into orders_2 (id, day, org, status) values (4, '2026-02-06', '${org}', 'new')`
  expect(await host.changes(add)).toEqual([created(row(4, '2026-02-06', 'new'))])
})

test('COPY publishes its rows', async () => {
  const copied = `copy orders (id, day, org, status) from program 'printf "1,2026-01-05,${org},open\\n2,2026-02-05,${org},open"' (format csv)`
  expect(await host.changes(copied)).toEqual([
    created(row(1, '2026-01-05')),
    created(row(2, '2026-02-05')),
  ])
})

test('a partition that comes later publishes by its parent, and by itself after another call', async () => {
  await host.session.query(
    `create table orders_3 partition of orders for values from ('2026-03-01') to ('2026-04-01')`,
  )
  const insert = (table: string, id: number) =>
    host.changes(
      `insert into ${table} (id, day, org, status) values (${id}, '2026-03-0${id}', '${org}', 'open')`,
    )
  expect(await insert('orders', 1)).toHaveLength(1)
  expect(await insert('orders_3', 2)).toEqual([])
  const all = `select table_name, partition_of, problem from posthorn.published_tables
    order by table_name::text`
  const problems = async () => (await host.session.query(all)).rows
  expect(await problems()).toEqual([
    {
      table_name: 'orders',
      partition_of: null,
      problem: 'The partition public.orders_3 publishes nothing for statements on itself.',
    },
    { table_name: 'orders_1', partition_of: 'orders', problem: null },
    { table_name: 'orders_2', partition_of: 'orders', problem: null },
  ])
  await host.session.query(
    `select posthorn.publish_changes('orders', 'org', '{id,day,status}', 'order')`,
  )
  expect(await insert('orders_3', 3)).toHaveLength(1)
  expect((await problems()).map(({ problem }) => problem)).toEqual([null, null, null, null])
})

test('stop_publishing_changes ends it for the partitions too', async () => {
  await host.session.query(`select posthorn.stop_publishing_changes('orders')`)
  expect(await host.changes(ADD, [org])).toEqual([])
  expect(await host.changes(`update orders_1 set status = 'paid'`)).toEqual([])
})
