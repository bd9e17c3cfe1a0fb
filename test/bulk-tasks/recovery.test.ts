import { beforeEach, describe, expect, test } from 'vitest'
import { mintId, parseId, publicId } from '../../src/db/ids.ts'
import { fanOut } from '../../src/events/fan-out.ts'
import { runPage } from '../../src/queue/long-work.ts'
import { updateWebhook } from '../../src/webhooks/save-webhook.ts'
import { deleteWebhook } from '../../src/webhooks/webhook.ts'
import { type Tenant, useApi } from '../graphql/support/api.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import {
  addDeliveries,
  addEvents,
  createPartitionsOfRetention,
  finish,
  runJob,
  workDeps,
} from './rows.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let tenant: Tenant
let organizationId: string
let webhookId: string
let webhookUuid: string

/** Three hours ago, rounded to the minute. */
const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 3 * HOUR_MS)
const since = new Date(at.getTime() - HOUR_MS)
const later = (ms: number) => new Date(at.getTime() + ms)

const api = await useApi('own')
await createPartitionsOfRetention(api.database.pool)

beforeEach(async () => {
  tenant = await api.tenant()
  ;({ organizationId } = tenant)
  webhookId = (await tenant.addWebhook()).id
  webhookUuid = parseId('webhook', webhookId) as string
})

const events = (fields: Partial<Parameters<typeof addEvents>[2]> = {}) =>
  addEvents(api.database.pool, organizationId, { at, ...fields })
const deliveries = (uuids: string[], state: Parameters<typeof addDeliveries>[3]) =>
  addDeliveries(api.database.pool, webhookId, uuids, state)

const run = (operation: string, variables: object, by = tenant) =>
  by.run('bulk-tasks', operation, variables)

/** The answer of `redeliver` for missed events. */
async function answer(missed: object = {}, options: object = {}, by = tenant) {
  const input = { missed: { webhookId, since, ...missed }, ratePerSecond: 5_000, ...options }
  return await run('RedeliverInBackground', { input }, by)
}

/** Starts a recovery and returns its uuid. */
async function start(missed: object = {}, options: object = {}): Promise<string> {
  const { task } = await answer(missed, options)
  return parseId('bulkTask', task.id) as string
}

/** Starts a redelivery of what failed, which waits for no transaction, and returns its uuid. */
async function startFailed(ratePerSecond = 5_000): Promise<string> {
  const filter = { webhookIds: [webhookId], states: ['EXHAUSTED'] }
  const { task } = await run('RedeliverInBackground', { input: { filter, ratePerSecond } })
  return parseId('bulkTask', task.id) as string
}

/** Starts a recovery, and returns it once it has queued its deliveries. */
const recover = async (missed: object = {}) => finish(api.database, await start(missed))

const taskOf = (uuid: string) => run('BulkTask', { id: publicId('bulkTask', uuid) })

/** Queues the next page. */
const queuePage = (uuid: string) => runPage(workDeps(api.database), uuid)

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
  test('waits for events that still fan out, and creates nothing twice', async () => {
    const { pool } = api.database
    await pool.query(
      `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions)
       select $1, 'https://example.com/', true, array[$2] from generate_series(1, 300)`,
      [organizationId, JOINED],
    )
    const owner = publicId('organization', organizationId)
    await pool.query(`select posthorn.publish_event($1, $2, '{}')`, [owner, JOINED])
    const uuid = await start()
    expect((await queuePage(uuid))?.waitMs).toBeGreaterThan(0)
    expect(await rows()).toEqual([])
    await fanOut(pool, organizationId, new AbortController().signal)
    expect(await finish(api.database, uuid)).toMatchObject({ changed: 0 })
    expect(await rows()).toHaveLength(1)
  })

  test('creates a delivery for each event without one, in the order of the events', async () => {
    const missed = await events({ count: 520 })
    const received = await events({ at: later(60_000), count: 3 })
    for (const [i, state] of (['exhausted', 'canceled', 'succeeded'] as const).entries()) {
      await deliveries([received[i] as string], state)
    }
    await events({ type: TICKET, at: later(5_000) })

    expect(await recover()).toMatchObject({
      state: 'completed',
      total: 520,
      changed: 520,
    })
    const created = await rows({ state: 'pending' })
    expect(created.map(({ eventId }) => eventId)).toEqual(missed)
    expect(created[0]).toMatchObject({ organizationId, eventType: JOINED, attemptCount: 0 })
    expect(await dueJobs()).toEqual(keys(created))
    expect(await rows()).toHaveLength(523)
  })

  test("leaves out what today's filter refuses, unless told otherwise, and creates deliveries of several types in order", async () => {
    const missed = [
      ...(await events({ count: 3 })),
      ...(await events({ at: later(20), type: TICKET })),
      ...(await events({ at: later(30), count: 2 })),
    ]
    await api.database.pool.query(
      `update posthorn.events set data = case when id = any ($1) then '{"n":1}' else '{"n":2}' end`,
      [missed.slice(2)],
    )
    const filter = '{"path":"$.n","op":"equals","value":1}'
    const changes = { eventSubscriptions: ['event_attendee.*'], filter }
    const options = { allowsPatterns: true }
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, changes, options)
    expect(await recover()).toMatchObject({ total: 4, changed: 4 })
    expect((await rows()).map(({ eventId }) => eventId)).toEqual(missed.slice(2))
    expect(await recover({ ignoreFilter: true })).toMatchObject({ total: 2, changed: 2 })
    expect(await rows()).toHaveLength(6)
  })

  test('includes the events of `since`, and excludes those of `until`, test events, and those of others', async () => {
    const until = later(1_000)
    await events({ at: later(-1) })
    const first = await events({ at })
    const last = await events({ at: new Date(until.getTime() - 1) })
    await events({ at: until })
    await events({ isTest: true })
    const other = await api.tenant()
    await addEvents(api.database.pool, other.organizationId, { at })
    const sibling = await tenant.addWebhook()
    const theirs = await addDeliveries(api.database.pool, sibling.id, first, 'exhausted')
    expect(await recover({ since: at, until })).toMatchObject({ total: 2, changed: 2 })
    expect((await rows()).map(({ eventId }) => eventId)).toEqual([...first, ...last])
    const untouched = await api.database.prisma.delivery.findMany({ where: { id: { in: theirs } } })
    expect(untouched).toMatchObject([{ state: 'exhausted' }])
  })
})

describe('nothing is delivered twice', () => {
  test('events published during a recovery are delivered once', async () => {
    await events({ count: 100 })
    const uuid = await start({}, { ratePerSecond: 200 })
    let published = 0
    const publishing = (async () => {
      while (published < 40) published += (await tenant.publish(10)).length
    })()
    await finish(api.database, uuid)
    await publishing
    expect(await recover()).toMatchObject({ changed: 0 })
    const all = await rows()
    expect(all).toHaveLength(100 + published)
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(100 + published)
  })

  test('of several recoveries started at once, one runs, and the others are rejected with its id', async () => {
    await events({ count: 10 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => answer()))
    const [started, second] = answers.filter(({ task }) => task)
    expect(second).toBeUndefined()
    for (const other of answers) {
      if (other === started) continue
      expect(other).toMatchObject({
        __typename: 'ConflictError',
        message: expect.stringContaining(started.task.id),
      })
    }
    expect(await answer({}, { dryRun: true })).toMatchObject({ count: 10 })
    await finish(api.database, parseId('bulkTask', started.task.id) as string)
    expect(await recover()).toMatchObject({ state: 'completed', changed: 0 })
  })
})

test('a recovery waits for a transaction that was publishing at its start', async () => {
  const client = await api.database.pool.connect()
  const enable = (enabled: boolean) =>
    updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled })
  try {
    await enable(false)
    await client.query('begin')
    await client.query('select posthorn.publish_events($1, $2)', [
      publicId('organization', organizationId),
      JSON.stringify([{ type: JOINED, data: {} }]),
    ])
    await enable(true)
    const uuid = await start()
    expect(await taskOf(uuid)).toMatchObject({ total: 0 })
    await queuePage(uuid)
    expect((await queuePage(uuid))?.waitMs).toBeGreaterThan(0)
    await client.query('commit')
    expect(await finish(api.database, uuid)).toMatchObject({ changed: 1 })
  } finally {
    client.release()
  }
})

describe('while it runs, a task', () => {
  test('queues N deliveries at a rate of r in at least N / r seconds, even with several workers', async () => {
    await events({ count: 300 })
    const uuid = await start({}, { ratePerSecond: 300 })
    const startedAtMs = performance.now()
    await Promise.all([1, 2].map(() => finish(api.database, uuid)))
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_000)
    expect(await rows({ state: 'pending' })).toHaveLength(300)
  })

  test('pauses while its webhook is disabled, and fails with a reason if the webhook is deleted', async () => {
    await events({ count: 5 })
    const uuid = await start()
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: false })
    await runJob(api.database, uuid)
    expect(await rows()).toEqual([])
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: true })
    expect(await finish(api.database, uuid)).toMatchObject({ changed: 5 })

    await events({ at: later(1_000), count: 5 })
    const next = await start()
    await deleteWebhook(api.deps.webhooks, organizationId, webhookId)
    const failure = 'The webhook was deleted.'
    expect(await finish(api.database, next)).toMatchObject({ state: 'failed', failure })
    expect(await rows()).toHaveLength(5)
    expect(await taskOf(next)).toMatchObject({ webhookId, webhook: null })
  })

  test('goes on where it was after a fault, and queued deliveries stay queued', async () => {
    await deliveries(await events({ count: 20 }), 'exhausted')
    const uuid = await startFailed(40)
    await queuePage(uuid)
    const rename = (from: string, to: string) =>
      api.database.pool.query(`alter function posthorn.${from} rename to ${to}`)
    await rename('schedule_deliveries', 'renamed')
    try {
      await expect(runJob(api.database, uuid)).rejects.toThrow(/schedule_deliveries/)
    } finally {
      await rename('renamed', 'schedule_deliveries')
    }
    expect(await taskOf(uuid)).toMatchObject({ state: 'RUNNING', changed: 10 })
    expect(await finish(api.database, uuid)).toMatchObject({ changed: 20 })
  })
})

describe('over GraphQL, a recovery', () => {
  test('is a bulk task, which says what it recovers', async () => {
    const missed = await events({ count: 5 })
    await deliveries(missed.slice(0, 2), 'exhausted')
    const { count, countIsExact, task } = await answer({}, { ratePerSecond: null })
    expect({ count, countIsExact }).toEqual({ count: 3, countIsExact: true })
    expect(task).toMatchObject({
      ...{ webhookId, action: 'RECOVER', recovery: { since: since.toISOString() } },
      ...{ ratePerSecond: 500, state: 'RUNNING', failure: null, finishedAt: null },
      ...{ total: 3, totalIsExact: true, changed: 0, progress: 0 },
    })
    await finish(api.database, parseId('bulkTask', task.id) as string)
    expect(await run('BulkTask', { id: task.id })).toMatchObject({
      state: 'COMPLETED',
      changed: 3,
      progress: 1,
      webhook: { id: webhookId },
    })
  })

  test.each([
    ['since', 'invalid_range', { since: at, until: later(-1) }, /^since must be before until and/],
    ['since', 'invalid_range', { since: new Date(Date.now() + DAY_MS) }, /before now/],
  ])('is refused for the %s: %s (%#)', async (field, code, input, message) => {
    expect(await answer(input)).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['missed', field], code, message: expect.stringMatching(message) }],
    })
    expect((await run('BulkTasks', {})).nodes).toEqual([])
  })

  test('of a webhook that does not exist, or of another organization, is not found', async () => {
    const other = await api.tenant()
    for (const refused of [
      await answer({ webhookId: 'wh_x' }),
      await answer({ webhookId: mintId('webhook') }),
      await answer({}, {}, other),
    ]) {
      expect(refused).toMatchObject({ __typename: 'NotFoundError' })
    }
  })

  test('of a disabled webhook is refused with the remedy; a dry run is allowed', async () => {
    await events({ count: 2 })
    await updateWebhook(api.deps.webhooks, organizationId, webhookId, { enabled: false })
    expect(await answer()).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining(`${webhookId} is disabled`),
    })
    const counted = { count: 2, countIsExact: true, task: null }
    expect(await answer({}, { dryRun: true })).toMatchObject(counted)
    expect((await run('BulkTasks', {})).nodes).toEqual([])
    expect(await rows()).toEqual([])
  })
})
