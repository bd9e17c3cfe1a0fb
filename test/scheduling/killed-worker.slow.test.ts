import { expect, test } from 'vitest'
import { openWorkerProcesses, type WorkerProcesses } from '../bulk-tasks/worker-processes.ts'
import { until } from '../support/until.ts'
import { countJobs, createWebhook, numberOf, publish, untilSucceeded } from './support/backlog.ts'

/** Starts two workers. During the nth request for each n of `points`, kills one and starts another. */
function killAt({ receiver, start }: WorkerProcesses, points: readonly number[]) {
  let victim = start()
  start()
  let killed = 0
  return {
    get killed() {
      return killed
    },
    countRequest() {
      if (!points.includes(receiver.received.length)) return
      victim.child.kill('SIGKILL')
      killed += 1
      victim = start()
    },
  }
}

const randomBetween = (from: number, to: number) => from + Math.floor(Math.random() * (to - from))

test.concurrent('an ordered webhook keeps its order while its endpoint fails and workers are killed', async () => {
  // Of its own, because both tests mostly wait for rescues and so run at the same time.
  await using testbed = await openWorkerProcesses()
  const { receiver, api } = testbed
  const { database, tenant } = api
  const count = 60
  const points = [randomBetween(5, 25), randomBetween(40, 60)]
  const killer = killAt(testbed, points)
  const failures = new Map<number, number>()
  receiver.answer = (response, request) => {
    const number = numberOf(request)
    const failed = failures.get(number) ?? 0
    const fails = number % 7 === 3 && failed < 2
    if (fails) failures.set(number, failed + 1)
    killer.countRequest()
    setTimeout(() => {
      response.statusCode = fails ? 500 : 200
      response.end()
    }, 10)
  }
  await createWebhook(api, receiver.url, { ordered: true })
  await publish(database.pool, tenant.publicOrganizationId, count)
  await untilSucceeded(database.pool, count, 60_000)
  const arrived = receiver.received.map(numberOf)
  // A delivery in flight may be repeated, but no delivery overtakes another.
  expect(arrived, `kills at ${points}`).toEqual(arrived.toSorted((a, b) => a - b))
  expect(new Set(arrived).size).toBe(count)
  expect(killer.killed).toBe(2)
  // Each kill repeats at most the delivery in flight.
  expect(
    arrived.length - count - [...failures.values()].reduce((a, b) => a + b, 0),
  ).toBeLessThanOrEqual(2)
  await until(async () => (await countJobs(database.pool)) === 0, 'no job is left')
})

test.concurrent('a rate limit is never exceeded while workers are killed, and nothing is lost', async () => {
  // Of its own, because both tests mostly wait for rescues and so run at the same time.
  await using testbed = await openWorkerProcesses()
  const { receiver, api } = testbed
  const { database, tenant } = api
  const count = 200
  const rateLimitPerSecond = 40
  const points = [randomBetween(10, 60), randomBetween(80, 160)]
  const killer = killAt(testbed, points)
  receiver.answer = (response) => {
    killer.countRequest()
    setTimeout(() => response.end(), 10)
  }
  const webhookId = await createWebhook(api, receiver.url, { rateLimitPerSecond })
  // All reservations follow from the first one, by the clock of Postgres.
  const { rows } = await database.pool.query<{ at: Date }>(
    `insert into posthorn.webhook_schedules (webhook_id, next_reservation_at)
     values (posthorn.parse_type_id('wh', $1), now() + interval '500 milliseconds') returning next_reservation_at as at`,
    [webhookId],
  )
  const firstAt = (rows[0] as { at: Date }).at.getTime()
  await publish(database.pool, tenant.publicOrganizationId, count)
  await untilSucceeded(database.pool, count, 60_000)
  expect(killer.killed).toBe(2)
  expect(new Set(receiver.received.map(numberOf)).size).toBe(count)
  const arrivals = receiver.received.map(({ at }) => at.getTime()).sort((a, b) => a - b)
  for (const [i, at] of arrivals.entries()) {
    const earliest = firstAt + (i * 1_000) / rateLimitPerSecond
    // Both times are whole milliseconds.
    expect(at, `arrival ${i}, with kills at ${points}`).toBeGreaterThanOrEqual(
      Math.floor(earliest) - 1,
    )
  }
  await until(async () => (await countJobs(database.pool)) === 0, 'no job is left')
})
