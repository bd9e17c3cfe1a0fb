import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countJobs, countStates, createWebhook, numberOf, publish } from './support/backlog.ts'

let receiver: Receiver
let directory: string
let api: TestApp
let workers: PosthornProcess[]

beforeAll(async () => {
  receiver = await startReceiver()
  directory = await mkdtemp(path.join(tmpdir(), 'posthorn killed '))
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  receiver.clear()
  workers = []
  api = await startTestApp({ role: 'api' })
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  await api[Symbol.asyncDispose]()
})

function startWorker(): PosthornProcess {
  const worker = startPosthorn(['start', '--role', 'worker'], {
    environment: {
      ...testEnvironment(api.database.url),
      POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
    },
  })
  workers.push(worker)
  return worker
}

/** Starts two workers. During the nth request for each n of `points`, kills one and starts another. */
function killAt(points: readonly number[]) {
  let victim = startWorker()
  startWorker()
  let killed = 0
  return {
    get killed() {
      return killed
    },
    countRequest() {
      if (!points.includes(receiver.received.length)) return
      victim.child.kill('SIGKILL')
      killed += 1
      victim = startWorker()
    },
  }
}

const randomBetween = (from: number, to: number) => from + Math.floor(Math.random() * (to - from))

test('an ordered webhook keeps its order while its endpoint fails and workers are killed', async () => {
  const { database, tenant } = api
  const count = 60
  const points = [randomBetween(5, 25), randomBetween(40, 60)]
  const killer = killAt(points)
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
  await until(
    async () => (await countStates(database.pool))['succeeded'] === count,
    `all arrive, with kills at ${points}`,
    60_000,
  )
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
}, 120_000)

test('a rate limit is never exceeded while workers are killed, and nothing is lost', async () => {
  const { database, tenant } = api
  const count = 200
  const rateLimitPerSecond = 40
  const points = [randomBetween(10, 60), randomBetween(80, 160)]
  const killer = killAt(points)
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
  await until(
    async () => (await countStates(database.pool))['succeeded'] === count,
    `all arrive, with kills at ${points}`,
    60_000,
  )
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
}, 120_000)
