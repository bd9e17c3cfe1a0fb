import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import {
  countJobs,
  countParked,
  createWebhook,
  numberOf,
  publish,
  untilSucceeded,
  useApp,
} from './support/backlog.ts'

const { receiver, posthorn } = await useApp()

/** Answers requests for `/slow` only when `answerAll` is called. */
function withholdAnswers() {
  const withheld: (() => void)[] = []
  let inFlight = 0
  let maxInFlight = 0
  let isWithholding = true
  receiver.answer = (response, { path }) => {
    if (path !== '/slow' || !isWithholding) return void response.end()
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    withheld.push(() => {
      inFlight -= 1
      response.end()
    })
  }
  return {
    get maxInFlight() {
      return maxInFlight
    },
    get count() {
      return withheld.length
    },
    answerAll() {
      isWithholding = false
      for (const answer of withheld.splice(0)) answer()
    },
  }
}

async function readLimit(id: string): Promise<number | null> {
  const { webhook } = await posthorn.graphql(
    'query ($id: ID!) { webhook(id: $id) { health { concurrencyLimit } } }',
    { id },
  )
  return webhook.health.concurrencyLimit
}

test('at most maxInFlight attempts are in flight; the other deliveries are parked without jobs, and each is sent once', async () => {
  const { pool } = posthorn.database
  const slow = withholdAnswers()
  await createWebhook(posthorn, `${receiver.url}slow`, { maxInFlight: 7 })
  await publish(pool, posthorn.tenant.publicOrganizationId, 400)
  await until(() => slow.count === 7, 'seven are in flight')
  await until(async () => (await countParked(pool)) > 300, 'the others are parked')
  // A job ends after the statement that parks its delivery.
  await until(
    async () => (await countJobs(pool)) + (await countParked(pool)) === 400,
    'parked deliveries have no job',
  )
  slow.answerAll()
  await untilSucceeded(pool, 400, 30_000)
  expect(slow.maxInFlight).toBe(7)
  expect(new Set(receiver.received.map(numberOf)).size).toBe(400)
  expect(receiver.received).toHaveLength(400)
  await until(async () => (await countJobs(pool)) === 0, 'no job is left')
})

test('a webhook that hangs with a backlog gets 20 attempts in parallel and delays no other webhook', async () => {
  const { pool } = posthorn.database
  const slow = withholdAnswers()
  await createWebhook(posthorn, `${receiver.url}slow`)
  await publish(pool, posthorn.tenant.publicOrganizationId, 600)
  await createWebhook(posthorn, `${receiver.url}quick`)
  await publish(pool, posthorn.tenant.publicOrganizationId, 100, 600)
  await until(
    () => receiver.received.filter(({ path }) => path === '/quick').length === 100,
    'all arrive at the quick webhook',
  )
  expect(slow.count).toBe(20)
  slow.answerAll()
  await untilSucceeded(pool, 800, 30_000)
})

test('the limit of a slow endpoint grows until it covers a steady rate of events', async () => {
  const { pool } = posthorn.database
  receiver.answer = (response) => void setTimeout(() => response.end(), 200)
  const id = await createWebhook(posthorn, receiver.url)
  let published = 0
  const startedAt = performance.now()
  // 200 events per second with answers of 200 ms need 40 attempts in flight. On a busy machine, too: what is late is made up for.
  while (published < 1_000) {
    const due = Math.min(1_000, 10 * Math.ceil((performance.now() - startedAt) / 50))
    await publish(pool, posthorn.tenant.publicOrganizationId, due - published, published)
    published = due
    await sleep(50)
  }
  await untilSucceeded(pool, published)
  expect(receiver.received).toHaveLength(published)
  await until(async () => ((await readLimit(id)) ?? 0) >= 40, 'the limit is shown')
})

test('a webhook with a fixed limit shows no adaptive limit', async () => {
  const { pool } = posthorn.database
  const id = await createWebhook(posthorn, receiver.url)
  const publishOne = () => publish(pool, posthorn.tenant.publicOrganizationId, 1)
  await publishOne()
  await until(async () => (await readLimit(id)) === 20, 'the limit is shown')
  await posthorn.graphql(
    'mutation ($id: ID!) { updateWebhook(id: $id, input: { maxInFlight: 3 }) { __typename } }',
    { id },
  )
  await until(async () => {
    await publishOne()
    return (await readLimit(id)) === null
  }, 'no limit is shown')
})

test('after its worker runner was replaced while an endpoint hung, a process still delivers within the concurrency limit', async () => {
  const { pool } = posthorn.database
  const withheld: (() => void)[] = []
  let isHanging = true
  receiver.answer = (response) => {
    if (isHanging) withheld.push(() => response.end())
    else response.end()
  }
  await createWebhook(posthorn, receiver.url, { maxInFlight: 2 })
  await publish(pool, posthorn.tenant.publicOrganizationId, 5)
  await receiver.arrival(2)

  const before = await runners()
  // Simulates a rescue by another process.
  await pool.query('delete from posthorn.workers')
  await until(
    async () => (await runners()).some((id) => !before.includes(id)),
    'a new runner starts',
    30_000,
  )
  isHanging = false
  for (const answer of withheld) answer()
  await publish(pool, posthorn.tenant.publicOrganizationId, 10, 5)
  await untilSucceeded(pool, 15, 40_000)
  expect(withheld.length).toBeLessThanOrEqual(4)

  async function runners(): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>('select id from posthorn.workers')
    return rows.map(({ id }) => id)
  }
})
