import { expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { pruneSchedules } from '../../src/scheduling/backlog.ts'
import { countRows } from '../support/count-rows.ts'
import { JOINED } from '../support/factories.ts'
import type { Received } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, redeliver, useApp } from './support/backlog.ts'

const BACKLOG = 60
const IN_FLIGHT = 10
/** As many more wait in the process with the settings from before a change. */
const LOADED = 2 * IN_FLIGHT

const app = await useApp()
const { receiver, posthorn, released, jobs, parked, states, publish, untilSucceeded } = app

/** A webhook with a backlog: some deliveries are in flight until they are answered, and all others are parked. */
async function createBacklog() {
  const withheld: (() => void)[] = []
  receiver.answer = (response) => void withheld.push(() => response.end())
  const id = await createWebhook(posthorn, receiver.url, { maxInFlight: IN_FLIGHT })
  await publish(BACKLOG)
  await receiver.arrival(IN_FLIGHT)
  await until(async () => (await parked()) >= BACKLOG - LOADED, 'the others are parked')
  return {
    id,
    /** Answers what is in flight, and further requests in another way. */
    answerAll(answer: typeof receiver.answer = (response) => response.end()) {
      receiver.answer = answer
      for (const answerWithheld of withheld.splice(0)) answerWithheld()
    },
  }
}

/** Answers in a later turn of the loop, and counts the requests in flight that follow a change. */
function countInFlight() {
  let inFlight = 0
  const counted = { max: 0, answer: (() => {}) as typeof receiver.answer }
  counted.answer = (response) => {
    if (later().length === 0) return void response.end()
    inFlight += 1
    counted.max = Math.max(counted.max, inFlight)
    setImmediate(() => {
      inFlight -= 1
      response.end()
    })
  }
  return counted
}

async function update(id: string, input: object): Promise<void> {
  const { updateWebhook } = await posthorn.graphql(
    `mutation ($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) { __typename }
    }`,
    { id, input },
  )
  expect(updateWebhook.__typename).toBe('UpdateWebhookSuccess')
}

/** Every event arrives once. */
async function untilAllArrived(): Promise<void> {
  await untilSucceeded(BACKLOG, 40_000)
  const numbers = receiver.received.map(numberOf).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: BACKLOG }, (_, i) => i))
}

const later = () => receiver.received.slice(LOADED)

test('a disabled webhook gets only the deliveries that were in flight and uses up no attempt; enabled again, it gets all others once', async () => {
  const { id, answerAll } = await createBacklog()
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: false })
  answerAll()
  await untilSucceeded(IN_FLIGHT)
  await released()
  expect(receiver.received).toHaveLength(IN_FLIGHT)
  const { rows } = await posthorn.database.pool.query(
    `select max(attempt_count) as attempts, count(*)::int as pending from posthorn.deliveries where state = 'pending'`,
  )
  expect(rows).toEqual([{ attempts: 0, pending: BACKLOG - IN_FLIGHT }])
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: true })
  await untilAllArrived()
})

test('when a webhook is deleted, its deliveries, jobs and backlog are removed, and nothing more arrives', async () => {
  const { pool } = posthorn.database
  const { id, answerAll } = await createBacklog()
  await posthorn.rest('DELETE', `/webhooks/${id}`)
  answerAll()
  await until(async () => !('pending' in (await states())), 'the others are canceled')
  const { canceled = 0, succeeded = 0 } = await states()
  expect(canceled + succeeded).toBe(BACKLOG)
  expect(canceled).toBeGreaterThanOrEqual(BACKLOG - IN_FLIGHT)
  await until(async () => (await jobs()) === 0, 'no job is left')
  await released()
  expect(receiver.received).toHaveLength(IN_FLIGHT)
  expect(await parked()).toBe(0)
  await pruneSchedules(pool)
  const { rows } = await pool.query('select * from posthorn.webhook_schedules')
  expect(rows).toEqual([])
})

test('after a rotation and a change of the URL, deliveries go to the new URL, signed only with the new secret', async () => {
  const { id, answerAll } = await createBacklog()
  const { key: oldKey } = await (await posthorn.rest('GET', `/webhooks/${id}/secret`)).json()
  const { key } = await (await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)).json()
  await posthorn.rest('PUT', `/webhooks/${id}`, { url: `${receiver.url}elsewhere` })
  answerAll()
  await untilAllArrived()
  const facts = async ({ path, body, headers }: Received) => ({
    path,
    old: (await verify(body, headers, oldKey)).ok,
    rotated: (await verify(body, headers, key)).ok,
  })
  for (const [n, request] of receiver.received.entries()) {
    const isLater = n >= IN_FLIGHT
    const path = isLater ? '/elsewhere' : '/'
    expect(await facts(request)).toEqual({ path, old: !isLater, rotated: isLater })
  }
})

test('a changed concurrency limit applies to the backlog', async () => {
  const { id, answerAll } = await createBacklog()
  await update(id, { maxInFlight: 3 })
  const counted = countInFlight()
  answerAll(counted.answer)
  await untilAllArrived()
  expect(counted.max).toBeLessThanOrEqual(3)
})

test('a rate limit applies to the backlog until it is removed', async () => {
  const { id, answerAll } = await createBacklog()
  await update(id, { rateLimitPerSecond: 10 })
  const startedAt = performance.now()
  answerAll()
  await receiver.arrival(LOADED + 12)
  expect(performance.now() - startedAt).toBeGreaterThan(1_000)
  await update(id, { rateLimitPerSecond: null })
  await untilAllArrived()
})

test('a webhook that becomes ordered gets one delivery at a time, in order; unordered again, it gets many', async () => {
  const { id, answerAll } = await createBacklog()
  await update(id, { ordered: true })
  const withheld: (() => void)[] = []
  const counted = countInFlight()
  answerAll((response, request) => {
    if (later().length <= 10) return counted.answer(response, request)
    withheld.push(() => response.end())
  })
  await until(() => withheld.length === 1, 'some arrive')
  await released()
  expect(withheld).toHaveLength(1)
  expect(counted.max).toBeLessThanOrEqual(1)
  const numbers = later().map(numberOf)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  await update(id, { ordered: false })
  await until(() => withheld.length > 1, 'many are in flight')
  answerAll()
  for (const answerWithheld of withheld) answerWithheld()
  await untilAllArrived()
})

test('a canceled delivery in the backlog never arrives; a redelivery and a test delivery arrive before the others', async () => {
  const { pool } = posthorn.database
  const { id: webhook, answerAll } = await createBacklog()
  const { rows } = await pool.query<{ id: string }>(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries
     where parked_at is not null order by event_id desc limit 2`,
  )
  const [canceled, redelivered] = rows.map((row) => row.id)
  const cancel = 'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }'
  const { cancelDeliveries } = await posthorn.graphql(cancel, { id: canceled })
  expect(cancelDeliveries.__typename).toBe('CancelDeliveriesSuccess')
  expect(await redeliver(posthorn, { id: redelivered as string })).toBe('RedeliverSuccess')
  const { testDelivery } = await posthorn.graphql(
    `mutation ($webhook: ID!, $type: String!) {
      testDelivery(id: $webhook, input: { eventType: $type }) {
        ... on TestDeliverySuccess { delivery { id } }
      }
    }`,
    { webhook, type: JOINED },
  )
  const urgent = [redelivered, testDelivery.delivery.id]
  const areParked = `posthorn.deliveries where parked_at is not null and posthorn.type_id('msg', id) = any ($1)`
  await until(async () => (await countRows(pool, areParked, [urgent])) === 2, 'both are parked')
  // The limit stays reached, so that few are loaded at a time.
  const withheld: (() => void)[] = []
  answerAll((response) => {
    withheld.push(() => response.end())
    const isLast = receiver.received.length === BACKLOG
    if (withheld.length === IN_FLIGHT || isLast) withheld.shift()?.()
    if (isLast) for (const answerWithheld of withheld) answerWithheld()
  })
  await untilSucceeded(BACKLOG)
  const ids = receiver.received.map(({ headers }) => headers['wh-id'])
  expect(ids).toHaveLength(BACKLOG)
  expect(ids).not.toContain(canceled)
  // Their events are the last ones. Before them come those that are loaded; a batch of the backlog starts in no fixed order.
  for (const id of urgent) expect(ids.indexOf(id)).toBeLessThan(2 * LOADED + urgent.length)
  await until(async () => (await jobs()) === 0, 'no job is left')
})
