import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import {
  countJobs,
  countStates,
  countWaiting,
  createWebhook,
  numberOf,
  publish,
} from './support/backlog.ts'

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())
beforeEach(async () => {
  receiver.forget()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterEach(() => posthorn[Symbol.asyncDispose]())

/** Answers those for `/slow` only when told to. */
function holdSlowAnswers() {
  const held: (() => void)[] = []
  let atOnce = 0
  let most = 0
  let holding = true
  receiver.answer = (response, { path }) => {
    if (path !== '/slow' || !holding) return void response.end()
    atOnce += 1
    most = Math.max(most, atOnce)
    held.push(() => {
      atOnce -= 1
      response.end()
    })
  }
  return {
    get most() {
      return most
    },
    get count() {
      return held.length
    },
    letGo() {
      holding = false
      for (const answer of held.splice(0)) answer()
    },
  }
}

test('at most the cap of a webhook is under way, and the others wait in line, each fetched once', async () => {
  const { database, tenant } = posthorn
  const slow = holdSlowAnswers()
  await createWebhook(posthorn, `${receiver.url}slow`, { maxInFlight: 7 })
  await publish(database.pool, tenant.publicOrganizationId, 2_000)
  await until(() => slow.count === 7, 'seven are under way')
  await until(async () => (await countWaiting(database.pool)) > 1_900, 'the others wait')
  expect(await countJobs(database.pool)).toBe(2_000)
  slow.letGo()
  await until(
    async () => (await countStates(database.pool))['succeeded'] === 2_000,
    'all arrive',
    30_000,
  )
  expect(slow.most).toBe(7)
  expect(new Set(receiver.received.map(numberOf)).size).toBe(2_000)
  expect(receiver.received).toHaveLength(2_000)
  await until(async () => (await countJobs(database.pool)) === 0, 'no job is left')
})

test('one that hangs with a backlog delays no other', async () => {
  const { database, tenant } = posthorn
  const slow = holdSlowAnswers()
  const slowId = await createWebhook(posthorn, `${receiver.url}slow`)
  await publish(database.pool, tenant.publicOrganizationId, 5_000)
  await createWebhook(posthorn, `${receiver.url}quick`)
  await publish(database.pool, tenant.publicOrganizationId, 100, 5_000)
  await until(
    () => receiver.received.filter(({ path }) => path === '/quick').length === 100,
    'the quick one has its own',
  )
  expect(slow.count).toBe(20)
  expect(slowId).toBeTruthy()
  slow.letGo()
  await until(
    async () => (await countStates(database.pool))['succeeded'] === 5_200,
    'all arrive',
    30_000,
  )
})
