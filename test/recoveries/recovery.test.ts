import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { testDelivery } from '../../src/deliveries/test-delivery.ts'
import { continueRecovery } from '../../src/recoveries/continue-recovery.ts'
import { deleteOldRecoveries } from '../../src/recoveries/delete-old-recoveries.ts'
import { recoverDeliveries } from '../../src/recoveries/recover-deliveries.ts'
import { cancelRecovery } from '../../src/recoveries/recovery.ts'
import { countRecoverable } from '../../src/recoveries/recovery-count.ts'
import { queueRecoveryPage } from '../../src/recoveries/recovery-page.ts'
import type { RecoveryInput } from '../../src/recoveries/recovery-scope.ts'
import { deleteWebhook, updateWebhook } from '../../src/webhooks/webhook.ts'
import { type Api, openApi } from '../graphql/support/api.ts'
import { addWebhook, publish } from '../graphql/support/rows.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { addDeliveries, addEvents, finish, makePastPartitions } from './recovery-rows.ts'

const HOUR_MS = 3_600_000
const MAX_RATE = 5_000

let api: Api
let organizationId: string
let webhookId: string
let webhookUuid: string

/** Three hours ago, to the minute. */
const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 3 * HOUR_MS)
const since = new Date(at.getTime() - HOUR_MS)

beforeAll(async () => {
  api = await openApi()
  await makePastPartitions(api.database.pool)
})
beforeEach(async () => {
  organizationId = (await api.tenant()).organizationId
  webhookId = (await addWebhook(api, organizationId)).id
  webhookUuid = parseId('webhook', webhookId) as string
})
afterAll(() => api[Symbol.asyncDispose]())

const events = (given: Partial<Parameters<typeof addEvents>[2]> = {}) =>
  addEvents(api.database.pool, organizationId, { at, ...given })
const deliveries = (uuids: string[], state: Parameters<typeof addDeliveries>[3]) =>
  addDeliveries(api.database.pool, webhookId, uuids, state)
const begin = (input: Partial<RecoveryInput & { dryRun: boolean }> = {}) =>
  recoverDeliveries(api.deps, organizationId, webhookId, {
    since,
    ratePerSecond: MAX_RATE,
    dryRun: false,
    ...input,
  })

async function recover(input: Partial<RecoveryInput> = {}) {
  const { recoveryUuid } = await begin(input)
  return await finish(api.database, recoveryUuid as string)
}

/** The deliveries of the webhook in the order of their ids. */
async function rows(where: object = {}) {
  return await api.database.prisma.delivery.findMany({
    where: { webhookId: webhookUuid, ...where },
    orderBy: { id: 'asc' },
  })
}

/** The keys of the jobs that are due, in the order in which workers claim them. */
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

describe('what is recovered', () => {
  test('FAILED redelivers the exhausted deliveries, under their ids, and leaves all others', async () => {
    const exhausted = await deliveries(await events({ count: 3 }), 'exhausted')
    const others = [
      ...(await deliveries(await events({ at: new Date(at.getTime() + 1_000) }), 'succeeded')),
      ...(await deliveries(await events({ at: new Date(at.getTime() + 2_000) }), 'canceled')),
    ]
    await events({ at: new Date(at.getTime() + 3_000), count: 2 })
    const before = await rows({ id: { in: others } })

    expect(await recover({ include: 'failed' })).toMatchObject({
      state: 'completed',
      total: 3,
      totalIsExact: true,
      redelivered: 3,
      created: 0,
    })
    const revived = await rows({ id: { in: exhausted } })
    for (const delivery of revived) {
      expect(delivery).toMatchObject({ state: 'pending', schedulePosition: 0, finishedAt: null })
      expect(delivery.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now())
    }
    expect(revived).toHaveLength(3)
    expect(await dueJobs()).toEqual(keys(revived))
    expect(await rows({ id: { in: others } })).toEqual(before)
    expect(await rows()).toHaveLength(5)
  })

  test('MISSED creates a delivery for each event without one, in the order of the events', async () => {
    const missed = await events({ count: 700 })
    const received = await events({ at: new Date(at.getTime() + 60_000), count: 3 })
    for (const [i, state] of (['exhausted', 'canceled', 'succeeded'] as const).entries()) {
      await deliveries([received[i] as string], state)
    }
    await events({ type: TICKET, at: new Date(at.getTime() + 5_000) })

    expect(await recover({ include: 'missed' })).toMatchObject({
      state: 'completed',
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

  test('ALL does both, and the events of several types come in their order', async () => {
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
    const [revived, ...created] = await rows({ state: 'pending' })
    expect(revived?.id).toBe(failed)
    expect(created.map(({ eventId }) => eventId)).toEqual(missed)
  })

  test('begins with the events of `since`, and ends before those of `until`', async () => {
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

  test('test deliveries and their events are skipped', async () => {
    await testDelivery(api.deps, organizationId, webhookId, JOINED)
    await api.database.prisma.delivery.updateMany({
      where: { webhookId: webhookUuid },
      data: { state: 'exhausted', finishedAt: new Date(), nextAttemptAt: null },
    })
    await events({ isTest: true })
    expect(await recover()).toMatchObject({ total: 0, redelivered: 0, created: 0 })
    expect(await rows({ state: 'exhausted' })).toHaveLength(1)
  })

  test('nothing of another webhook or organization is touched', async () => {
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
    'a dry run of %s changes nothing, and counts what then happens',
    async (include) => {
      await deliveries(await events({ count: 5 }), 'exhausted')
      await events({ at: new Date(at.getTime() + 1_000), count: 7 })
      const before = await rows()
      const { count, exact, recoveryUuid } = await begin({ include, dryRun: true })
      expect({ exact, recoveryUuid }).toEqual({ exact: true, recoveryUuid: null })
      expect(await rows()).toEqual(before)
      expect(await api.database.prisma.recovery.count({ where: { organizationId } })).toBe(0)

      const { redelivered, created } = await recover({ include })
      expect(redelivered + created).toBe(count)
      expect(count).toBe({ failed: 5, missed: 7, all: 12 }[include])
    },
  )

  test('beyond its bound a count says that it is not exact', async () => {
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

describe('nothing twice', () => {
  test('a repetition finds nothing to do', async () => {
    await deliveries(await events({ count: 2 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 1_000), count: 2 })
    await recover()
    const before = await rows()
    expect(await recover()).toMatchObject({ total: 0, redelivered: 0, created: 0 })
    expect(await rows()).toEqual(before)
  })

  test('a delivery that a recovery created is redelivered when it fails in turn', async () => {
    const old = new Date(at.getTime() - 20 * 24 * HOUR_MS)
    await events({ at: old })
    const range = { since: old, until: new Date(old.getTime() + 1) }
    await recover(range)
    await api.database.prisma.delivery.updateMany({
      where: { webhookId: webhookUuid },
      data: { state: 'exhausted', finishedAt: new Date(), nextAttemptAt: null },
    })
    expect(await begin({ ...range, dryRun: true })).toMatchObject({ count: 1 })
    expect(await recover(range)).toMatchObject({ redelivered: 1, created: 0 })
  })

  test('jobs of one recovery that run at once share its work', async () => {
    await deliveries(await events({ count: 900 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 60_000), count: 900 })
    const { recoveryUuid } = await begin()
    const id = recoveryUuid as string
    await Promise.all(Array.from({ length: 4 }, () => finish(api.database, id)))
    expect(await finish(api.database, id)).toMatchObject({
      state: 'completed',
      redelivered: 900,
      created: 900,
    })
    const all = await rows({ state: 'pending' })
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(1_800)
    expect(all).toHaveLength(1_800)
    expect(await dueJobs()).toHaveLength(1_800)
  })

  test('what is published meanwhile is delivered once', async () => {
    await events({ count: 500 })
    const { recoveryUuid } = await begin({ ratePerSecond: 1_000 })
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

  test('of several begun at once, one runs, and the others are rejected with its id', async () => {
    await events({ count: 10 })
    const begun = await Promise.allSettled(Array.from({ length: 5 }, () => begin()))
    const ids = begun.flatMap((one) => (one.status === 'fulfilled' ? [one.value.recoveryUuid] : []))
    expect(ids).toHaveLength(1)
    const running = publicId('recovery', ids[0] as string)
    for (const one of begun) {
      if (one.status === 'rejected') expect(one.reason.message).toContain(running)
    }
    expect(await begin({ dryRun: true })).toMatchObject({ count: 10 })
    await finish(api.database, ids[0] as string)
    expect(await recover()).toMatchObject({ state: 'completed', created: 0 })
  })
})

test('waits for a transaction that was publishing when it began', async () => {
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
    const { recoveryUuid, count } = await begin()
    expect(count).toBe(0)
    await queueRecoveryPage(api.database.prisma, recoveryUuid as string)
    expect(await queueRecoveryPage(api.database.prisma, recoveryUuid as string)).toBeGreaterThan(0)
    await client.query('commit')
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({ created: 1 })
  } finally {
    client.release()
  }
})

describe('its course', () => {
  test('N deliveries at a rate of r take N / r seconds at least, also with several workers', async () => {
    await deliveries(await events({ count: 300 }), 'exhausted')
    await events({ at: new Date(at.getTime() + 60_000), count: 300 })
    const { recoveryUuid } = await begin({ ratePerSecond: 400 })
    const begun = performance.now()
    await Promise.all([1, 2].map(() => finish(api.database, recoveryUuid as string)))
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_500)
    expect(await rows({ state: 'pending' })).toHaveLength(600)
  })

  test('a turn lasts a second or so, and leaves a job for the next', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await begin({ ratePerSecond: 10 })
    const id = publicId('recovery', recoveryUuid as string)
    await continueRecovery(api.database.prisma, id, undefined)
    const { redelivered, state } = await api.database.prisma.recovery.findUniqueOrThrow({
      where: { id: recoveryUuid as string },
    })
    expect(state).toBe('running')
    expect(redelivered).toBeGreaterThan(0)
    expect(redelivered).toBeLessThan(100)
    const { rows: jobs } = await api.database.pool.query(
      'select task_identifier from graphile_worker.jobs where key = $1',
      [id],
    )
    expect(jobs).toEqual([{ task_identifier: 'posthorn:recover_deliveries' }])
  })

  test('asked to stop, it makes no further page, and leaves its job to others', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await begin({ include: 'failed', ratePerSecond: 10 })
    const id = publicId('recovery', recoveryUuid as string)
    await continueRecovery(api.database.prisma, id, AbortSignal.abort())
    expect(await rows({ state: 'pending' })).toHaveLength(3)
  })

  test('canceled midway, it keeps what was done, says so, and the rest can be recovered', async () => {
    await deliveries(await events({ count: 100 }), 'exhausted')
    const { recoveryUuid } = await begin({ include: 'failed', ratePerSecond: 40 })
    const id = publicId('recovery', recoveryUuid as string)
    await queueRecoveryPage(api.database.prisma, recoveryUuid as string)
    await cancelRecovery(api.database.prisma, organizationId, id)
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({
      state: 'canceled',
      total: 100,
      redelivered: 10,
      finishedAt: expect.any(Date),
    })
    await continueRecovery(api.database.prisma, id, undefined)
    expect(await rows({ state: 'pending' })).toHaveLength(10)
    expect(await recover()).toMatchObject({ total: 90, redelivered: 90 })
    await expect(
      cancelRecovery(api.database.prisma, organizationId, await lastRecoveryId()),
    ).rejects.toThrow(/has completed. Only a running recovery can be canceled/)
  })

  test('it rests while its webhook is disabled', async () => {
    await events({ count: 5 })
    const { recoveryUuid } = await begin()
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: false })
    await continueRecovery(
      api.database.prisma,
      publicId('recovery', recoveryUuid as string),
      undefined,
    )
    expect(await rows()).toEqual([])
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: true })
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({ created: 5 })
  })

  test('it fails with its webhook, and says why', async () => {
    await events({ count: 5 })
    const { recoveryUuid } = await begin()
    await deleteWebhook(api.deps.webhooks, organizationId, webhookId)
    expect(await finish(api.database, recoveryUuid as string)).toMatchObject({
      state: 'failed',
      failure: 'The webhook was deleted.',
    })
    expect(await rows()).toEqual([])
  })

  test('after ten faults in a row it fails, and what it recovered stays', async () => {
    await deliveries(await events({ count: 20 }), 'exhausted')
    const { recoveryUuid } = await begin({ include: 'failed', ratePerSecond: 40 })
    const id = recoveryUuid as string
    await queueRecoveryPage(api.database.prisma, id)
    const rename = (from: string, to: string) =>
      api.database.pool.query(`alter function posthorn.${from} rename to ${to}`)
    await rename('schedule_deliveries', 'away')
    try {
      for (let fault = 1; fault <= 10; fault++) {
        await api.database.prisma.recovery.update({
          where: { id },
          data: { nextPageAt: new Date(0) },
        })
        const turn = continueRecovery(api.database.prisma, publicId('recovery', id), undefined)
        await expect(turn).rejects.toThrow(/schedule_deliveries/)
      }
    } finally {
      await rename('away', 'schedule_deliveries')
    }
    expect(await finish(api.database, id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('in the log of its worker'),
      redelivered: 10,
    })
    expect(await recover()).toMatchObject({ redelivered: 10 })
  })

  test('once it has ended it is kept as long as deliveries are; while it runs it stays', async () => {
    await events({ count: 2 })
    const kept = await recover({ since })
    const old = await recover({ since })
    const { recoveryUuid: running } = await begin({ since })
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

async function lastRecoveryId(): Promise<string> {
  const { id } = await api.database.prisma.recovery.findFirstOrThrow({
    where: { organizationId },
    orderBy: { id: 'desc' },
  })
  return publicId('recovery', id)
}
