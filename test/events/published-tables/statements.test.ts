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

const row = (id: number, status = 'open', total = 10.5) => ({ id, status, total })
const [open, paid] = [row(1), row(1, 'paid')]

/** Statements, each with the events that it publishes. */
const STATEMENTS: Record<string, readonly (readonly [string, readonly unknown[]])[]> = {
  'an insert, an update and a deletion publish the listed columns, and only these': [
    [insert(1), [created(open)]],
    [`update orders set status = 'paid'`, [updated(open, paid)]],
    ['delete from orders', [deleted(paid)]],
  ],
  'an update that changes no listed column publishes nothing': [
    [insert(1) + insert(2), [created(open), created(row(2))]],
    [`update orders set card_number = '42', status = status`, []],
    ['update orders set total = total + id - 1', [updated(row(2), row(2, 'open', 11.5))]],
  ],
  'a rollback, TRUNCATE and a session with session_replication_role = replica publish nothing': [
    [`begin; ${insert(1)} rollback`, []],
    [`begin; set local session_replication_role = replica; ${insert(1)} commit`, []],
    ['truncate orders', []],
    [insert(2), [created(row(2))]],
  ],
  'a row without an organization publishes nothing, until it gets one': [
    [insert(1, 'open', null), []],
    [`update orders set org = '${org}'`, [created(open)]],
    ['update orders set org = null', [deleted(open)]],
  ],
  'a row that moves to an organization is new there, and a deletion where it was': [
    [insert(1), [created(open)]],
    [`update orders set org = '${host.other}', status = 'paid'`, [deleted(open), created(paid)]],
  ],
  'a key that changes is a deletion and a creation': [
    [insert(1) + insert(2), [created(open), created(row(2))]],
    ['update orders set id = 3 where id = 1', [deleted(open), created(row(3))]],
  ],
  'INSERT … ON CONFLICT publishes what it inserts and what it updates': [
    [insert(1), [created(open)]],
    [
      `${insert(1).replace(';', '')}, (2, '${org}', 'open', 10.5, null) on conflict (id) do update set status = 'paid'`,
      [created(row(2)), updated(open, paid)],
    ],
    [`${insert(1).replace(';', '')} on conflict (id) do nothing`, []],
  ],
  'MERGE publishes each kind of change': [
    [insert(1) + insert(2), [created(open), created(row(2))]],
    [
      `merge into orders using (values (1, 'paid'), (2, 'gone'), (3, 'new')) as given (id, status) on orders.id = given.id
       when matched and given.status = 'gone' then delete
       when matched then update set status = given.status
       when not matched then insert values (given.id, '${org}', given.status, 1)`,
      [created(row(3, 'new', 1)), updated(open, paid), deleted(row(2))],
    ],
  ],
  'cascades of foreign keys publish': [
    [
      `create table lines (id int primary key, org text, order_id int references orders on delete cascade on update cascade);
       select posthorn.publish_changes('lines', 'org', '{id,order_id}', 'line');
       ${insert(1)} insert into lines values (1, '${org}', 1)`,
      [created(open), created({ id: 1, order_id: 1 }, 'line')],
    ],
    [
      'update orders set id = 7',
      [
        ...[deleted(open), created(row(7))],
        updated({ id: 1, order_id: 1 }, { id: 1, order_id: 7 }, 'line'),
      ],
    ],
    ['delete from orders', [deleted(row(7)), deleted({ id: 1, order_id: 7 }, 'line')]],
  ],
  'only the chosen operations publish': [
    [
      `select posthorn.publish_changes('orders', 'org', '{id}', 'order', operations => '{deleted}')`,
      [],
    ],
    [insert(1) + insert(2), []],
    ['update orders set id = 3 where id = 2', [deleted({ id: 2 })]],
  ],
}

test.each(Object.entries(STATEMENTS))('%s', async (_name, statements) => {
  for (const [statement, events] of statements) {
    const published = await host.changes(statement)
    expect(published, statement).toHaveLength(events.length)
    // The order of the kinds of one statement is open.
    expect(published, statement).toEqual(expect.arrayContaining([...events]))
  }
})

test('the events of a statement have the order of their keys', async () => {
  const published = await host.changes(
    `insert into orders select n, $1, 'open', n, null from generate_series(1, 500) as n`,
    [org],
  )
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
