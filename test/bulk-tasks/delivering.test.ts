import { beforeEach, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/* Tasks with a real worker and a real receiver. */
let webhook: string

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({ trustedAuthorities: [receiver.authority] })
beforeEach(async () => {
  receiver.clear()
  const response = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
  })
  webhook = (await response.json()).id
  return async () => void (await posthorn.rest('DELETE', `/webhooks/${webhook}`))
})

async function setRetries(retryScheduleSeconds: number[]) {
  const { updateWebhook } = await posthorn.graphql(
    'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { __typename } }',
    { id: webhook, input: { retryScheduleSeconds } },
  )
  expect(updateWebhook.__typename).toBe('UpdateWebhookSuccess')
}

async function publish(count: number) {
  const events = Array.from({ length: count }, (_, n) => ({ type: JOINED, data: { n } }))
  await posthorn.graphql(document('events', 'PublishEvents'), { input: { events } })
}

const countOf = (where: object) =>
  posthorn.database.prisma.delivery.count({
    where: { webhookId: parseId('webhook', webhook) as string, ...where },
  })

async function taskOf(id: string) {
  return (await posthorn.graphql(document('bulk-tasks', 'BulkTask'), { id })).bulkTask
}

test('a delivery whose attempt is running is skipped, and sent no second time', async () => {
  await setRetries([1])
  const release = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    if (receiver.received.length === 1) response.writeHead(500).end()
    else void release.promise.then(() => response.end())
  }
  await publish(1)
  await receiver.arrival(2)
  const row = await posthorn.database.prisma.delivery.findFirstOrThrow({
    where: { webhookId: parseId('webhook', webhook) as string },
  })
  expect(row).toMatchObject({ state: 'pending', attemptCount: 1 })
  const input = { filter: { webhookIds: [webhook], states: ['RETRYING'] } }
  const { redeliver } = await posthorn.graphql(document('bulk-tasks', 'RedeliverInBackground'), {
    input,
  })
  const { id } = redeliver.task
  await until(async () => (await taskOf(id)).state === 'COMPLETED', 'the task completes')
  expect(await taskOf(id)).toMatchObject({ total: 1, changed: 0 })
  release.resolve()
  await until(async () => (await countOf({ state: 'succeeded' })) === 1, 'the attempt succeeds')
  expect(receiver.received).toHaveLength(2)
})
