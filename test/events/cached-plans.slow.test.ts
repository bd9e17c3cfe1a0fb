import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLoadDelivery } from '../../src/deliveries/attempts/load-delivery.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { createStoreEvents } from '../../src/events/store-events.ts'
import { pruneSchedules, releaseBacklog } from '../../src/scheduling/backlog.ts'
import { putOnHold, releaseProbe } from '../../src/scheduling/circuit-breaker.ts'
import { endHold } from '../../src/webhooks/end-hold.ts'
import { attemptOf, type DeliveryRow } from '../support/attempts.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { serverVersion } from '../support/server-version.ts'

let organizationId: string
/** One session for all statements, so that Postgres caches the plans that it made for empty tables. */
let session: pg.PoolClient

const database = useFreshDatabase()

beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
  await subscribe(database, organizationId, [JOINED])
  session = await database.pipeline.connect()
})
afterEach(() => session.release())

test.each(['without', 'with'])('%s statistics, old plans use indexes to publish', async (known) => {
  if (known === 'with') await session.query('vacuum analyze')
  const load = createLoadDelivery(session)
  const recordAttempt = createRecordAttempt(session)
  const retry = { next: { kind: 'retry', delayMs: 60_000 }, retriesLeft: 3 } as const
  const record = async (uuid: string) => recordAttempt(attemptOf(await read(uuid), 500, retry))
  for (let i = 0; i < 10; i++) {
    await publish(1)
    await load(await lastDelivery())
    await record(await lastDelivery())
  }
  const early = await lastDelivery()
  await publish(5_000)
  await publish(5_000)
  const late = await lastDelivery()

  const both = [early, late]
  await withAnyStatistics(async () => {
    expect(await rowsRead(() => publish(1))).toBeLessThan(50)
    expect(await rowsRead(() => load(late))).toBeLessThan(50)
    expect(await rowsRead(() => record(late))).toBeLessThan(50)
    expect(await rowsRead(() => Promise.all(both.map(load)))).toBeLessThan(50)
    // Before PostgreSQL 18, a cached plan can read all deliveries between the two.
    if ((await serverVersion(session)) >= 18) {
      expect(await rowsRead(() => Promise.all(both.map(record)))).toBeLessThan(50)
    }
  })
  expect(await load(late)).toMatchObject({ id: late, state: 'pending', webhook: 'enabled' })
  expect(await load(randomUUID())).toBeNull()
  expect(await load('00000000-0000-0000-0000-000000000000')).toBeNull()
  expect(await load('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBeNull()
})

test.each(['without', 'with'])('%s statistics, old plans use indexes to release', async (known) => {
  if (known === 'with') await session.query('vacuum analyze')
  const { rows: webhooks } = await session.query('select id from posthorn.webhooks')
  const webhook = webhooks[0].id as string
  const release = () => releaseBacklog(session, webhook, 20)
  const hold = () => putOnHold(session, webhook)
  const probe = async () => {
    await session.query('update posthorn.webhook_schedules set next_probe_at = now()')
    await releaseProbe(session, webhook, 0)
  }
  const resume = async () => {
    await endHold(session, webhook)
    await session.query('update posthorn.webhook_schedules set slow_start_since = null')
  }
  for (let i = 0; i < 10; i++) {
    await hold()
    await publish(3)
    await probe()
    await pruneSchedules(session)
    await resume()
    await release()
  }
  await hold()
  await publish(5_000)
  await publish(5_000)

  await withAnyStatistics(async () => {
    expect(await rowsRead(probe)).toBeLessThan(50)
    expect(await rowsRead(() => pruneSchedules(session))).toBeLessThan(50)
    expect(await rowsRead(hold)).toBeLessThan(50)
  })
  await resume()
  await withAnyStatistics(async () => expect(await rowsRead(release)).toBeLessThan(200))
  expect(await release()).toBe(20)
})

async function publish(count: number): Promise<void> {
  const event = {
    ...{ organizationId, type: JOINED, typeRevision: '1', data: '{}', occurredAt: new Date() },
    ...{ idempotencyKey: null, traceParent: null, traceState: null, previous: null },
  }
  await createStoreEvents(session, () => {})({ rows: Array(count).fill(event), apiKey: null })
}

/** Uses another session than the one whose reads are counted. */
async function read(uuid: string): Promise<DeliveryRow> {
  return await database.prisma.delivery.findUniqueOrThrow({ where: { id: uuid } })
}

async function lastDelivery(): Promise<string> {
  const { rows } = await session.query<{ id: string }>(
    'select id from posthorn.deliveries order by id desc limit 1',
  )
  return rows[0]?.id as string
}

/** Runs with the cached plans, and again with new plans: Postgres plans again after each renewal of its statistics. */
async function withAnyStatistics(check: () => Promise<void>): Promise<void> {
  await check()
  await session.query('vacuum analyze')
  for (let i = 0; i < 2; i++) await check()
}

/** The rows that the session reads during `run`, of Posthorn's tables and of graphile-worker's. Rolls back the changes. */
async function rowsRead(run: () => Promise<unknown>): Promise<number> {
  // Flushes the earlier counts of the session, so that they do not count here.
  await session.query('select pg_stat_force_next_flush()')
  await session.query('begin')
  await run()
  const { rows } = await session.query(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables
     where schemaname in ('posthorn', 'posthorn_partitions', 'graphile_worker')`,
  )
  await session.query('rollback')
  return rows[0].n
}
