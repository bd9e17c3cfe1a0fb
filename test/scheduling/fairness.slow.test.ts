import { expect, test } from 'vitest'
import { createTenant } from '../support/factories.ts'
import { callerWith } from '../support/post-graphql.ts'
import { until } from '../support/until.ts'
import { createWebhook, useApp, withholdAnswers } from './support/backlog.ts'

const { receiver, posthorn, publish, untilSucceeded } = await useApp({
  environment: { POSTHORN_CONCURRENCY: '50' },
})

/** Creates another organization in the same process, with a webhook at `/<path>`. */
async function createOrganization(path: string): Promise<string> {
  const tenant = await createTenant(posthorn.database.prisma)
  await createWebhook(callerWith(posthorn.app.url, tenant.token), `${receiver.url}${path}`)
  return tenant.publicOrganizationId
}

const arrivedAt = (path: string) => receiver.received.filter((request) => request.path === path)

test('an organization whose 60 webhooks all hang delays no other organization', async () => {
  const { answerAll } = withholdAnswers(receiver, '/hangs')
  const other = await createOrganization('quick')
  for (let i = 0; i < 60; i++) await createWebhook(posthorn, `${receiver.url}hangs`)
  await publish(3)
  await until(() => arrivedAt('/hangs').length >= 20, 'many hang')
  for (let round = 1; round <= 2; round++) {
    await publish(20, 0, other)
    // A blocked delivery would wait for the 15 s timeout.
    await until(
      () => arrivedAt('/quick').length === 20 * round,
      `the events of round ${round} arrive`,
      10_000,
    )
  }
  expect(arrivedAt('/hangs').length, 'no capacity is left unused').toBeGreaterThanOrEqual(40)
  answerAll()
  await untilSucceeded(220, 30_000)
})

test('a large batch delays no other organization', async () => {
  const other = await createOrganization('quick')
  await createWebhook(posthorn, `${receiver.url}batch`)
  await publish(600)
  await publish(1, 0, other)
  await until(() => arrivedAt('/quick').length === 1, 'the other event arrives')
  expect(arrivedAt('/batch').length, 'most of the batch still waits').toBeLessThan(300)
  await until(() => arrivedAt('/batch').length === 600, 'nothing is lost', 30_000)
})

test('a webhook with a rate limit and a backlog delays no other organization', async () => {
  const other = await createOrganization('quick')
  await createWebhook(posthorn, `${receiver.url}limited`, { rateLimitPerSecond: 150 })
  await publish(1_500)
  await until(() => arrivedAt('/limited').length >= 20, 'some arrive')
  for (let round = 1; round <= 2; round++) {
    await publish(10, 0, other)
    // Without fairness, the limited deliveries of each next second would be sent first.
    await until(
      () => arrivedAt('/quick').length === 10 * round,
      `the events of round ${round} arrive`,
      10_000,
    )
  }
  expect(arrivedAt('/limited').length).toBeLessThan(1_500)
})
