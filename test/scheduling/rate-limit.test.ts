import { expect, test } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, useApp } from './support/backlog.ts'

const { receiver, posthorn, parked, publish } = await useApp({ withSecondWorker: true })

test('deliveries over the limit are parked without jobs, and two processes together send no more than the limit', async () => {
  const { database } = posthorn
  await createWebhook(posthorn, receiver.url, { rateLimitPerSecond: 5 })
  const startedAt = performance.now()
  await publish(40)
  await until(async () => (await parked()) > 25, 'nearly all are parked')
  // At most the deliveries that were just released. The last of the others can wait for a worker that parks them.
  const unclaimed = `graphile_worker.jobs
    where task_identifier = 'posthorn:deliver' and key is not null and locked_at is null`
  const isFew = async () => (await countRows(database.pool, unclaimed)) <= 5
  await until(isFew, 'parked deliveries have no job')
  await receiver.arrival(11)
  expect(performance.now() - startedAt).toBeGreaterThan(1_900)
})

test('a rate limit does not delay another webhook', async () => {
  await createWebhook(posthorn, `${receiver.url}limited`, { rateLimitPerSecond: 2 })
  await createWebhook(posthorn, `${receiver.url}free`)
  await publish(20)
  await until(
    () => receiver.received.filter(({ path }) => path === '/free').length === 20,
    'all arrive at the webhook without a limit',
  )
  const limited = receiver.received.filter(({ path }) => path === '/limited')
  expect(limited.length).toBeLessThan(20)
  expect(new Set(limited.map(numberOf)).size).toBe(limited.length)
})
