import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/* Tasks, and a recovery, with a real worker and a real receiver. */
let receiver: Receiver
let posthorn: TestApp
let webhook: string

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(async () => {
  receiver.clear()
  const response = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
  webhook = (await response.json()).id
  return async () => void (await posthorn.rest('DELETE', `/webhooks/${webhook}`))
})

async function setRetries(retryScheduleSeconds: number[]) {
  const { updateWebhook } = await posthorn.graphql(
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
    { id: webhook, input: { retryScheduleSeconds } },
  )
  expect(updateWebhook.__typename).toBe('UpdateWebhookSuccess')
}

async function publish(count: number) {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await posthorn.graphql(document('events', 'PublishEvents'), { input: { events } })
}

const countOf = (where: object) =>
  posthorn.database.prisma.delivery.count({
    where: { webhookId: parseId('webhook', webhook) as string, ...where },
  })

async function recoveryOf(id: string) {
  return (await posthorn.graphql(document('recoveries', 'Recovery'), { id })).recovery
}

async function taskOf(id: string) {
  const { deliveryTask } = await posthorn.graphql(document('delivery-tasks', 'DeliveryTask'), {
    id,
  })
  return deliveryTask
}

test('all that failed with 502 are delivered once their endpoint works again', async () => {
  await setRetries([])
  const noon = new Date()
  receiver.answer = (response) => response.writeHead(502).end()
  await publish(30)
  await until(async () => (await countOf({ state: 'exhausted' })) === 30, 'all are exhausted')
  const before = receiver.received.length
  receiver.answer = (response) => response.end()
  const { redeliverDeliveries } = await posthorn.graphql(
    document('delivery-tasks', 'RedeliverAllWith502'),
    { noon },
  )
  expect(redeliverDeliveries).toMatchObject({ count: 30, countIsExact: true })
  const { id } = redeliverDeliveries.task
  await until(async () => (await taskOf(id)).state === 'COMPLETED', 'the task completes')
  expect(await taskOf(id)).toMatchObject({
    total: 30,
    changed: 30,
    succeeded: 30,
    exhausted: 0,
    unfinished: 0,
    progress: 1,
  })
  expect(receiver.received.length - before).toBe(30)
  expect(new Set(receiver.received.map(({ headers }) => headers['wh-id'])).size).toBe(30)
})

test('a delivery whose attempt is running is skipped, and sent no second time', async () => {
  await setRetries([1])
  const release = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    if (receiver.received.length === 1) response.writeHead(500).end()
    else void release.promise.then(() => response.end())
  }
  await publish(1)
  await receiver.arrival(2)
  const row = await posthorn.database.prisma.delivery.findFirstOrThrow({
    where: { webhookId: parseId('webhook', webhook) as string },
  })
  const input = { ids: [publicId('delivery', row.id)] }
  const { redeliverDeliveries } = await posthorn.graphql(
    document('delivery-tasks', 'RedeliverDeliveries'),
    { input },
  )
  const { id } = redeliverDeliveries.task
  await until(async () => (await taskOf(id)).state === 'COMPLETED', 'the task completes')
  expect(await taskOf(id)).toMatchObject({ total: 1, changed: 0 })
  release.resolve()
  await until(async () => (await countOf({ state: 'succeeded' })) === 1, 'the attempt succeeds')
  expect(receiver.received).toHaveLength(2)
})

test('canceled deliveries are not sent again', async () => {
  await setRetries([3_600])
  receiver.answer = (response) => response.writeHead(500).end()
  await publish(5)
  await until(async () => (await countOf({ attemptCount: 1 })) === 5, 'all have failed once')
  const { cancelDeliveries } = await posthorn.graphql(
    document('delivery-tasks', 'CancelDeliveries'),
    { input: { filter: { webhookIds: [webhook], states: ['RETRYING'] } } },
  )
  const { id } = cancelDeliveries.task
  await until(async () => (await taskOf(id)).state === 'COMPLETED', 'the task completes')
  expect(await taskOf(id)).toMatchObject({ changed: 5, canceled: 5 })
  expect(await countOf({ state: 'canceled' })).toBe(5)
  const { pool } = posthorn.database
  await until(async () => (await deliveryJobs(pool)).length === 0, 'no job is left')
})

test('a task lists the deliveries that were exhausted again, and only those', async () => {
  await setRetries([])
  receiver.answer = (response) => response.writeHead(502).end()
  await publish(3)
  await until(async () => (await countOf({ state: 'exhausted' })) === 3, 'all are exhausted')
  receiver.answer = (response) => {
    response.writeHead(receiver.received.length % 3 === 0 ? 200 : 503).end()
  }
  const { redeliverDeliveries } = await posthorn.graphql(
    document('delivery-tasks', 'RedeliverAllWith502'),
    { noon: new Date(Date.now() - 60_000) },
  )
  const { id } = redeliverDeliveries.task
  await until(async () => (await taskOf(id)).state === 'COMPLETED', 'the task completes')
  expect(await taskOf(id)).toMatchObject({ succeeded: 1, exhausted: 2 })
  const { deliveryTask } = await posthorn.graphql(
    `query ($id: ID!) { deliveryTask(id: $id) {
      all: exhaustedDeliveries { nodes { id state } }
      newest: exhaustedDeliveries(first: 1) { nodes { id } pageInfo { hasNextPage } }
    } }`,
    { id },
  )
  expect(deliveryTask.all.nodes.map(({ state }: { state: string }) => state)).toEqual([
    'EXHAUSTED',
    'EXHAUSTED',
  ])
  expect(deliveryTask.newest.nodes).toEqual([{ id: deliveryTask.all.nodes[0].id }])
  expect(deliveryTask.newest.pageInfo.hasNextPage).toBe(true)
})

test('a recovery says how many were delivered, failed again and wait, until all have finished', async () => {
  await setRetries([])
  const since = new Date(Date.now() - 60_000)
  receiver.answer = (response) => response.writeHead(502).end()
  await publish(6)
  await until(async () => (await countOf({ state: 'exhausted' })) === 6, 'all are exhausted')
  receiver.clear()
  const release = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    const number = receiver.received.length
    if (number <= 2) response.writeHead(503).end()
    else if (number === 3) void release.promise.then(() => response.end())
    else response.end()
  }
  const { recoverDeliveries } = await posthorn.graphql(
    document('recoveries', 'RecoverDeliveries'),
    { input: { webhookId: webhook, since, include: 'FAILED' } },
  )
  const { id } = recoverDeliveries.recovery
  await until(async () => (await recoveryOf(id)).unfinished === 1, 'one of them waits')
  expect(await recoveryOf(id)).toMatchObject({
    state: 'DELIVERING',
    redelivered: 6,
    succeeded: 3,
    exhausted: 2,
    finishedAt: null,
  })
  release.resolve()
  await until(async () => (await recoveryOf(id)).state === 'COMPLETED', 'all have finished')
  expect(await recoveryOf(id)).toMatchObject({
    succeeded: 4,
    exhausted: 2,
    canceled: 0,
    unfinished: 0,
    finishedAt: expect.any(String),
  })
})
