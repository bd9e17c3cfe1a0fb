import { expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { createWebhook, publish } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const receiver = await useReceiver()
const posthorn = await useTestApp()

test('a delivery whose attempt is running is skipped, and sent no second time', async () => {
  const { database, tenant, graphql } = posthorn
  const webhook = await createWebhook(posthorn, receiver.url, { retryScheduleSeconds: [1] })
  const release = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    if (receiver.received.length === 1) response.writeHead(500).end()
    else void release.promise.then(() => response.end())
  }
  await publish(database.pool, tenant.publicOrganizationId, 1)
  await receiver.arrival(2)
  const { organizationId } = tenant
  const find = () => database.prisma.delivery.findFirstOrThrow({ where: { organizationId } })
  expect(await find()).toMatchObject({ state: 'pending', attemptCount: 1 })
  const input = { filter: { webhookIds: [webhook], states: ['RETRYING'] } }
  const { redeliver } = await graphql(document('bulk-tasks', 'RedeliverInBackground'), { input })
  const task = async () =>
    (await graphql(document('bulk-tasks', 'BulkTask'), redeliver.task)).bulkTask
  await until(async () => (await task()).state === 'COMPLETED', 'the task completes')
  expect(await task()).toMatchObject({ total: 1, changed: 0 })
  release.resolve()
  await until(async () => (await find()).state === 'succeeded', 'the delivery succeeds')
  expect(receiver.received).toHaveLength(2)
})
