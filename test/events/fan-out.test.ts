import { beforeEach, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { restartFanOuts, fanOut as runFanOut } from '../../src/events/fan-out.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { releaseBacklog } from '../../src/scheduling/backlog.ts'
import { countRows } from '../support/count-rows.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'

/** More than one statement creates. */
const MANY = 520

let organizationId: string
const { signal } = new AbortController()

const database = await useTestDatabase()
const publishEvents = createPublishEvents(database.pool, createCatalogue(database.pool))
beforeEach(async () => {
  organizationId = (await createTenant(database.prisma)).organizationId
  await completeJobs()
  await database.pool.query('delete from posthorn.fan_outs')
})

test('an event for many webhooks is answered with its number of deliveries, and a job creates them in pages', async () => {
  const webhooks = await addWebhooks(MANY)
  const [published] = await publish(1)
  expect(published).toMatchObject({ deliveryCount: MANY, duplicate: false })
  expect(await deliveries()).toEqual([])
  expect(await fanOutJobs()).toBe(1)

  expect(await createPage(200)).toBe(200)
  expect(await deliveries()).toHaveLength(200)
  await fanOut()
  const created = await deliveries()
  expect(created.map(({ webhookId }) => webhookId)).toEqual(webhooks)
  expect(new Set(created.map(({ state }) => state))).toEqual(new Set(['pending']))
  expect(created.every(({ hasJob }) => hasJob)).toBe(true)
  expect(await createPage(200)).toBe(0)
})

test('a call fans out event by event, and each webhook gets each event once', async () => {
  await addWebhooks(3, { types: [JOINED, TICKET] })
  await addWebhooks(4, { types: [TICKET] })
  const events = Array.from({ length: 1_000 }, (_, i) => ({
    type: i % 2 === 0 ? JOINED : TICKET,
    data: { i },
  }))
  const published = await publishEvents(organizationId, events)
  const counts = published.map(({ deliveryCount }) => deliveryCount)
  expect(counts.slice(0, 4)).toEqual([3, 7, 3, 7])

  const atOnce = await deliveries()
  expect(atOnce).toHaveLength(2_000)
  for (let created = await createPage(333); created > 0; created = await createPage(333));
  const all = await deliveries()
  expect(all).toHaveLength(counts.reduce((sum, count) => sum + count))
  expect(new Set(all.map(({ eventId, webhookId }) => eventId + webhookId)).size).toBe(all.length)
  // The deliveries are in the order of their creation.
  const order = all.map(({ eventId }) => eventId)
  expect(order).toEqual(order.toSorted())
})

test('the other organizations of a statement, and later small events of the same one, do not wait', async () => {
  await addWebhooks(MANY)
  await addWebhooks(1, { types: [TICKET] })
  const other = (await createTenant(database.prisma)).organizationId
  await addWebhooks(50, { organization: other })
  const [large, small] = await Promise.all([
    publishEvents(organizationId, [{ type: JOINED, data: {} }]),
    publishEvents(other, [{ type: JOINED, data: {} }]),
  ])
  expect([large[0]?.deliveryCount, small[0]?.deliveryCount]).toEqual([MANY, 50])
  expect(await deliveries()).toEqual([])
  expect(await deliveries(other)).toHaveLength(50)
  await publish(1, TICKET)
  expect(await deliveries()).toHaveLength(1)
})

test('a repeated idempotency key returns the event, and fans nothing out again', async () => {
  await addWebhooks(MANY)
  const event = { type: JOINED, data: {}, idempotencyKey: 'once' }
  const [first] = await publishEvents(organizationId, [event])
  const [again] = await publishEvents(organizationId, [event])
  await fanOut()
  const [later] = await publishEvents(organizationId, [event])
  const duplicate = { id: first?.id, deliveryCount: 0, duplicate: true }
  expect([again, later]).toEqual([duplicate, duplicate])
  expect(await fanOut()).toHaveLength(MANY)
})

test.each(['commit', 'rollback'])('an event of a host fans out after a commit: %s', async (end) => {
  await addWebhooks(MANY)
  await publish(1)
  const host = await database.pool.connect()
  await host.query('begin')
  const values = [publicId('organization', organizationId), JOINED, '{}']
  const { rows } = await host.query('select * from posthorn.publish_event($1, $2, $3)', values)
  expect(rows).toMatchObject([{ delivery_count: MANY }])
  // Another publisher of the organization does not wait for the host.
  await publish(1)
  expect(await fanOut()).toHaveLength(2 * MANY)
  await host.query(end)
  host.release()
  expect(await fanOut()).toHaveLength(end === 'commit' ? 3 * MANY : 2 * MANY)
})

test('a change of a webhook between publishing and its page loses and adds no delivery', async () => {
  const [first, disabled, deleted, onHold, unsubscribed, last] = (
    await addWebhooks(MANY, { types: [JOINED] })
  ).filter((_, i) => i < 5 || i === MANY - 1) as [string, string, string, string, string, string]
  await publish(1)
  const change = (set: string, id: string) =>
    database.pool.query(`update posthorn.webhooks set ${set} where id = $1`, [id])
  await change('enabled = false', disabled)
  await change('enabled = false, deleted_at = now()', deleted)
  await change(`event_subscriptions = '{other.type}'`, unsubscribed)
  await database.pool.query(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since) values ($1, now(), now())`,
    [onHold],
  )
  const [late] = await addWebhooks(1)

  const created = new Map((await fanOut()).map((delivery) => [delivery.webhookId, delivery]))
  expect(created.size).toBe(MANY)
  expect(created.has(late as string)).toBe(false)
  // The job of a delivery to a disabled webhook parks it.
  for (const id of [first, disabled, unsubscribed, last]) {
    expect(created.get(id)).toMatchObject({ state: 'pending', parkedReason: null, hasJob: true })
  }
  expect(created.get(onHold)).toMatchObject({ parkedReason: 'on_hold', hasJob: false })
  expect(created.get(deleted)).toMatchObject({ state: 'canceled', hasJob: false })
})

test('an ordered webhook gets an event that fans out before a later one that does not', async () => {
  const [ordered] = await addWebhooks(1, { types: [JOINED, TICKET], ordered: true })
  await addWebhooks(MANY)
  const [first] = await publish(1)
  const [second] = await publish(1, TICKET)
  expect(second?.deliveryCount).toBe(1)
  // The later event waits in the same order.
  expect(await deliveries()).toEqual([])
  await fanOut()
  await publish(1, TICKET)
  const events = (await deliveries()).filter(({ webhookId }) => webhookId === ordered)
  expect(events.map(({ parkedReason }) => parkedReason)).toEqual(['ordered', 'ordered', 'ordered'])
  await database.pool.query(
    'insert into posthorn.webhook_schedules (webhook_id, backlog_since) values ($1, now())',
    [ordered],
  )
  await releaseBacklog(database.pool, ordered as string, 10)
  const released = (await deliveries()).filter(
    ({ webhookId, hasJob }) => webhookId === ordered && hasJob,
  )
  expect(released.map(({ eventId }) => publicId('event', eventId))).toEqual([first?.id])
})

test('two jobs of an organization create no delivery twice, and one of them ends at once', async () => {
  await addWebhooks(MANY)
  await publish(3)
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('select posthorn.fan_out($1, 250)', [organizationId])
  expect(await createPage(250)).toBeNull()
  await runFanOut(database.pool, organizationId, signal)
  expect(await deliveries()).toEqual([])
  // The page of a process that ends here is created again.
  await other.query('rollback')
  other.release()
  await Promise.all([fanOut(), fanOut(), fanOut()])
  expect(await fanOut()).toHaveLength(3 * MANY)
})

test('a worker that stops leaves a job for the rest', async () => {
  await addWebhooks(MANY)
  await publish(1)
  await completeJobs()
  await runFanOut(database.pool, organizationId, AbortSignal.abort())
  expect(await deliveries()).toHaveLength(250)
  expect(await fanOutJobs()).toBe(1)
})

test('an event whose job an operator completed fans out after a minute', async () => {
  await addWebhooks(MANY)
  await publish(1)
  await completeJobs()
  expect(await restartFanOuts(database.pool)).toBe(0)
  await database.pool.query(
    `update posthorn.fan_outs set id = posthorn.uuid_v7_lower_bound(now() - interval '2 minutes')`,
  )
  expect(await restartFanOuts(database.pool)).toBe(1)
  expect(await fanOutJobs()).toBe(1)
})

test('retention keeps the days since the oldest event that still fans out', async () => {
  await addWebhooks(MANY)
  await publish(1)
  const dayMs = 24 * 60 * 60 * 1_000
  const later = new Date(Date.now() + 3 * dayMs)
  const countEvents = () => countRows(database.pool, 'posthorn.events')
  const count = await countEvents()
  await maintainPartitions(database.pool, dayMs, later)
  expect(await countEvents()).toBe(count)
  expect(await fanOut()).toHaveLength(MANY)
  expect(await maintainPartitions(database.pool, dayMs, later)).not.toMatchObject({ dropped: 0 })
  // They are pending, so they stay with their event.
  expect(await deliveries()).toHaveLength(MANY)
})

async function publish(count: number, type = JOINED) {
  const events = Array.from({ length: count }, () => ({ type, data: {} }))
  return await publishEvents(organizationId, events)
}

async function createPage(size: number): Promise<number> {
  const { rows } = await database.pool.query('select posthorn.fan_out($1, $2) as n', [
    organizationId,
    size,
  ])
  return rows[0].n
}

/** Runs the jobs of the organization, and returns its deliveries. */
async function fanOut() {
  const left = () => countRows(database.pool, 'posthorn.fan_outs')
  do await runFanOut(database.pool, organizationId, signal)
  while ((await left()) > 0)
  return await deliveries()
}

/** Returns the uuids of the webhooks, oldest first. */
async function addWebhooks(
  count: number,
  { types = [JOINED], ordered = false, organization = organizationId } = {},
): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into posthorn.webhooks (organization_id, url, enabled, event_subscriptions, ordered)
     select $1, 'https://example.com/' || i, true, $2, $3 from generate_series(1, $4::int) as i returning id`,
    [organization, types, ordered, count],
  )
  return rows.map(({ id }) => id).toSorted()
}

async function deliveries(organization = organizationId) {
  const { rows } = await database.pool.query(
    `select d.event_id as "eventId", d.webhook_id as "webhookId", d.state::text, d.parked_reason as "parkedReason",
       exists (select from graphile_worker.jobs where key = posthorn.type_id('msg', d.id)) as "hasJob"
     from posthorn.deliveries as d where d.organization_id = $1 order by d.id`,
    [organization],
  )
  return rows
}

async function completeJobs(): Promise<void> {
  await database.pool.query(
    `select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`,
  )
}

const fanOutJobs = () =>
  countRows(database.pool, `graphile_worker.jobs where task_identifier = 'posthorn:fan_out'`)
