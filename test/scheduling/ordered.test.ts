import { expect, test } from 'vitest'
import { deliveryIds } from '../graphql/support/rows.ts'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, redeliver, useApp } from './support/backlog.ts'

const { receiver, posthorn, states, publish, untilSucceeded } = await useApp({
  withSecondWorker: true,
})

const arrived = () => receiver.received.map(numberOf)

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

test('deliveries arrive in the order of the events, one at a time, from two processes', async () => {
  let inFlight = 0
  let maxInFlight = 0
  receiver.answer = (response) => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    setImmediate(() => {
      inFlight -= 1
      response.end()
    })
  }
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(10)
  await publish(10, 10)
  await untilSucceeded(20)
  expect(arrived()).toEqual(upTo(20))
  expect(maxInFlight).toBe(1)
})

test('a delivery that fails delays those after it until it succeeds or is exhausted', async () => {
  let isFirst = true
  receiver.answer = (response, request) => {
    const number = numberOf(request)
    response.writeHead(number === 1 || (number === 2 && isFirst) ? 500 : 200).end()
    if (number === 2) isFirst = false
  }
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(4)
  await untilSucceeded(3)
  expect(arrived()).toEqual([0, 1, 1, 1, 1, 2, 2, 3])
  expect(await states()).toEqual({ succeeded: 3, exhausted: 1 })
})

test('after a cancellation of a delivery, the next one is sent', async () => {
  const { database, tenant, graphql } = posthorn
  receiver.answer = (response, request) =>
    response.writeHead(numberOf(request) === 0 ? 500 : 200).end()
  await createWebhook(posthorn, receiver.url, { ordered: true, retryScheduleSeconds: [3600] })
  await publish(3)
  await until(() => receiver.received.length === 1, 'the first attempt is made')
  const id = (await deliveryIds(database, tenant.organizationId)).at(-1)
  await until(async () => {
    const { cancelDeliveries } = await graphql(
      'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }',
      { id },
    )
    return cancelDeliveries.__typename === 'CancelDeliveriesSuccess'
  }, 'the delivery is canceled')
  await untilSucceeded(2)
  expect(arrived()).toEqual([0, 1, 2])
})

test('a redelivery waits for the delivery in flight and is sent before newer ones', async () => {
  const { database, tenant } = posthorn
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(1)
  await untilSucceeded(1)
  const [id = ''] = await deliveryIds(database, tenant.organizationId)
  let answer = () => {}
  receiver.answer = (response, request) => {
    if (numberOf(request) === 1) answer = () => response.end()
    else response.end()
  }
  await publish(2, 1)
  await until(() => receiver.received.length === 2, 'the second is in flight')
  await redeliver(posthorn, { id })
  answer()
  await untilSucceeded(3)
  expect(arrived()).toEqual([0, 1, 0, 2])
})

test('recovered deliveries arrive in the order of their events', async () => {
  const { graphql } = posthorn
  const id = await createWebhook(posthorn, receiver.url, { ordered: true, enabled: false })
  await publish(8)
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: true })
  const redelivered = await graphql(
    `mutation ($missed: MissedEventsInput!) { redeliver(input: { missed: $missed }) { __typename } }`,
    { missed: { webhookId: id, since: new Date(Date.now() - 60_000).toISOString() } },
  )
  expect(redelivered.redeliver.__typename).toBe('RedeliverSuccess')
  await untilSucceeded(8)
  expect(arrived()).toEqual(upTo(8))
})
