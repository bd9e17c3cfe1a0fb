import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createLoadDelivery } from '../../src/deliveries/load-delivery.ts'
import { createRecordAttempt } from '../../src/deliveries/record-attempt.ts'
import { publicId } from '../../src/ids.ts'
import { attemptOf, SENT_BY } from '../support/attempts.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'

let database: Database
let organizationId: string
/** One session, so that it keeps the plans that it made while there was nothing. */
let session: pg.PoolClient

beforeEach(async () => {
  database = await createTestDatabase()
  organizationId = (await createTenant(database.prisma)).organizationId
  await subscribe(database, organizationId, [JOINED])
  session = await database.pool.connect()
})
afterEach(async () => {
  session.release()
  await database[Symbol.asyncDispose]()
})

test.each(['without statistics', 'with statistics'])(
  'a session that began on an empty database, %s, publishes, loads and records by index among 10,000 deliveries',
  async (known) => {
    if (known === 'with statistics') await session.query('vacuum analyze')
    const load = createLoadDelivery(session)
    const recordAttempt = createRecordAttempt(session, SENT_BY)
    const record = (uuid: string) =>
      recordAttempt(attemptOf(publicId('delivery', uuid), 500, { retryDelayMs: 60_000 }))
    for (let i = 0; i < 10; i++) {
      await publish(1)
      await load(await lastDelivery())
      await record(await lastDelivery())
    }
    const far = await lastDelivery()
    await publish(5_000)
    await publish(5_000)
    const wanted = await lastDelivery()

    expect(await rowsRead(() => publish(1))).toBeLessThan(50)
    expect(await rowsRead(() => load(wanted))).toBeLessThan(50)
    expect(await rowsRead(() => record(wanted))).toBeLessThan(50)
    const both = [far, wanted]
    expect(await rowsRead(() => Promise.all(both.map(load)))).toBeLessThan(50)
    expect(await rowsRead(() => Promise.all(both.map(record)))).toBeLessThan(50)
    expect(await load(wanted)).toMatchObject({ id: wanted, state: 'pending', webhook: 'enabled' })
    expect(await load(randomUUID())).toBeNull()
    expect(await load('00000000-0000-0000-0000-000000000000')).toBeNull()
    expect(await load('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBeNull()
  },
)

test('a session that began with one webhook works by index among 2,000 of others, and as many types', async () => {
  const load = createLoadDelivery(session)
  const recordAttempt = createRecordAttempt(session, SENT_BY)
  const record = (uuid: string) => recordAttempt(attemptOf(publicId('delivery', uuid), 200))
  const work = async () => {
    await publish(1)
    await load(await lastDelivery())
    await record(await lastDelivery())
  }
  await work()
  // So the plans expect the few that there are.
  await session.query('vacuum analyze')
  for (let i = 0; i < 10; i++) await work()
  // Of ids before and after its own.
  await session.query(`
    insert into posthorn.organizations (id, name) select posthorn.uuid_v7(), 'Other' from generate_series(1, 1000);
    insert into posthorn.organizations (id, name)
      select ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Other' from generate_series(1, 1000) as i;
    insert into posthorn.webhooks
      select (jsonb_populate_record(w, jsonb_build_object('id', o.id, 'organization_id', o.id))).*
      from posthorn.webhooks as w, posthorn.organizations as o where o.name = 'Other';
    insert into posthorn.webhook_conditions (webhook_id, last_success_at)
      select w.id, now() from posthorn.webhooks as w on conflict do nothing;
    insert into posthorn.webhook_schedules (webhook_id)
      select w.id from posthorn.webhooks as w on conflict do nothing;
    insert into posthorn.event_types (name, description)
      select 'other.type_' || i, 'One of many.' from generate_series(1, 2000) as i`)
  expect(await rowsRead(() => publish(1))).toBeLessThan(50)
  const wanted = await lastDelivery()
  expect(await rowsRead(() => load(wanted))).toBeLessThan(50)
  expect(await rowsRead(() => record(wanted))).toBeLessThan(50)
  await publish(1)
  const { rows } = await session.query('select count(*)::int as n from posthorn.deliveries')
  expect(rows).toEqual([{ n: 12 }])
})

test('loading and recording search the days of their deliveries, however many are kept', async () => {
  const load = createLoadDelivery(session)
  const recordAttempt = createRecordAttempt(session, SENT_BY)
  const record = (uuid: string) => recordAttempt(attemptOf(publicId('delivery', uuid), 200))
  await session.query('select posthorn.create_partitions(current_date - 40, current_date + 7)')
  const today = await owe(0, 0)
  const old = await owe(3, 3)
  // As a recovery makes them, of an event that nobody subscribed to when it occurred.
  const late = await owe(3, 30)

  expect(await daysSearched(() => load(today))).toEqual(['deliveries 0: 1', 'events 0: 1'])
  expect(await daysSearched(() => load(old))).toEqual(['deliveries 3: 1', 'events 3: 1'])
  expect(await daysSearched(() => load(late))).toEqual(['deliveries 3: 1', 'events 30: 1'])
  // Before PostgreSQL 18 a kept plan of this would read all that lies between.
  if ((await serverVersion()) >= 18) {
    expect(await daysSearched(() => record(old))).toEqual(['deliveries 3: 1'])
  }

  const together = [today, late, old]
  expect(await Promise.all(together.map(load))).toMatchObject([
    { id: today, body: '{"days":0}', traceParent: null },
    { id: late, body: '{"days":30}', traceParent: 'of an event 30 days old' },
    { id: old, body: '{"days":3}', traceParent: null },
  ])
  expect(await Promise.all(together.map(record))).toMatchObject(
    together.map(() => ({ number: 1, state: 'succeeded' })),
  )
})

test('what is recorded together is not compared each with each, where two days hold many deliveries', async () => {
  const count = 100
  // So many under way at once are recorded by one statement.
  const recordAttempt = createRecordAttempt(session, SENT_BY, count)
  const record = (uuid: string) => recordAttempt(attemptOf(publicId('delivery', uuid), 503))
  await session.query('select posthorn.create_partitions(current_date - 1, current_date)')
  await publish(25_000)
  await session.query(`
    insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, next_attempt_at)
    select overlay(posthorn.uuid_v7_lower_bound(now() - interval '1 day')::text placing right(id::text, 12) from 25)::uuid,
      organization_id, webhook_id, event_id, event_type, 'infinity'
    from posthorn.deliveries`)
  await session.query('vacuum analyze')
  const { rows } = await session.query<{ id: string }>(
    'select id from posthorn.deliveries where next_attempt_at <= now() limit $1',
    [count],
  )
  const plans = await plansOf(() => Promise.all(rows.map(({ id }) => record(id))))
  expect(plans).toContain('Update on deliveries')
  expect(plans).not.toContain('Removed by Join Filter')
})

test.each(['without statistics', 'with statistics'])(
  'a session that began on an empty database, %s, releases a few of 10,000 in line by index, and a probe, and finds the lines',
  async (known) => {
    if (known === 'with statistics') await session.query('vacuum analyze')
    const { rows: webhooks } = await session.query('select id from posthorn.webhooks')
    const webhook = webhooks[0].id as string
    const release = () => session.query('select posthorn.release_waiting($1, 20)', [webhook])
    const probe = async () => {
      await session.query('select posthorn.hold_webhook($1, now(), now())', [webhook])
      return await session.query('select posthorn.release_probe($1, now(), now())', [webhook])
    }
    const tidy = () => session.query('select posthorn.tidy_webhook_schedules()')
    const endHold = async () => {
      await session.query('select posthorn.end_hold($1)', [webhook])
      await session.query('update posthorn.webhook_schedules set slow_start_since = null')
    }
    for (let i = 0; i < 10; i++) {
      await probe()
      await publish(3)
      await probe()
      await tidy()
      await endHold()
      await release()
    }
    // The last release emptied the line.
    await session.query('update posthorn.webhook_schedules set backlog_since = now()')
    await publish(5_000)
    await publish(5_000)

    expect(await rowsRead(release)).toBeLessThan(200)
    expect(await rowsRead(probe)).toBeLessThan(50)
    expect(await rowsRead(tidy)).toBeLessThan(50)
    expect((await release()).rows).toEqual([{ release_waiting: 20 }])
    expect((await probe()).rows).toEqual([{ release_probe: true }])
  },
)

test('what is owed to several webhooks is made due event by event', async () => {
  await subscribe(database, organizationId, [JOINED])
  await subscribe(database, organizationId, [JOINED])
  await publish(20)
  const { rows } = await database.pool.query<{ event_id: string }>(
    `select d.event_id from graphile_worker._private_jobs as job
     join posthorn.deliveries as d on posthorn.type_id('msg', d.id) = job.key order by job.id`,
  )
  const events = rows.map((row) => row.event_id)
  expect(events).toHaveLength(60)
  expect(events).toEqual(events.toSorted())
})

test('SQL writes every id as the rest of Posthorn does', async () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']
  const uuids = [...edges, ...Array.from({ length: 500 }, () => randomUUID())]
  const { rows } = await database.pool.query<{ id: string }>(
    `select posthorn.type_id('msg', id) as id from unnest($1::uuid[]) with ordinality as given (id, i) order by i`,
    [uuids],
  )
  expect(rows.map(({ id }) => id)).toEqual(uuids.map((uuid) => publicId('delivery', uuid)))
})

/** Those of all statements that run meanwhile, inside functions too. */
async function plansOf(run: () => Promise<unknown>): Promise<string> {
  const said: string[] = []
  const note = ({ message = '' }) => void said.push(message)
  await session.query(`
    load 'auto_explain'; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
    set client_min_messages = log; set auto_explain.log_min_duration = 0`)
  session.on('notice', note)
  await run()
  session.off('notice', note)
  await session.query('reset client_min_messages; reset auto_explain.log_min_duration')
  return said.join('\n')
}

async function publish(count: number): Promise<void> {
  await session.query(
    `select from posthorn.insert_events(array_fill($1::uuid, array[$3::int]), array_fill($2::text, array[$3]),
       array_fill('{}'::text, array[$3]), array_fill(now(), array[$3]), array_fill(null::text, array[$3]),
       array_fill(null::text, array[$3]), array[$2],
       array(select xmin::text from posthorn.event_types where name = $2 limit 1))`,
    [organizationId, JOINED, count],
  )
}

/** A delivery that was made some days ago for an event that occurred then or earlier. */
async function owe(days: number, eventDays: number): Promise<string> {
  const { rows } = await session.query<{ id: string }>(
    `with event as (
       insert into posthorn.events (id, organization_id, type, occurred_at, body, trace_parent)
       select overlay(posthorn.uuid_v7_lower_bound(now() - $2 * interval '1 day')::text placing $3 from 25)::uuid, w.organization_id,
         $4, now(), '{"days":' || $2::int || '}', case when $2 = 30 then 'of an event 30 days old' end
       from posthorn.webhooks as w returning id, organization_id, type
     )
     insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, next_attempt_at)
     select overlay(posthorn.uuid_v7_lower_bound(now() - $1 * interval '1 day')::text placing $3 from 25)::uuid,
       event.organization_id, w.id, event.id, event.type, now()
     from event, posthorn.webhooks as w returning id`,
    [days, eventDays, randomUUID().slice(-12), JOINED],
  )
  return rows[0]?.id as string
}

async function serverVersion(): Promise<number> {
  const { rows } = await session.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  )
  return rows[0]?.major as number
}

async function lastDelivery(): Promise<string> {
  const { rows } = await session.query<{ id: string }>(
    'select id from posthorn.deliveries order by id desc limit 1',
  )
  return rows[0]?.id as string
}

/** Which partitions of events and deliveries the session searches while something runs, of how many days ago: how often. */
async function daysSearched(run: () => Promise<unknown>): Promise<string[]> {
  return await inTransaction(run, async () => {
    const { rows } = await session.query<{ searched: string }>(
      `select format('%s %s: %s', parent, (now() at time zone 'UTC')::date - to_date(day, 'YYYYMMDD'), seq_scan + idx_scan)
         as searched
       from pg_stat_xact_user_tables as t, split_part(t.relname, '_', 1) as parent, split_part(t.relname, '_', 2) as day
       where t.schemaname = 'posthorn_partitions' and parent in ('events', 'deliveries')
         and t.seq_scan + t.idx_scan > 0 order by 1`,
    )
    return rows.map((row) => row.searched)
  })
}

/** How many rows the session reads from tables and by indexes while something runs. */
async function rowsRead(run: () => Promise<unknown>): Promise<number> {
  return await inTransaction(run, async () => {
    const { rows } = await session.query<{ n: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
       where schemaname in ('posthorn', 'posthorn_partitions', 'graphile_worker')`,
    )
    return rows[0]?.n as number
  })
}

/** What was counted while something ran that leaves nothing behind. */
async function inTransaction<Count>(
  run: () => Promise<unknown>,
  count: () => Promise<Count>,
): Promise<Count> {
  // What was counted before is told to the server, and forgotten here.
  await session.query('select pg_stat_force_next_flush()')
  await session.query('begin')
  await run()
  const counted = await count()
  await session.query('rollback')
  return counted
}
