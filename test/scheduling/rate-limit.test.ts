import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countParked, countStates, createWebhook, numberOf, publish } from './support/backlog.ts'

let receiver: Receiver
let posthorn: TestApp
let second: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())
beforeEach(async () => {
  receiver.clear()
  const trustedAuthorities = [receiver.authority]
  posthorn = await startTestApp({ trustedAuthorities })
  second = await startTestApp({ trustedAuthorities, database: posthorn.database, role: 'worker' })
})
afterEach(async () => {
  await second[Symbol.asyncDispose]()
  await posthorn[Symbol.asyncDispose]()
})

test('two processes together never exceed the rate limit of a webhook', async () => {
  const { database, tenant } = posthorn
  const rateLimitPerSecond = 50
  const webhookId = await createWebhook(posthorn, receiver.url, { rateLimitPerSecond })
  // All reservations follow from the first one, by the clock of Postgres.
  const { rows } = await database.pool.query<{ at: Date }>(
    `insert into posthorn.webhook_schedules (webhook_id, next_reservation_at)
     values (posthorn.parse_type_id('wh', $1), now() + interval '500 milliseconds') returning next_reservation_at as at`,
    [webhookId],
  )
  const firstAt = (rows[0] as { at: Date }).at.getTime()
  await publish(database.pool, tenant.publicOrganizationId, 200)
  await until(async () => (await countStates(database.pool))['succeeded'] === 200, 'all arrive')

  const arrivals = receiver.received.map(({ at }) => at.getTime()).sort((a, b) => a - b)
  expect(arrivals).toHaveLength(200)
  for (const [i, at] of arrivals.entries()) {
    const earliest = firstAt + (i * 1_000) / rateLimitPerSecond
    // Both times are whole milliseconds.
    expect(at, `arrival ${i}`).toBeGreaterThanOrEqual(Math.floor(earliest) - 1)
  }
  expect(await countParked(database.pool)).toBe(0)
})

test('deliveries over the limit are parked without jobs', async () => {
  const { database, tenant } = posthorn
  await createWebhook(posthorn, receiver.url, { rateLimitPerSecond: 5 })
  await publish(database.pool, tenant.publicOrganizationId, 300)
  await until(async () => (await countParked(database.pool)) > 280, 'nearly all are parked')
  // At most the deliveries that were just released. The last of the others can wait for a worker that parks them.
  await until(async () => {
    const { rows } = await database.pool.query(
      `select count(*)::int as unclaimed from graphile_worker.jobs
       where task_identifier = 'posthorn:deliver' and key is not null and locked_at is null`,
    )
    return rows[0].unclaimed <= 5
  }, 'parked deliveries have no job')
})

test('a rate limit does not delay another webhook', async () => {
  const { database, tenant } = posthorn
  await createWebhook(posthorn, `${receiver.url}limited`, { rateLimitPerSecond: 2 })
  await createWebhook(posthorn, `${receiver.url}free`)
  await publish(database.pool, tenant.publicOrganizationId, 60)
  await until(
    () => receiver.received.filter(({ path }) => path === '/free').length === 60,
    'all arrive at the webhook without a limit',
  )
  const limited = receiver.received.filter(({ path }) => path === '/limited')
  expect(limited.length).toBeLessThan(60)
  expect(new Set(limited.map(numberOf)).size).toBe(limited.length)
})
