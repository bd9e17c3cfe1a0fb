import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countStates, createWebhook, numberOf, publish, redeliver } from './support/backlog.ts'

let receiver: Receiver
let posthorn: TestApp
let second: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())
beforeEach(async () => {
  receiver.clear()
  receiver.answer = (response) => response.end()
  const trustedAuthorities = [receiver.authority]
  posthorn = await startTestApp({ trustedAuthorities })
  second = await startTestApp({ trustedAuthorities, database: posthorn.database, role: 'worker' })
})
afterEach(async () => {
  await second[Symbol.asyncDispose]()
  await posthorn[Symbol.asyncDispose]()
})

const arrived = () => receiver.received.map(numberOf)

/** Drops numbers that equal the previous one. */
const withoutRepetitions = (numbers: number[]) =>
  numbers.filter((number, i) => i === 0 || number !== numbers[i - 1])

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

test('deliveries arrive in the order of the events, one at a time, from two processes', async () => {
  const { database, tenant } = posthorn
  let inFlight = 0
  let maxInFlight = 0
  receiver.answer = (response) => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    setTimeout(() => {
      inFlight -= 1
      response.end()
    }, 3)
  }
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(database.pool, tenant.publicOrganizationId, 30)
  await publish(database.pool, tenant.publicOrganizationId, 30, 30)
  await until(async () => (await countStates(database.pool))['succeeded'] === 60, 'all arrive')
  expect(arrived()).toEqual(upTo(60))
  expect(maxInFlight).toBe(1)
})

test('a delivery that fails delays those after it until it succeeds', async () => {
  const { database, tenant } = posthorn
  let failures = 2
  receiver.answer = (response, request) => {
    response.statusCode = numberOf(request) === 3 && failures-- > 0 ? 500 : 200
    response.end()
  }
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(database.pool, tenant.publicOrganizationId, 10)
  await until(async () => (await countStates(database.pool))['succeeded'] === 10, 'all arrive')
  expect(arrived()).toEqual([0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9])
})

test('a delivery that fails delays those after it at most until it is exhausted', async () => {
  const { database, tenant } = posthorn
  receiver.answer = (response, request) => {
    response.statusCode = numberOf(request) === 1 ? 500 : 200
    response.end()
  }
  await createWebhook(posthorn, receiver.url, { ordered: true, retryScheduleSeconds: [1] })
  await publish(database.pool, tenant.publicOrganizationId, 4)
  await until(
    async () => (await countStates(database.pool))['succeeded'] === 3,
    'the others arrive',
  )
  expect(arrived()).toEqual([0, 1, 1, 2, 3])
  expect(await countStates(database.pool)).toEqual({ succeeded: 3, exhausted: 1 })
})

test('after a cancellation of a delivery, the next one is sent', async () => {
  const { database, tenant, graphql } = posthorn
  receiver.answer = (response, request) => {
    response.statusCode = numberOf(request) === 0 ? 500 : 200
    response.end()
  }
  await createWebhook(posthorn, receiver.url, { ordered: true, retryScheduleSeconds: [3600] })
  await publish(database.pool, tenant.publicOrganizationId, 3)
  await until(() => receiver.received.length === 1, 'the first attempt is made')
  const { rows } = await database.pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries order by event_id limit 1`,
  )
  await until(async () => {
    const { cancelDeliveries } = await graphql(
      'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }',
      { id: rows[0].id },
    )
    return cancelDeliveries.__typename === 'CancelDeliveriesSuccess'
  }, 'the delivery is canceled')
  await until(
    async () => (await countStates(database.pool))['succeeded'] === 2,
    'the others arrive',
  )
  expect(arrived()).toEqual([0, 1, 2])
})

test('a redelivery waits for the delivery in flight and is sent before newer ones', async () => {
  const { database, tenant } = posthorn
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(database.pool, tenant.publicOrganizationId, 1)
  await until(
    async () => (await countStates(database.pool))['succeeded'] === 1,
    'the event arrives',
  )
  const { rows } = await database.pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries`,
  )
  let answer = () => {}
  receiver.answer = (response, request) => {
    if (numberOf(request) === 1) answer = () => response.end()
    else response.end()
  }
  await publish(database.pool, tenant.publicOrganizationId, 2, 1)
  await until(() => receiver.received.length === 2, 'the second is in flight')
  await redeliver(posthorn, rows[0])
  answer()
  await until(async () => (await countStates(database.pool))['succeeded'] === 3, 'all arrive')
  expect(arrived()).toEqual([0, 1, 0, 2])
})

test('if a webhook with a backlog becomes ordered, newer events arrive in order', async () => {
  const { database, tenant, graphql } = posthorn
  const id = await createWebhook(posthorn, receiver.url, { enabled: true, maxInFlight: 1 })
  await publish(database.pool, tenant.publicOrganizationId, 200)
  await graphql(
    'mutation ($id: ID!) { updateWebhook(id: $id, input: { ordered: true }) { __typename } }',
    { id },
  )
  await publish(database.pool, tenant.publicOrganizationId, 20, 200)
  await until(async () => (await countStates(database.pool))['succeeded'] === 220, 'all arrive')
  const newer = withoutRepetitions(arrived().filter((number) => number >= 200))
  expect(newer).toEqual(upTo(20).map((i) => i + 200))
})

test('recovered deliveries arrive in the order of their events', async () => {
  const { database, tenant, graphql } = posthorn
  const id = await createWebhook(posthorn, receiver.url, { ordered: true, enabled: false })
  await publish(database.pool, tenant.publicOrganizationId, 20)
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: true })
  const redelivered = await graphql(
    `mutation ($missed: MissedEventsInput!) { redeliver(input: { missed: $missed }) { __typename } }`,
    { missed: { webhookId: id, since: new Date(Date.now() - 60_000).toISOString() } },
  )
  expect(redelivered.redeliver.__typename).toBe('RedeliverSuccess')
  await until(async () => (await countStates(database.pool))['succeeded'] === 20, 'all arrive')
  expect(arrived()).toEqual(upTo(20))
})
