import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { testDelivery } from '../../src/deliveries/test-delivery.ts'
import { createFanOut } from '../../src/events/fan-out.ts'
import { backgroundQueue } from '../../src/queue/background.ts'
import { continueRecovery } from '../../src/recoveries/continue-recovery.ts'
import { deleteOldRecoveries } from '../../src/recoveries/delete-old-recoveries.ts'
import { followRecovery } from '../../src/recoveries/follow-recovery.ts'
import { recoverDeliveries } from '../../src/recoveries/recover-deliveries.ts'
import { cancelRecovery } from '../../src/recoveries/recovery.ts'
import { countRecoverable } from '../../src/recoveries/recovery-count.ts'
import { queueRecoveryPage } from '../../src/recoveries/recovery-page.ts'
import type { RecoveryInput } from '../../src/recoveries/recovery-scope.ts'
import { deleteWebhook, updateWebhook } from '../../src/webhooks/webhook.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { addDeliveries, addEvents, createPartitionsOfRetention, finish } from './recovery-rows.ts'

const HOUR_MS = 3_600_000
const MAX_RATE = 5_000

let api: Api
let organizationId: string
let token: string
let webhookId: string
let webhookUuid: string

/** Three hours ago, rounded to the minute. */
const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 3 * HOUR_MS)
const since = new Date(at.getTime() - HOUR_MS)

beforeAll(async () => {
  api = await openApi()
  await createPartitionsOfRetention(api.database.pool)
})
beforeEach(async () => {
  ;({ organizationId, token } = await api.tenant())
  webhookId = (await addWebhook(api, organizationId)).id
  webhookUuid = parseId('webhook', webhookId) as string
})
afterAll(() => api[Symbol.asyncDispose]())

const events = (fields: Partial<Parameters<typeof addEvents>[2]> = {}) =>
  addEvents(api.database.pool, organizationId, { at, ...fields })
const deliveries = (uuids: string[], state: Parameters<typeof addDeliveries>[3]) =>
  addDeliveries(api.database.pool, webhookId, uuids, state)
const start = (input: Partial<RecoveryInput & { dryRun: boolean }> = {}) =>
  recoverDeliveries(api.deps, organizationId, webhookId, {
    since,
    ratePerSecond: MAX_RATE,
    dryRun: false,
    ...input,
  })

async function recover(input: Partial<RecoveryInput> = {}) {
  const { recoveryUuid } = await start(input)
  return await finish(api.database, recoveryUuid as string)
}

/** The webhook's deliveries in the order of their ids. */
async function rows(where: object = {}) {
  return await api.database.prisma.delivery.findMany({
    where: { webhookId: webhookUuid, ...where },
    orderBy: { id: 'asc' },
  })
}

/** The keys of due jobs, in the order in which workers claim them. */
async function dueJobs(): Promise<string[]> {
  const { rows } = await api.database.pool.query<{ key: string }>(
    `select job.key from graphile_worker.jobs as job
     join posthorn.deliveries as d on d.webhook_id = $1 and job.key = posthorn.type_id('msg', d.id)
     where job.run_at <= now() order by job.run_at, job.id`,
    [webhookUuid],
  )
  return rows.map(({ key }) => key)
}

const keys = (list: { id: string }[]) => list.map(({ id }) => publicId('delivery', id))

describe('a recovery', () => {
  test('of FAILED redelivers the exhausted deliveries under their ids, and no others', async () => {
    const exhausted = await deliveries(await events({ count: 3 }), 'exhausted')
    const others = [
      ...(await deliveries(await events({ at: new Date(at.getTime() + 1_000) }), 'succeeded')),
      ...(await deliveries(await events({ at: new Date(at.getTime() + 2_000) }), 'canceled')),
    ]
    await events({ at: new Date(at.getTime() + 3_000), count: 2 })
    const before = await rows({ id: { in: others } })

    expect(await recover({ include: 'failed' })).toMatchObject({
      state: 'following',
      total: 3,
      totalIsExact: true,
      redelivered: 3,
      created: 0,
    })
    const reopened = await rows({ id: { in: exhausted } })
    for (const delivery of reopened) {
      expect(delivery).toMatchObject({ state: 'pending', schedulePosition: 0, finishedAt: null })
      expect(delivery.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
    }
    expect(reopened).toHaveLength(3)
    expect((await dueJobs()).toSorted()).toEqual(keys(reopened).toSorted())
    expect(await rows({ id: { in: others } })).toEqual(before)
    expect(await rows()).toHaveLength(5)
  })

  test('of MISSED waits for events that still fan out, and creates nothing twice', async () => {
    const { pool } = api.database
    await pool.query(
      `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
       select $1, 'https://example.com/', true, array[$2] from generate_series(1, 300)`,
      [organizationId, JOINED],
    )
    const owner = publicId('organization', organizationId)
    await pool.query(`select posthorn.publish_event($1, $2, '{}')`, [owner, JOINED])
    const { recoveryUuid } = await start({ include: 'missed' })
    const page = await queueRecoveryPage(pool, recoveryUuid as string)
    expect(page?.waitMs).toBeGreaterThan(0)
    expect(await rows()).toEqual([])
    await createFanOut(pool)(organizationId, new AbortController().signal)
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({ created: 0 })
    expect(await rows()).toHaveLength(1)
  })

  test('of MISSED creates a delivery for each event without one, in the order of the events', async () => {
    const missed = await events({ count: 700 })
    const received = await events({ at: new Date(at.getTime() + 60_000), count: 3 })
    for (const [i, state] of (['exhausted', 'canceled', 'succeeded'] as const).entries()) {
      await deliveries([received[i] as string], state)
    }
    await events({ type: TICKET, at: new Date(at.getTime() + 5_000) })

    expect(await recover({ include: 'missed' })).toMatchObject({
      state: 'following',
      total: 700,
      redelivered: 0,
      created: 700,
    })
    const created = await rows({ state: 'pending' })
    expect(created.map(({ eventId }) => eventId)).toEqual(missed)
    expect(created[0]).toMatchObject({ organizationId, eventType: JOINED, attemptCount: 0 })
    expect(await dueJobs()).toEqual(keys(created))
    expect(await rows()).toHaveLength(703)
  })

  test('of ALL does both, with the events of several types in order', async () => {
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, {
      eventSubscriptions: [TICKET, JOINED],
    })
    const [failed] = await deliveries(await events(), 'exhausted')
    const missed = [
      ...(await events({ at: new Date(at.getTime() + 10) })),
      ...(await events({ at: new Date(at.getTime() + 20), type: TICKET })),
      ...(await events({ at: new Date(at.getTime() + 30) })),
    ]
    expect(await recover()).toMatchObject({ total: 4, redelivered: 1, created: 3 })
    const [reopened, ...created] = await rows({ state: 'pending' })
    expect(reopened?.id).toBe(failed)
    expect(created.map(({ eventId }) => eventId)).toEqual(missed)
  })

  test('includes the events of `since`, and excludes those of `until`', async () => {
    const until = new Date(at.getTime() + 1_000)
    const before = await events({ at: new Date(at.getTime() - 1) })
    const first = await events({ at })
    const last = await events({ at: new Date(until.getTime() - 1) })
    const after = await events({ at: until })
    const [failedFirst, failedBefore, failedAfter] = [
      ...(await deliveries(first, 'exhausted')),
      ...(await deliveries(before, 'exhausted')),
      ...(await deliveries(after, 'exhausted')),
    ]
    expect(await recover({ since: at, until })).toMatchObject({ redelivered: 1, created: 1 })
    const pending = await rows({ state: 'pending' })
    expect(pending.map(({ eventId }) => eventId)).toEqual([...first, ...last])
    expect(pending[0]?.id).toBe(failedFirst)
    const left = await rows({ state: 'exhausted' })
    expect(left.map(({ id }) => id)).toEqual([failedBefore, failedAfter])
  })

  test('skips test deliveries and their events', async () => {
    await testDelivery(api.deps, organizationId, webhookId, { eventType: JOINED })
    await api.database.prisma.delivery.updateMany({
      where: { webhookId: webhookUuid },
      data: { state: 'exhausted', finishedAt: new Date(), nextAttemptAt: null },
    })
    await events({ isTest: true })
    expect(await recover()).toMatchObject({ total: 0, redelivered: 0, created: 0 })
    expect(await rows({ state: 'exhausted' })).toHaveLength(1)
  })

  test('changes nothing of other webhooks and organizations', async () => {
    const other = await api.tenant()
    await addEvents(api.database.pool, other.organizationId, { at })
    const sibling = await addWebhook(api, organizationId)
    const theirs = await addDeliveries(api.database.pool, sibling.id, await events(), 'exhausted')
    expect(await recover()).toMatchObject({ redelivered: 0, created: 1 })
    const untouched = await api.database.prisma.delivery.findMany({ where: { id: { in: theirs } } })
    expect(untouched).toMatchObject([{ state: 'exhausted' }])
  })
})

describe('counting', () => {
  test.each(['failed', 'missed', 'all'] as const)(
    'a dry run of %s changes nothing, and counts what the recovery then queues',
    async (include) => {
      await deliveries(await events({ count: 5 }), 'exhausted')
      await events({ at: new Date(at.getTime() + 1_000), count: 7 })
      const before = await rows()
      const { count, exact, recoveryUuid } = await start({ include, dryRun: true })
      expect({ exact, recoveryUuid }).toEqual({ exact: true, recoveryUuid: null })
      expect(await rows()).toEqual(before)
      expect(await api.database.prisma.recovery.count({ where: { organizationId } })).toBe(0)

      const { redelivered, created } = await recover({ include })
      expect(redelivered + created).toBe(count)
      expect(count).toBe({ failed: 5, missed: 7, all: 12 }[include])
    },
  )

  test('a count above its maximum is marked as not exact', async () => {
    await deliveries(await events({ count: 5 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 1_000), count: 5 })
    const webhook = { id: webhookUuid, organizationId, eventSubscriptions: [JOINED] }
    const count = (include: 'failed' | 'missed', atMost: number) =>
      countRecoverable(api.database.pool, webhook, { include, since, until: new Date() }, atMost)
    expect(await count('failed', 4)).toEqual({ count: 4, exact: false })
    expect(await count('failed', 5)).toEqual({ count: 5, exact: true })
    expect(await count('missed', 9)).toMatchObject({ exact: false })
    expect(await count('missed', 10)).toEqual({ count: 5, exact: true })
  })
})

describe('nothing is delivered twice', () => {
  test('a repeated recovery queues nothing', async () => {
    await deliveries(await events({ count: 2 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 1_000), count: 2 })
    await recover()
    const before = await rows()
    expect(await recover()).toMatchObject({ total: 0, redelivered: 0, created: 0 })
    expect(await rows()).toEqual(before)
  })

  test('a delivery that a recovery created is redelivered if it fails too', async () => {
    const old = new Date(at.getTime() - 20 * 24 * HOUR_MS)
    await events({ at: old })
    const range = { since: old, until: new Date(old.getTime() + 1) }
    await recover(range)
    await api.database.prisma.delivery.updateMany({
      where: { webhookId: webhookUuid },
      data: { state: 'exhausted', finishedAt: new Date(), nextAttemptAt: null },
    })
    expect(await start({ ...range, dryRun: true })).toMatchObject({ count: 1 })
    expect(await recover(range)).toMatchObject({ redelivered: 1, created: 0 })
  })

  test('concurrent jobs of one recovery share its work', async () => {
    await deliveries(await events({ count: 900 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 60_000), count: 900 })
    const { recoveryUuid } = await start()
    const id = recoveryUuid as string
    await Promise.all(Array.from({ length: 4 }, () => finish(api.database, id)))
    expect(await finish(api.database, id)).toMatchObject({
      state: 'following',
      redelivered: 900,
      created: 900,
    })
    const all = await rows({ state: 'pending' })
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(1_800)
    expect(all).toHaveLength(1_800)
    expect(await dueJobs()).toHaveLength(1_800)
  })

  test('events published during a recovery are delivered once', async () => {
    await events({ count: 500 })
    const { recoveryUuid } = await start({ ratePerSecond: 1_000 })
    let published = 0
    const publishing = (async () => {
      while (published < 200) published += (await publish(api, organizationId, 10)).length
    })()
    await finish(api.database, recoveryUuid as string)
    await publishing
    expect(await recover()).toMatchObject({ redelivered: 0, created: 0 })
    const all = await rows()
    expect(all).toHaveLength(500 + published)
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(500 + published)
  })

  test('of several recoveries started at once, one runs, and the others are rejected with its id', async () => {
    await events({ count: 10 })
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => start()))
    const ids = started.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value.recoveryUuid] : [],
    )
    expect(ids).toHaveLength(1)
    const running = publicId('recovery', ids[0] as string)
    for (const one of started) {
      if (one.status === 'rejected') expect(one.reason.message).toContain(running)
    }
    expect(await start({ dryRun: true })).toMatchObject({ count: 10 })
    await finish(api.database, ids[0] as string)
    expect(await recover()).toMatchObject({ state: 'completed', created: 0 })
  })
})

test('a recovery waits for a transaction that was publishing at its start', async () => {
  const client = await api.database.pool.connect()
  try {
    await api.database.prisma.webhook.update({
      where: { id: webhookUuid },
      data: { enabled: false },
    })
    await client.query('begin')
    await client.query('select posthorn.publish_events($1, $2)', [
      publicId('organization', organizationId),
      JSON.stringify([{ type: JOINED, data: {} }]),
    ])
    await api.database.prisma.webhook.update({
      where: { id: webhookUuid },
      data: { enabled: true },
    })
    const { recoveryUuid, count } = await start()
    expect(count).toBe(0)
    await queueRecoveryPage(api.database.background, recoveryUuid as string)
    const page = await queueRecoveryPage(api.database.background, recoveryUuid as string)
    expect(page?.waitMs).toBeGreaterThan(0)
    await client.query('commit')
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({ created: 1 })
  } finally {
    client.release()
  }
})

describe('while it runs, a recovery', () => {
  test('queues N deliveries at a rate of r in at least N / r seconds, even with several workers', async () => {
    await deliveries(await events({ count: 300 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 60_000), count: 300 })
    const { recoveryUuid } = await start({ ratePerSecond: 400 })
    const startedAtMs = performance.now()
    await Promise.all([1, 2].map(() => finish(api.database, recoveryUuid as string)))
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_500)
    expect(await rows({ state: 'pending' })).toHaveLength(600)
  })

  test('runs until a page has to wait, and enqueues the next job in the queue of its organization', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await start({ ratePerSecond: 10 })
    const id = publicId('recovery', recoveryUuid as string)
    await continueRecovery(api.database.background, parseId('recovery', id) as string, undefined)
    const { redelivered, state } = await api.database.prisma.recovery.findUniqueOrThrow({
      where: { id: recoveryUuid as string },
    })
    expect(state).toBe('running')
    expect(redelivered).toBeGreaterThan(0)
    expect(redelivered).toBeLessThan(100)
    const { rows: jobs } = await api.database.pool.query(
      `select task_identifier, queue_name, run_at > updated_at as waits from graphile_worker.jobs where key = $1`,
      [id],
    )
    expect(jobs).toEqual([
      {
        task_identifier: 'posthorn:recover_deliveries',
        queue_name: backgroundQueue(organizationId),
        waits: true,
      },
    ])
  })

  test('queues no further page after an abort, and leaves a job for other workers', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await start({ include: 'failed', ratePerSecond: 10 })
    const id = publicId('recovery', recoveryUuid as string)
    await continueRecovery(
      api.database.background,
      parseId('recovery', id) as string,
      AbortSignal.abort(),
    )
    expect(await rows({ state: 'pending' })).toHaveLength(3)
  })

  test('can be canceled: queued deliveries stay queued, and another recovery queues the rest', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await start({ include: 'failed', ratePerSecond: 40 })
    const id = publicId('recovery', recoveryUuid as string)
    await queueRecoveryPage(api.database.background, recoveryUuid as string)
    await cancelRecovery(api.database.prisma, organizationId, id, SYSTEM)
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({
      state: 'canceled',
      total: 100,
      redelivered: 10,
      finishedAt: expect.any(Date),
    })
    await continueRecovery(api.database.background, parseId('recovery', id) as string, undefined)
    expect(await rows({ state: 'pending' })).toHaveLength(10)
    expect(await recover()).toMatchObject({ total: 90, redelivered: 90 })
    await expect(
      cancelRecovery(api.database.prisma, organizationId, await lastRecoveryId(), SYSTEM),
    ).rejects.toThrow(
      /has queued all its deliveries already. Only a recovery that is queueing can be canceled/,
    )
  })

  test('says what came of its queued deliveries, also after it was canceled', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await start({ include: 'failed', ratePerSecond: 40 })
    const id = recoveryUuid as string
    await queueRecoveryPage(api.database.background, id)
    const queued = (await rows({ state: 'pending' })).map((delivery) => delivery.id)
    expect(queued).toHaveLength(10)
    await end(queued.slice(0, 3), 'succeeded')
    await followRecovery(api.database.background, id)
    const { prisma } = api.database
    expect(await prisma.recovery.findUniqueOrThrow({ where: { id } })).toMatchObject({
      state: 'running',
      succeeded: 3,
      exhausted: 0,
    })

    await cancelRecovery(prisma, organizationId, publicId('recovery', id), SYSTEM)
    await end(queued.slice(3, 7), 'exhausted')
    expect(await follow(id)).toBeGreaterThan(0)
    await end(queued.slice(7), 'canceled')
    expect(await follow(id)).toBeNull()
    expect(await prisma.recovery.findUniqueOrThrow({ where: { id } })).toMatchObject({
      state: 'canceled',
      succeeded: 3,
      exhausted: 4,
      canceled: 3,
    })
    const { rows: items } = await api.database.pool.query(
      'select from posthorn.recovery_items where recovery_id = $1',
      [id],
    )
    expect(items).toEqual([])
  })

  test('lists in pages the deliveries that were exhausted again, and only to its organization', async () => {
    await deliveries(await events({ count: 5 }), 'exhausted')
    const { recoveryUuid } = await start({ include: 'failed' })
    const uuid = recoveryUuid as string
    await queueRecoveryPage(api.database.background, uuid)
    const queued = await rows({ state: 'pending' })
    const [delivered, ...failed] = queued.map(({ id }) => id)
    await end([delivered as string], 'succeeded')
    await end(failed, 'exhausted')
    await follow(uuid)

    const id = publicId('recovery', uuid)
    const query = `query ($id: ID!, $after: String) { recovery(id: $id) { exhausted
      exhaustedDeliveries(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } } }`
    const read = async (after: string | null, caller = token) =>
      (await api.call(caller, query, { id, after })).data.recovery
    const first = await read(null)
    expect(first.exhausted).toBe(4)
    const newestFirst = keys(queued.slice(1).toReversed()).map((key) => ({ id: key }))
    expect(first.exhaustedDeliveries.nodes).toEqual(newestFirst.slice(0, 3))
    const { hasNextPage, endCursor } = first.exhaustedDeliveries.pageInfo
    expect(hasNextPage).toBe(true)
    const second = await read(endCursor)
    expect(second.exhaustedDeliveries.nodes).toEqual(newestFirst.slice(3))
    expect(second.exhaustedDeliveries.pageInfo.hasNextPage).toBe(false)
    expect(await read(null, (await api.tenant()).token)).toBeNull()
  })

  test('pauses while its webhook is disabled', async () => {
    await events({ count: 5 })
    const { recoveryUuid } = await start()
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: false })
    await continueRecovery(api.database.background, recoveryUuid as string, undefined)
    expect(await rows()).toEqual([])
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: true })
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({ created: 5 })
  })

  test('fails with a reason if its webhook is deleted', async () => {
    await events({ count: 5 })
    const { recoveryUuid } = await start()
    await deleteWebhook(api.deps.webhooks, organizationId, webhookId)
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({
      state: 'failed',
      failure: 'The webhook was deleted.',
    })
    expect(await rows()).toEqual([])
  })

  test('fails after ten consecutive faults, and queued deliveries stay queued', async () => {
    await deliveries(await events({ count: 20 }), 'exhausted')
    const { recoveryUuid } = await start({ include: 'failed', ratePerSecond: 40 })
    const id = recoveryUuid as string
    await queueRecoveryPage(api.database.background, id)
    const rename = (from: string, to: string) =>
      api.database.pool.query(`alter function posthorn.${from} rename to ${to}`)
    await rename('schedule_deliveries', 'renamed')
    try {
      for (let fault = 1; fault <= 10; fault++) {
        await api.database.prisma.recovery.update({
          where: { id },
          data: { nextPageAt: new Date(0) },
        })
        const run = continueRecovery(api.database.background, id, undefined)
        await expect(run).rejects.toThrow(/schedule_deliveries/)
      }
    } finally {
      await rename('renamed', 'schedule_deliveries')
    }
    expect(await finish(api.database, id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('the worker log has the details'),
      redelivered: 10,
    })
    expect(await recover()).toMatchObject({ redelivered: 10 })
  })

  test('is never deleted; an ended recovery is kept as long as deliveries', async () => {
    await events({ count: 2 })
    const kept = await recover({ since })
    const old = await recover({ since })
    const { recoveryUuid: running } = await start({ since })
    await api.database.pool.query(
      `update posthorn.recoveries set finished_at = now() - interval '1 hour 1 second' where id = $1`,
      [old.id],
    )
    await deleteOldRecoveries(api.database.pool, HOUR_MS)
    const left = await api.database.prisma.recovery.findMany({
      where: { organizationId },
      orderBy: { id: 'asc' },
    })
    expect(left.map(({ id }) => id)).toEqual([kept.id, running])
  })
})

/** Ends deliveries, as their last attempts do. */
async function end(uuids: readonly string[], state: 'succeeded' | 'exhausted' | 'canceled') {
  await api.database.prisma.delivery.updateMany({
    where: { id: { in: [...uuids] } },
    data: { state, finishedAt: new Date(), nextAttemptAt: null },
  })
}

/** The next pass over the unfinished deliveries, without the pause before it. */
async function follow(id: string): Promise<number | null> {
  await api.database.prisma.recovery.update({ where: { id }, data: { nextPageAt: new Date(0) } })
  return await followRecovery(api.database.background, id)
}

async function lastRecoveryId(): Promise<string> {
  const { id } = await api.database.prisma.recovery.findFirstOrThrow({
    where: { organizationId },
    orderBy: { id: 'desc' },
  })
  return publicId('recovery', id)
}
