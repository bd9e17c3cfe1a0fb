import { expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import type { Receiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countParked, createWebhook, numberOf, publish, useApp } from './support/backlog.ts'

let receiver: Receiver
let posthorn: TestApp

useApp(
  (opened) => {
    ;({ receiver, posthorn } = opened)
  },
  { withSecondWorker: true },
)

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
