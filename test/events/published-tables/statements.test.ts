import { beforeEach, describe, expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { created, createHostDatabase, deleted, updated } from './support.ts'

const host = await useResource(createHostDatabase())
const org = host.organization

beforeEach(async () => {
  await host.session.query(`
    rollback;
    drop table if exists public.lines, public.orders cascade;
    create table public.orders (id int primary key, org text, status text, total numeric, card_number text);
    select posthorn.publish_changes('orders', 'org', '{id,status,total}', 'order')`)
  await host.published()
})

const insert = (id: number, status = 'open', owner: string | null = org) =>
  `insert into orders values (${id}, ${owner === null ? 'null' : `'${owner}'`}, '${status}', 10.50, '4111');`

test('an insert, an update and a deletion each publish the listed columns, and only these', async () => {
  expect(await host.changes(insert(1))).toEqual([created({ id: 1, status: 'open', total: 10.5 })])
  expect(await host.changes(`update orders set status = 'paid'`)).toEqual([
    updated({ id: 1, status: 'open', total: 10.5 }, { id: 1, status: 'paid', total: 10.5 }),
  ])
  expect(await host.changes('delete from orders')).toEqual([
    deleted({ id: 1, status: 'paid', total: 10.5 }),
  ])
})

test('an update that changes no listed column publishes nothing', async () => {
  await host.changes(insert(1) + insert(2))
  expect(await host.changes(`update orders set card_number = '42', status = status`)).toEqual([])
  expect(await host.changes(`update orders set total = total + id - 1`)).toEqual([
    updated({ id: 2, status: 'open', total: 10.5 }, { id: 2, status: 'open', total: 11.5 }),
  ])
})

test('a rollback and TRUNCATE publish nothing', async () => {
  expect(await host.changes(`begin; ${insert(1)} rollback`)).toEqual([])
  await host.changes(insert(1))
  expect(await host.changes('truncate orders')).toEqual([])
})

test('500 rows in a statement are one call, and the events have the order of their keys', async () => {
  const { session } = host
  const calls = async () => {
    const { rows } = await session.query(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_xact_user_functions where funcname = 'insert_events'`,
    )
    return rows[0].calls
  }
  await session.query(`begin; set local track_functions = 'all'`)
  await session.query(
    `insert into orders select n, $1, 'open', n, null from generate_series(1, 500) as n`,
    [org],
  )
  expect(await calls()).toBe(1)
  await session.query('commit')
  const published = await host.published()
  expect(published.map(({ data }) => (data as { id: number }).id)).toEqual(
    Array.from({ length: 500 }, (_, i) => i + 1),
  )
})

describe('a statement above the limit', () => {
  test('fails with the table, the number and the remedy, and changes nothing', async () => {
    await host.changes(
      `insert into orders select n, '${org}', 'open', n from generate_series(1, 1000) as n`,
    )
    await host.changes(`insert into orders select 1001, '${org}', 'open', 1`)
    await expect(host.changes(`update orders set status = 'paid'`)).rejects.toMatchObject({
      code: 'PH413',
      message:
        'The table public.orders would publish 1001 events for one statement, which is more than its limit of 1000. ' +
        `Change fewer rows in a statement, or call posthorn.publish_changes('public.orders', …) again with a larger max_events.`,
    })
    expect(await host.published()).toEqual([])
    expect(await host.changes(`update orders set status = 'paid' where id < 1001`)).toHaveLength(
      1_000,
    )
  })

  test('counts only rows that publish', async () => {
    await host.changes(
      `insert into orders select n, null, 'open', n from generate_series(1, 2000) as n`,
    )
    expect(await host.changes(`update orders set status = 'paid'`)).toEqual([])
  })
})

test('a row of more than 256 KiB fails with the table and the remedy', async () => {
  await expect(host.changes(insert(1, 'x'.repeat(262_140)))).rejects.toMatchObject({
    code: 'PH413',
    message: expect.stringMatching(
      /^A row of the table public\.orders has \d+ bytes of data and previous data as JSON\..* without the large columns\.$/,
    ),
  })
})

describe('the organization', () => {
  test('is that of each row, in one statement', async () => {
    await host.changes(insert(1) + insert(2, 'open', host.other))
    await host.changes(`update orders set status = 'paid'`)
    const { rows } = await host.database.pool.query(
      `select posthorn.type_id('org', organization_id) as organization, data::json -> 'id' as id
       from posthorn.events order by events.id desc limit 2`,
    )
    expect(rows).toEqual([
      { organization: host.other, id: 2 },
      { organization: org, id: 1 },
    ])
  })

  test('null publishes nothing, until the row gets one', async () => {
    expect(await host.changes(insert(1, 'open', null))).toEqual([])
    const row = { id: 1, status: 'open', total: 10.5 }
    expect(await host.changes(`update orders set org = '${org}'`)).toEqual([created(row)])
    expect(await host.changes(`update orders set org = null`)).toEqual([deleted(row)])
  })

  test('that changes does not see what the row was for the other one', async () => {
    await host.changes(insert(1))
    const moved = await host.changes(`update orders set org = '${host.other}', status = 'moved'`)
    expect(moved).toEqual([
      deleted({ id: 1, status: 'open', total: 10.5 }),
      created({ id: 1, status: 'moved', total: 10.5 }),
    ])
  })

  test('that does not exist fails the statement, with the value and the column', async () => {
    await expect(host.changes(insert(1, 'open', 'org_7'))).rejects.toMatchObject({
      code: '22023',
      message: expect.stringMatching(
        /^A row of the table public\.orders has 'org_7' in its column org, and there is no such organization\. Give/,
      ),
    })
  })

  test('may be a uuid, in a column of type uuid, varchar or a domain', async () => {
    for (const type of ['uuid', 'varchar(50)', 'owner_id']) {
      await host.changes(`
        drop table orders; drop domain if exists owner_id; create domain owner_id as uuid check (value is not null);
        create table orders (id int primary key, org ${type}, status text, total numeric);
        select posthorn.publish_changes('orders', 'org', '{id}', 'order')`)
      expect(
        await host.changes(insert(1, 'open', host.organizationUuid).replace(`, '4111'`, '')),
      ).toEqual([created({ id: 1 })])
    }
  })
})

test('a key that changes is a deletion and a creation', async () => {
  await host.changes(insert(1, 'a') + insert(2, 'b'))
  expect(await host.changes('update orders set id = 3 where id = 1')).toEqual([
    deleted({ id: 1, status: 'a', total: 10.5 }),
    created({ id: 3, status: 'a', total: 10.5 }),
  ])
})

test('INSERT … ON CONFLICT DO UPDATE publishes what it inserts and what it updates', async () => {
  await host.changes(insert(1))
  const upsert = `
    insert into orders select n, '${org}', 'new', 10.5 from generate_series(1, 2) as n
    on conflict (id) do update set status = 'again'`
  const events = await host.changes(upsert)
  expect(events.map(({ type }) => type).toSorted()).toEqual(['order.created', 'order.updated'])
  expect(await host.changes(`${upsert.split('do update')[0]} do nothing`)).toEqual([])
})

test('MERGE publishes each kind of change', async () => {
  await host.changes(insert(1) + insert(2))
  const events = await host.changes(`
    merge into orders using (values (1, 'paid'), (2, 'gone'), (3, 'new')) as given (id, status) on orders.id = given.id
    when matched and given.status = 'gone' then delete
    when matched then update set status = given.status
    when not matched then insert values (given.id, '${org}', given.status, 1)`)
  expect(events.map(({ type, data }) => [type, (data as { id: number }).id]).toSorted()).toEqual([
    ['order.created', 3],
    ['order.deleted', 2],
    ['order.updated', 1],
  ])
})

test('cascades of foreign keys publish', async () => {
  await host.changes(`
    create table lines (id int primary key, org text, order_id int references orders on delete cascade on update cascade);
    select posthorn.publish_changes('lines', 'org', '{id,order_id}', 'line');
    ${insert(1)} insert into lines values (1, '${org}', 1), (2, '${org}', 1)`)
  const renumbered = await host.changes('update orders set id = 7')
  expect(renumbered).toEqual(
    expect.arrayContaining([
      updated({ id: 1, order_id: 1 }, { id: 1, order_id: 7 }, 'line'),
      updated({ id: 2, order_id: 1 }, { id: 2, order_id: 7 }, 'line'),
    ]),
  )
  const gone = await host.changes('delete from orders')
  expect(gone).toHaveLength(3)
  expect(gone).toContainEqual(deleted({ id: 2, order_id: 7 }, 'line'))
})

test('a session with session_replication_role = replica publishes nothing', async () => {
  expect(
    await host.changes(`begin; set local session_replication_role = replica; ${insert(1)} commit`),
  ).toEqual([])
  expect(await host.changes(insert(2))).toHaveLength(1)
})

test('only the chosen operations publish', async () => {
  await host.changes(
    `select posthorn.publish_changes('orders', 'org', '{id}', 'order', operations => '{deleted}')`,
  )
  await host.changes(insert(1) + insert(2))
  expect(await host.changes('update orders set id = 3 where id = 2')).toEqual([deleted({ id: 2 })])
  expect(await host.changes('delete from orders where id = 1')).toEqual([deleted({ id: 1 })])
})
