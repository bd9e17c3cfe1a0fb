import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { verify } from '../../src/receiver/index.ts'
import { pruneSchedules } from '../../src/scheduling/prune-schedules.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import {
  countJobs,
  countParked,
  countStates,
  createWebhook,
  numberOf,
  publish,
} from './support/backlog.ts'

const BACKLOG = 2_000

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())
beforeEach(async () => {
  receiver.clear()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterEach(() => posthorn[Symbol.asyncDispose]())

/** Each answer takes so long, until told to be quicker. */
function answerSlowly(afterMs: number) {
  let inFlight = 0
  let most = 0
  receiver.answer = (response) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    const answer = () => {
      inFlight -= 1
      response.end()
    }
    setTimeout(answer, afterMs)
  }
  return {
    /** The most that were in flight together since it was last read. */
    takeMost() {
      const since = most
      most = inFlight
      return since
    },
    get inFlight() {
      return inFlight
    },
    hurry(nextMs = 0) {
      afterMs = nextMs
    },
  }
}

/** A webhook with a backlog: some deliveries are in flight, nearly all are parked. */
async function backlog(options: Parameters<typeof createWebhook>[2] = {}): Promise<string> {
  const id = await createWebhook(posthorn, receiver.url, { maxInFlight: 20, ...options })
  await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, BACKLOG)
  await until(() => receiver.received.length > 10, 'some arrive')
  await until(
    async () => (await countParked(posthorn.database.pool)) > BACKLOG * 0.8,
    'the others are parked',
  )
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
  await until(
    async () => (await countStates(posthorn.database.pool))['succeeded'] === count,
    'all arrive',
    40_000,
  )
}

function expectOnceEach(count = BACKLOG): void {
  const numbers = receiver.received.map(numberOf).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i))
}

/** Nothing arrives, although the backlogs are looked at several times. */
async function expectNothingArrives(): Promise<void> {
  const before = receiver.received.length
  const since = Date.now()
  await until(() => Date.now() - since > 1_500, 'a while passes')
  expect(receiver.received.length - before).toBe(0)
}

const parked = () => countParked(posthorn.database.pool)

test('disabled, nothing arrives beyond what was in flight and no attempt is used up; enabled, all arrive once', async () => {
  const { pool } = posthorn.database
  const slow = answerSlowly(100)
  const id = await backlog()
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: false })
  const arrived = receiver.received.length
  await until(() => slow.inFlight === 0, 'what was in flight ends')
  // Those that were on the wire when it was disabled.
  expect(receiver.received.length - arrived).toBeLessThanOrEqual(20)
  await until(async () => (await parked()) === BACKLOG - receiver.received.length, 'all are parked')
  await expectNothingArrives()
  const { rows } = await pool.query(
    `select max(attempt_count) as attempts, count(*)::int as pending from posthorn.deliveries where state = 'pending'`,
  )
  expect(rows).toEqual([{ attempts: 0, pending: BACKLOG - receiver.received.length }])

  slow.hurry()
  await posthorn.rest('PUT', `/webhooks/${id}`, { enabled: true })
  await untilAllArrived()
  expectOnceEach()
}, 60_000)

test('deleted, all pending deliveries are canceled, with their jobs and the backlog, and nothing arrives any more', async () => {
  const { pool } = posthorn.database
  const slow = answerSlowly(100)
  const id = await backlog()
  await posthorn.rest('DELETE', `/webhooks/${id}`)
  await until(() => slow.inFlight === 0, 'what was in flight ends')
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
}, 60_000)

test('after a rotation all are signed with the new secret only', async () => {
  const slow = answerSlowly(100)
  const id = await backlog()
  const { key: old } = await (await posthorn.rest('GET', `/webhooks/${id}/secret`)).json()
  const askedAt = new Date()
  const { key } = await (await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)).json()
  const rotatedAt = new Date()
  slow.hurry()
  await untilAllArrived()
  expectOnceEach()

  const startOf = await readStarts()
  const before = receiver.received.filter((request) => startOf(request) < askedAt)
  const after = receiver.received.filter((request) => startOf(request) > noticedBy(rotatedAt))
  expect(before.length).toBeGreaterThan(10)
  expect(after.length).toBeGreaterThan(BACKLOG / 2)
  for (const request of before) {
    expect(await verifies(request, old)).toBe(true)
    expect(await verifies(request, key)).toBe(false)
  }
  for (const request of after) {
    expect(await verifies(request, key), `${startOf(request).toISOString()}`).toBe(true)
    expect(await verifies(request, old)).toBe(false)
  }
}, 60_000)

/** When the attempt began that sent a request. */
async function readStarts(): Promise<(request: Received) => Date> {
  const { rows } = await posthorn.database.pool.query<{ id: string; at: Date }>(
    `select posthorn.type_id('msg', delivery_id) as id, started_at as at from posthorn.attempts`,
  )
  const startedAt = new Map(rows.map((row) => [row.id, row.at]))
  return ({ headers }) => startedAt.get(headers['wh-id'] as string) as Date
}

/** What was loaded just before a change goes out as it was loaded, a moment later. */
function noticedBy(changedAt: Date): Date {
  return new Date(changedAt.getTime() + 100)
}

async function verifies({ body, headers }: Received, secret: string): Promise<boolean> {
  return (await verify(body, headers, secret)).ok
}

test('with another address, later attempts go there', async () => {
  const slow = answerSlowly(100)
  const id = await backlog()
  const askedAt = new Date()
  await posthorn.rest('PUT', `/webhooks/${id}`, { url: `${receiver.url}elsewhere` })
  const changedAt = new Date()
  slow.hurry()
  await untilAllArrived()
  expectOnceEach()

  const startOf = await readStarts()
  const startsAt = (at: string) =>
    receiver.received.filter(({ path }) => path === at).map((request) => startOf(request))
  const atTheOld = startsAt('/')
  const elsewhere = startsAt('/elsewhere')
  expect(atTheOld.length).toBeGreaterThan(10)
  expect(atTheOld.filter((at) => at > noticedBy(changedAt))).toEqual([])
  expect(elsewhere.length).toBeGreaterThan(BACKLOG / 2)
  expect(elsewhere.filter((at) => at < askedAt)).toEqual([])
}, 60_000)

test('a concurrency limit that is lowered or raised applies soon', async () => {
  const slow = answerSlowly(100)
  const id = await backlog()
  await update(id, { maxInFlight: 3 })
  await until(() => slow.inFlight <= 3, 'no more than three are in flight')
  // They end together, and a few that were loaded before the change may follow.
  const since = Date.now()
  await until(() => Date.now() - since > 500, 'what was in flight ends')
  slow.takeMost()
  const arrived = receiver.received.length
  await until(() => receiver.received.length > arrived + 30, 'more arrive')
  expect(slow.takeMost()).toBeLessThanOrEqual(3)

  await update(id, { maxInFlight: 40 })
  await until(() => slow.inFlight > 20, 'more are in flight')
  slow.hurry()
  await untilAllArrived()
  expectOnceEach()
}, 60_000)

test('a rate limit that is set or lifted applies soon', async () => {
  const slow = answerSlowly(100)
  const id = await backlog()
  await update(id, { rateLimitPerSecond: 20 })
  const since = Date.now()
  await until(() => Date.now() - since > 1_000, 'what was in flight ends')
  const from = receiver.received.length
  const countedFrom = Date.now()
  await until(() => receiver.received.length >= from + 40, 'more arrive')
  // A second's worth may have been reserved when counting began.
  const seconds = (Date.now() - countedFrom) / 1_000
  expect(receiver.received.length - from).toBeLessThanOrEqual(20 * (seconds + 1) + 1)

  slow.hurry()
  await update(id, { rateLimitPerSecond: null })
  await untilAllArrived()
  expectOnceEach()
}, 60_000)

test('made ordered, it is sent one delivery at a time, in order; made unordered, many again', async () => {
  const slow = answerSlowly(100)
  const id = await backlog()
  slow.hurry(5)
  await update(id, { ordered: true })
  await until(() => slow.inFlight <= 1, 'one at a time is in flight')
  const since = Date.now()
  await until(() => Date.now() - since > 500, 'what was in flight ends')
  slow.takeMost()
  const from = receiver.received.length
  await until(() => receiver.received.length > from + 50, 'more arrive')
  expect(slow.takeMost()).toBe(1)
  const inOrder = receiver.received.slice(from).map(numberOf)
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))

  await update(id, { ordered: false })
  slow.hurry()
  await untilAllArrived()
  expectOnceEach()
}, 60_000)

test('of the parked deliveries, one that is canceled never arrives, and what a person asks for is the next', async () => {
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
  const change = (name: string, delivery: string | undefined) =>
    posthorn.graphql(`mutation ($id: ID!) { ${name}(id: $id) { __typename } }`, { id: delivery })
  expect((await change('cancelDelivery', canceled)).cancelDelivery.__typename).toBe(
    'CancelDeliverySuccess',
  )
  expect((await change('redeliver', redelivered)).redeliver.__typename).toBe('RedeliverSuccess')
  const { testDelivery } = await posthorn.graphql(
    `mutation ($webhook: ID!, $type: String!) {
      testDelivery(webhookId: $webhook, eventType: $type) {
        ... on TestDeliverySuccess { delivery { id } }
      }
    }`,
    { webhook, type: JOINED },
  )
  const asked = [redelivered, testDelivery.delivery.id]

  receiver.answer = (response) => response.end()
  for (const answer of withheld.splice(0)) answer()
  const places = () =>
    asked.map((id) => receiver.received.findIndex(({ headers }) => headers['wh-id'] === id))
  await until(() => !places().includes(-1), 'both arrive')
  // By their events they were the last. What had been released by then is before them.
  expect(Math.max(...places())).toBeLessThan(BACKLOG / 4)
  await untilAllArrived(BACKLOG)
  expect(receiver.received.some(({ headers }) => headers['wh-id'] === canceled)).toBe(false)
  expect(receiver.received).toHaveLength(BACKLOG)
  await until(async () => (await countJobs(pool)) === 0, 'no job is left')
}, 60_000)

test('in order, a delivery that is redelivered while it is in flight is sent again after it, before newer ones', async () => {
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
  await posthorn.graphql('mutation ($id: ID!) { redeliver(id: $id) { __typename } }', rows[0])
  await until(async () => {
    const jobs = await pool.query(
      `select from graphile_worker.jobs where task_identifier = 'posthorn:release_backlog'`,
    )
    return jobs.rowCount === 0
  }, 'the backlog was looked at')
  await expectNothingArrives()
  receiver.answer = (response) => response.end()
  answer()
  await untilAllArrived(3)
  expect(receiver.received.map(numberOf)).toEqual([0, 0, 1, 2])
})
