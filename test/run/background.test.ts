import { afterEach, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { backgroundQueue } from '../../src/queue/long-work.ts'
import { createScheduler } from '../../src/scheduling/scheduler.ts'
import { createWebhook, publish } from '../scheduling/support/backlog.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { countRows, WAITING } from '../support/count-rows.ts'
import { createTenant } from '../support/factories.ts'
import { holdLock } from '../support/hold-lock.ts'
import { callerWith } from '../support/post-graphql.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

let posthorn: TestApp

const receiver = await useResource(startReceiver())
afterEach(() => posthorn[Symbol.asyncDispose]())

async function start(role: 'all' | 'api'): Promise<TestApp> {
  receiver.clear()
  posthorn = await startTestApp({ role, trustedAuthorities: [receiver.authority] })
  return posthorn
}

const WEBHOOKS = 6
const EVENTS = 10

/** Another organization in the same process, with a webhook that answers. */
async function createNeighbor(options: { readonly ordered?: boolean } = {}) {
  const tenant = await createTenant(posthorn.database.prisma)
  const caller = callerWith(posthorn.app.url, tenant.token)
  const url = `${receiver.url}neighbor`
  return { ...tenant, ...caller, webhookId: await createWebhook(caller, url, options) }
}

/** Webhooks of the tenant with parked deliveries. */
async function createBacklogs(): Promise<string[]> {
  const { database, tenant } = posthorn
  const ids: string[] = []
  for (let i = 0; i < WEBHOOKS; i++) {
    ids.push(await createWebhook(posthorn, `${receiver.url}${i}`))
  }
  await database.pool.query(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since, on_hold_since, next_probe_at)
     select id, now(), now(), now() + interval '1 hour' from posthorn.webhooks where organization_id = $1`,
    [tenant.organizationId],
  )
  await publish(database.pool, tenant.publicOrganizationId, EVENTS)
  return ids
}

/** Runs while every delivery of the tenant is locked, so that its pages wait. */
async function whileLocked(run: () => Promise<void>): Promise<void> {
  const deliveries = 'select from posthorn.deliveries where organization_id = $1 for update'
  const { database, tenant } = posthorn
  await using _lock = await holdLock(database.pool, deliveries, [tenant.organizationId])
  await run()
}

const countWaiting = () => countRows(posthorn.database.pool, WAITING)
const countPending = (organizationId: string) =>
  posthorn.database.prisma.delivery.count({ where: { organizationId, state: 'pending' } })

const arrivedAt = (path: string) => receiver.received.filter((request) => request.path === path)

const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'
const DELETED = { deleteWebhook: { __typename: 'DeleteWebhookSuccess' } }

test('works in the background for one organization wait for each other, and for no other organization', async () => {
  const { database, tenant, graphql } = await start('all')
  const neighbor = await createNeighbor()
  const ids = await createBacklogs()
  await whileLocked(async () => {
    const [kept = '', ...deleted] = ids
    for (const id of deleted) expect(await graphql(DELETE, { id })).toMatchObject(DELETED)
    const cancel = `mutation ($id: ID!) { cancelDeliveries(input: { filter: { webhookIds: [$id] } }) {
      __typename ... on UserError { message } } }`
    const { cancelDeliveries } = await graphql(cancel, { id: kept })
    expect(cancelDeliveries.__typename).toBe('CancelDeliveriesSuccess')
    await until(async () => (await countWaiting()) === 1, 'one page waits for the lock')

    receiver.answer = (response) => response.writeHead(503).end()
    await publish(database.pool, neighbor.publicOrganizationId, 20)
    await until(() => arrivedAt('/neighbor').length >= 20, 'the events of the neighbor arrive')
    expect(await neighbor.graphql(DELETE, { id: neighbor.webhookId })).toMatchObject(DELETED)
    await until(
      async () => (await countPending(neighbor.organizationId)) === 0,
      "the neighbor's deletion cancels",
    )
    // On a busy machine the page has reached its lock timeout, and the next one has not begun to wait.
    await until(async () => (await countWaiting()) === 1, 'still one page waits')
    const { rows } = await database.pool.query<{ running: number; waiting: number }>(
      `select count(locked_at)::int as running, count(*) filter (where locked_at is null)::int as waiting
     from graphile_worker.jobs where queue_name = $1`,
      [backgroundQueue(tenant.organizationId)],
    )
    expect(rows).toEqual([{ running: 1, waiting: WEBHOOKS - 1 }])
  })
  await until(
    async () => (await countPending(tenant.organizationId)) === 0,
    'everything is canceled',
    30_000,
  )
})

test('the backlogs of one organization are released one at a time, and those of another beside them', async () => {
  const { database } = await start('api')
  const neighbor = await createNeighbor({ ordered: true })
  await createBacklogs()
  await database.pool.query(
    'update posthorn.webhook_schedules set on_hold_since = null, next_probe_at = null',
  )
  await publish(database.pool, neighbor.publicOrganizationId, 1)
  const countParked = (where: object = {}) =>
    database.prisma.delivery.count({ where: { ...where, parkedAt: { not: null } } })
  const { organizationId } = neighbor
  await using schedulers = new AsyncDisposableStack()
  await whileLocked(async () => {
    const scheduler = schedulers.use(
      createScheduler(database.pipeline, {
        concurrency: 500,
        notify: () => {},
        onError: () => {},
      }),
    )
    await until(async () => (await countWaiting()) === 1, 'one release waits for the lock')
    expect(await countParked({ organizationId })).toBe(1)
    await scheduler.release(parseId('webhook', neighbor.webhookId) as string)
    expect(await countParked({ organizationId })).toBe(0)
    expect(await countWaiting(), 'still one release').toBe(1)
  })
})
