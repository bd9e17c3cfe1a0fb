import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createLoadDelivery } from '../../src/deliveries/load-delivery.ts'
import { createRecordAttempt } from '../../src/deliveries/record-attempt.ts'
import { createKeyring } from '../../src/encryption.ts'
import { publicId } from '../../src/ids.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { attemptOf } from '../support/attempts.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'

let database: Database
let organizationId: string
/** One session, so that it keeps the plans that it made while there was nothing. */
let session: pg.PoolClient

beforeEach(async () => {
  database = await createTestDatabase()
  organizationId = (await createTenant(database.prisma)).organizationId
  await subscribe()
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
    const recordAttempt = createRecordAttempt(session, () => {})
    const record = (uuid: string) =>
      recordAttempt(attemptOf(publicId('delivery', uuid), 500, { retryDelayMs: 60_000 }))
    for (let i = 0; i < 10; i++) {
      await publish(1)
      await load(await lastDelivery())
      await record(await lastDelivery())
    }
    await publish(5_000)
    await publish(5_000)
    const wanted = await lastDelivery()

    expect(await rowsRead(() => publish(1))).toBeLessThan(50)
    expect(await rowsRead(() => load(wanted))).toBeLessThan(50)
    expect(await rowsRead(() => record(wanted))).toBeLessThan(50)
    expect(await load(wanted)).toMatchObject({ id: wanted, state: 'pending', webhook: 'enabled' })
    expect(await load(randomUUID())).toBeNull()
  },
)

test('what is owed to several webhooks is made due event by event', async () => {
  await subscribe()
  await subscribe()
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

async function subscribe(): Promise<void> {
  const deps = {
    prisma: database.prisma,
    keyring: createKeyring([Buffer.alloc(32, 1)]),
    guard: createAddressGuard([]),
  }
  const fields = { url: 'https://example.com/hooks', eventSubscriptions: [JOINED], enabled: true }
  await createWebhook(deps, organizationId, fields)
}

async function publish(count: number): Promise<void> {
  await session.query(
    `select from posthorn.insert_events(array_fill($1::uuid, array[$3::int]), array_fill($2::text, array[$3]),
       array_fill('{}'::text, array[$3]), array_fill(now(), array[$3]), array_fill(null::text, array[$3]),
       array_fill(null::text, array[$3]))`,
    [organizationId, JOINED, count],
  )
}

async function lastDelivery(): Promise<string> {
  const { rows } = await session.query<{ id: string }>(
    'select id from posthorn.deliveries order by id desc limit 1',
  )
  return rows[0]?.id as string
}

/** How many rows the session reads from tables and by indexes while something runs. */
async function rowsRead(run: () => Promise<unknown>): Promise<number> {
  // What was counted before is told to the server, and forgotten here.
  await session.query('select pg_stat_force_next_flush()')
  await session.query('begin')
  await run()
  const { rows } = await session.query<{ n: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
     where schemaname in ('posthorn', 'posthorn_partitions', 'graphile_worker')`,
  )
  await session.query('rollback')
  return rows[0]?.n as number
}
