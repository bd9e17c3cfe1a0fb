import { expect, test } from 'vitest'
import { verify } from '../../src/receiver/index.ts'
import { pruneSchedules } from '../../src/scheduling/prune-schedules.ts'
import { JOINED } from '../support/factories.ts'
import type { Received } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import {
  countJobs,
  countParked,
  countStates,
  createWebhook,
  numberOf,
  publish,
  redeliver,
  untilSucceeded,
  useApp,
} from './support/backlog.ts'

const BACKLOG = 400

const { receiver, posthorn } = await useApp()

/** Delays each answer. `setDelay` changes the delay of further answers. */
function answerSlowly(delayMs: number) {
  let inFlight = 0
  let maxInFlight = 0
  receiver.answer = (response) => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    const answer = () => {
      inFlight -= 1
      response.end()
    }
    setTimeout(answer, delayMs)
  }
  return {
    /** Returns the maximum number of requests in flight since the last call. */
    readMaxInFlight() {
      const max = maxInFlight
      maxInFlight = inFlight
      return max
    },
    get inFlight() {
      return inFlight
    },
    setDelay(ms: number) {
      delayMs = ms
    },
  }
}

/** Creates a webhook with a backlog: a few deliveries are in flight, and the others are parked. */
async function createBacklog(): Promise<string> {
  const { answer } = receiver
  const withheld: (() => void)[] = []
  receiver.answer = (...request) => void withheld.push(() => answer(...request))
  const id = await createWebhook(posthorn, receiver.url, { maxInFlight: 20 })
  await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, BACKLOG)
  await until(() => withheld.length > 10, 'some arrive')
  await until(async () => (await parked()) > BACKLOG * 0.8, 'the others are parked')
  receiver.answer = answer
  for (const answerWithheld of withheld) answerWithheld()
  return id
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

async function untilAllArrived(count = BACKLOG): Promise<void> {
  await untilSucceeded(posthorn.database.pool, count, 40_000)
}

function expectOnceEach(count = BACKLOG): void {
  const numbers = receiver.received.map(numberOf).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i))
}

/** Resolves when `holds` is true of this many further requests, as attempts that loaded the webhook before a change may follow. */
async function untilAppliesTo(
  count: number,
  begin: () => void,
  holds: (requests: readonly Received[]) => boolean,
): Promise<void> {
  await until(async () => {
    begin()
    const from = receiver.received.length
    await until(() => receiver.received.length >= from + count, 'more arrive')
    return holds(receiver.received.slice(from))
  }, 'the change applies')
}

/** Nothing arrives during several releases. */
async function expectNothingArrives(): Promise<void> {
  const before = receiver.received.length
  const since = Date.now()
  await until(() => Date.now() - since > 1_500, 'a while passes')
  expect(receiver.received.length - before).toBe(0)
}

const parked = () => countParked(posthorn.database.pool)

test('a disabled webhook gets only the deliveries that were in flight and uses up no attempt; enabled again, it gets all others once', async () => {
  const { pool } = posthorn.database
  const slow = answerSlowly(100)
  const id = await createBacklog()
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: false })
  const arrived = receiver.received.length
  await until(() => slow.inFlight === 0, 'no request is in flight')
  // Up to 20 requests were in flight when the webhook was disabled.
  expect(receiver.received.length - arrived).toBeLessThanOrEqual(20)
  await until(async () => (await parked()) === BACKLOG - receiver.received.length, 'all are parked')
  await expectNothingArrives()
  const { rows } = await pool.query(
    `select max(attempt_count) as attempts, count(*)::int as pending from posthorn.deliveries where state = 'pending'`,
  )
  expect(rows).toEqual([{ attempts: 0, pending: BACKLOG - receiver.received.length }])

  slow.setDelay(0)
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: true })
  await untilAllArrived()
  expectOnceEach()
})

test('when a webhook is deleted, its deliveries, jobs and backlog are removed, and nothing more arrives', async () => {
  const { pool } = posthorn.database
  const slow = answerSlowly(200)
  const id = await createBacklog()
  await posthorn.rest('DELETE', `/webhooks/${id}`)
  await until(() => slow.inFlight === 0, 'no request is in flight')
  await until(async () => !('pending' in (await countStates(pool))), 'the others are canceled')
  const { canceled = 0, succeeded = 0 } = await countStates(pool)
  expect(canceled + succeeded).toBe(BACKLOG)
  expect(canceled).toBeGreaterThan(BACKLOG / 2)
  await expectNothingArrives()
  await until(async () => (await countJobs(pool)) === 0, 'no job is left')
  expect(await parked()).toBe(0)
  await pruneSchedules(pool)
  const { rows } = await pool.query('select * from posthorn.webhook_schedules')
  expect(rows).toEqual([])
})

test('after a rotation, deliveries are signed only with the new secret', async () => {
  const slow = answerSlowly(200)
  const id = await createBacklog()
  const { key: oldKey } = await (await posthorn.rest('GET', `/webhooks/${id}/secret`)).json()
  const requestedAt = new Date()
  const { key } = await (await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)).json()
  const rotatedAt = new Date()
  slow.setDelay(0)
  await untilAllArrived()
  expectOnceEach()

  const startOf = await readStarts()
  const before = receiver.received.filter((request) => startOf(request) < requestedAt)
  const after = receiver.received.filter((request) => startOf(request) > rotatedAt)
  expect(before.length).toBeGreaterThan(10)
  expect(after.length).toBeGreaterThan(BACKLOG / 2)
  for (const request of before) {
    expect(await verifies(request, oldKey)).toBe(true)
    expect(await verifies(request, key)).toBe(false)
  }
  let late = 0
  for (const request of after) {
    const isLate = await verifies(request, oldKey)
    expect(await verifies(request, key)).toBe(!isLate)
    if (isLate) late += 1
  }
  expect(late).toBeLessThanOrEqual(MAX_LATE)
})

/** Maps each request to the start of its attempt. */
async function readStarts(): Promise<(request: Received) => Date> {
  const { rows } = await posthorn.database.pool.query<{ id: string; at: Date }>(
    `select posthorn.type_id('msg', delivery_id) as id, started_at as at from posthorn.attempts`,
  )
  const startedAt = new Map(rows.map((row) => [row.id, row.at]))
  return ({ headers }) => startedAt.get(headers['wh-id'] as string) as Date
}

/** Attempts that loaded the webhook just before a change may start after it: as many as may be in flight. */
const MAX_LATE = 20

async function verifies({ body, headers }: Received, secret: string): Promise<boolean> {
  return (await verify(body, headers, secret)).ok
}

test('after a change of the URL, attempts go to the new one', async () => {
  const slow = answerSlowly(200)
  const id = await createBacklog()
  const requestedAt = new Date()
  await posthorn.rest('PUT', `/webhooks/${id}`, { url: `${receiver.url}elsewhere` })
  const changedAt = new Date()
  slow.setDelay(0)
  await untilAllArrived()
  expectOnceEach()

  const startOf = await readStarts()
  const startsAt = (at: string) =>
    receiver.received.filter(({ path }) => path === at).map((request) => startOf(request))
  const atOldUrl = startsAt('/')
  const atNewUrl = startsAt('/elsewhere')
  expect(atOldUrl.length).toBeGreaterThan(10)
  expect(atOldUrl.filter((at) => at > changedAt).length).toBeLessThanOrEqual(MAX_LATE)
  expect(atNewUrl.length).toBeGreaterThan(BACKLOG / 2)
  expect(atNewUrl.filter((at) => at < requestedAt)).toEqual([])
})

test('a changed concurrency limit applies soon', async () => {
  const slow = answerSlowly(100)
  const id = await createBacklog()
  await update(id, { maxInFlight: 3 })
  await untilAppliesTo(30, slow.readMaxInFlight, () => slow.readMaxInFlight() <= 3)

  await update(id, { maxInFlight: 40 })
  await until(() => slow.inFlight > 20, 'more are in flight')
  slow.setDelay(0)
  await untilAllArrived()
  expectOnceEach()
})

test('a rate limit applies soon after it is set or removed', async () => {
  const slow = answerSlowly(100)
  const id = await createBacklog()
  await update(id, { rateLimitPerSecond: 20 })
  let startedAt = 0
  const begin = () => {
    startedAt = Date.now()
  }
  await untilAppliesTo(40, begin, ({ length }) => {
    const seconds = (Date.now() - startedAt) / 1_000
    // The reservations of a second may exist when the count starts.
    return length <= 20 * (seconds + 1) + 1
  })

  slow.setDelay(0)
  await update(id, { rateLimitPerSecond: null })
  await untilAllArrived()
  expectOnceEach()
})

test('a webhook that becomes ordered gets one delivery at a time, in order; unordered again, it gets many', async () => {
  const slow = answerSlowly(100)
  const id = await createBacklog()
  await update(id, { ordered: true })
  slow.setDelay(5)
  await untilAppliesTo(50, slow.readMaxInFlight, (requests) => {
    // Deliveries that had their permits before the change can still be among the first ones.
    const numbers = requests.map(numberOf)
    const inOrder = numbers.toSorted((a, b) => a - b)
    return slow.readMaxInFlight() === 1 && numbers.join() === inOrder.join()
  })

  await update(id, { ordered: false })
  slow.setDelay(0)
  await untilAllArrived()
  expectOnceEach()
})

test('a canceled delivery in the backlog never arrives; a redelivery and a test delivery arrive before the others', async () => {
  const { pool } = posthorn.database
  const withheld: (() => void)[] = []
  receiver.answer = (response) => void withheld.push(() => response.end())
  const webhook = await createWebhook(posthorn, receiver.url, { maxInFlight: 10 })
  await publish(pool, posthorn.tenant.publicOrganizationId, BACKLOG)
  await until(async () => (await parked()) > BACKLOG - 50, 'nearly all are parked')
  const { rows } = await pool.query<{ id: string }>(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries
     where parked_at is not null order by event_id desc limit 2`,
  )
  const [canceled, redelivered] = rows.map((row) => row.id)
  const { cancelDeliveries } = await posthorn.graphql(
    'mutation ($id: ID!) { cancelDeliveries(input: { ids: [$id] }) { __typename } }',
    { id: canceled },
  )
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
  const prioritized = [redelivered, testDelivery.delivery.id]

  receiver.answer = (response) => response.end()
  for (const answer of withheld.splice(0)) answer()
  const positions = () =>
    prioritized.map((id) => receiver.received.findIndex(({ headers }) => headers['wh-id'] === id))
  await until(() => !positions().includes(-1), 'both arrive')
  // Their events are the last ones. Only deliveries that were released earlier arrive before them.
  expect(Math.max(...positions())).toBeLessThan(BACKLOG / 4)
  await untilAllArrived(BACKLOG)
  expect(receiver.received.some(({ headers }) => headers['wh-id'] === canceled)).toBe(false)
  expect(receiver.received).toHaveLength(BACKLOG)
  await until(async () => (await countJobs(pool)) === 0, 'no job is left')
})

test('a redelivery that is requested while an ordered delivery is in flight is sent after it and before newer deliveries', async () => {
  const { pool } = posthorn.database
  let answer = () => {}
  receiver.answer = (response) => {
    answer = () => response.end()
  }
  await createWebhook(posthorn, receiver.url, { ordered: true })
  await publish(pool, posthorn.tenant.publicOrganizationId, 3)
  await receiver.arrival(1)
  const { rows } = await pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries order by event_id limit 1`,
  )
  await redeliver(posthorn, rows[0])
  await until(async () => {
    const jobs = await pool.query(
      `select from graphile_worker.jobs where task_identifier = 'posthorn:release_backlog'`,
    )
    return jobs.rowCount === 0
  }, 'the release has run')
  await expectNothingArrives()
  receiver.answer = (response) => response.end()
  answer()
  await untilAllArrived(3)
  expect(receiver.received.map(numberOf)).toEqual([0, 0, 1, 2])
})
