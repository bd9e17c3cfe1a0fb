import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, useApp, withholdAnswers } from './support/backlog.ts'

const { receiver, posthorn, health, jobs, parked, publish, untilSucceeded } = await useApp()

test('at most maxInFlight attempts are in flight; the other deliveries are parked without jobs, and each is sent once', async () => {
  const slow = withholdAnswers(receiver, '/slow')
  await createWebhook(posthorn, `${receiver.url}slow`, { maxInFlight: 7 })
  await publish(40)
  await until(() => slow.inFlight === 7, 'seven are in flight')
  await until(async () => (await parked()) > 25, 'the others are parked')
  // A job ends after the statement that parks its delivery.
  await until(async () => (await jobs()) + (await parked()) === 40, 'parked deliveries have no job')
  slow.answerAll()
  await untilSucceeded(40)
  expect(slow.maxInFlight).toBe(7)
  expect(new Set(receiver.received.map(numberOf)).size).toBe(40)
  expect(receiver.received).toHaveLength(40)
  await until(async () => (await jobs()) === 0, 'no job is left')
})

test('a webhook that hangs with a backlog gets 20 attempts in parallel and delays no other webhook', async () => {
  const slow = withholdAnswers(receiver, '/slow')
  await createWebhook(posthorn, `${receiver.url}slow`)
  await publish(60)
  await createWebhook(posthorn, `${receiver.url}quick`)
  await publish(20, 60)
  await until(
    () => receiver.received.filter(({ path }) => path === '/quick').length === 20,
    'all arrive at the quick webhook',
  )
  expect(slow.inFlight).toBe(20)
  slow.answerAll()
  await untilSucceeded(100)
})

test('the adaptive limit of a webhook is shown, and none once its limit is fixed', async () => {
  // The limits are reported every five seconds.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const id = await createWebhook(posthorn, receiver.url)
  const untilShown = (limit: number | null) =>
    expect
      .poll(async () => {
        await publish(1)
        vi.advanceTimersByTime(5_000)
        return (await health(id)).concurrencyLimit
      })
      .toBe(limit)
  await untilShown(20)
  await posthorn.graphql(
    'mutation ($id: ID!) { updateWebhook(id: $id, input: { maxInFlight: 3 }) { __typename } }',
    { id },
  )
  await untilShown(null)
})
