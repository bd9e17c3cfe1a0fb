import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const receiver = await useReceiver()
// The test app has a retry schedule of three times 100 ms and a timeout of 15 s.
const posthorn = await useTestApp()
beforeEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.writeHead(500).end()
})
afterEach(async () => {
  for (const { id } of await (await posthorn.rest('GET', '/webhooks')).json()) {
    await posthorn.rest('DELETE', `/webhooks/${id}`)
  }
})

describe('the retry schedule of a webhook', () => {
  test('replaces the schedule of the process', async () => {
    const webhook = await register({ retryScheduleSeconds: [1] })
    await publish()
    await untilFinished(webhook, 1)
    const [first, second, ...more] = await attemptsTo(webhook)
    expect(more).toEqual([])
    expect(Number(second?.startedAt) - Number(first?.startedAt)).toBeGreaterThanOrEqual(1_000)
    expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'exhausted', attemptCount: 2 }])
  })

  test('can be empty: no retry follows, even with Retry-After', async () => {
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1' }).end()
    const webhook = await register({ retryScheduleSeconds: [] })
    await publish()
    await untilFinished(webhook, 1)
    expect(await deliveriesTo(webhook)).toMatchObject([{ state: 'exhausted', attemptCount: 1 }])
  })

  test('applies from the next failure on: scheduled retries keep their time, other webhooks are not affected', async () => {
    receiver.answer = (response, { path }) => {
      response.writeHead(path === '/healthy' ? 200 : 500, { 'retry-after': '2' }).end()
    }
    const webhook = await register()
    const healthy = await register({}, '/healthy')
    // All at once, because the first retry comes two seconds after the first attempt.
    await publish(5)
    const attempted = async () => (await deliveriesTo(webhook)).map((row) => row.attemptCount)
    await until(async () => (await attempted()).join() === '1,1,1,1,1', 'each has one attempt')
    const scheduled = await deliveriesTo(webhook)
    const change = { id: webhook, input: { retryScheduleSeconds: [] } }
    const { updateWebhook } = await posthorn.graphql(document('webhooks', 'UpdateWebhook'), change)
    expect(updateWebhook.__typename).toBe('UpdateWebhookSuccess')
    const times = (rows: typeof scheduled) => rows.map((row) => row.nextAttemptAt)
    expect(times(await deliveriesTo(webhook))).toEqual(times(scheduled))

    await untilFinished(webhook, 5)
    for (const row of await deliveriesTo(webhook)) {
      expect(row).toMatchObject({ state: 'exhausted', attemptCount: 2 })
    }
    for (const attempt of await attemptsTo(webhook)) {
      const due = scheduled.find(({ id }) => id === attempt.deliveryId)?.nextAttemptAt
      if (attempt.number === 2) expect(attempt.startedAt >= (due as Date)).toBe(true)
    }
    await untilFinished(healthy, 5)
    for (const row of await deliveriesTo(healthy)) {
      expect(row).toMatchObject({ state: 'succeeded', attemptCount: 1 })
    }
  })
})

test('the timeout of a webhook ends an attempt to a hanging receiver, and the error names the timeout', async () => {
  receiver.answer = () => {}
  const webhook = await register({ timeoutSeconds: 1, retryScheduleSeconds: [] })
  await publish()
  await untilFinished(webhook, 1)
  const [attempt] = await attemptsTo(webhook)
  expect(attempt).toMatchObject({
    succeeded: false,
    status: null,
    errorCode: 'response_timed_out',
    error: 'The receiver did not answer the request within 1 s.',
  })
  expect(attempt?.durationMs).toBeGreaterThanOrEqual(1_000)
})
const register = (options: object = {}, path = '') =>
  createWebhook(posthorn, new URL(path, receiver.url).href, options)

async function publish(count = 1): Promise<void> {
  const { organizationId } = posthorn.tenant
  const events = Array.from({ length: count }, () => ({ type: JOINED, data: {} }))
  await posthorn.services.publishEvents(organizationId, events)
}

const of = (webhook: string) => ({
  where: { webhookId: parseId('webhook', webhook) as string },
  orderBy: { id: 'asc' } as const,
})
const deliveriesTo = (webhook: string) => posthorn.database.prisma.delivery.findMany(of(webhook))
const attemptsTo = (webhook: string) => posthorn.database.prisma.attempt.findMany(of(webhook))

async function untilFinished(webhook: string, count: number): Promise<void> {
  await until(async () => {
    const rows = await deliveriesTo(webhook)
    return rows.filter(({ finishedAt }) => finishedAt !== null).length === count
  }, `${count} deliveries to ${webhook} are finished`)
}
