import { beforeEach, describe, expect, test } from 'vitest'
import { probeDelayMs, shouldPutOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { JOINED } from '../support/factories.ts'
import { isAnyClaimed } from '../support/jobs.ts'
import { until } from '../support/until.ts'
import { createWebhook, numberOf, redeliver, useApp } from './support/backlog.ts'

const SECOND = 1_000

test.each([
  [9, 3_600, false],
  [10, 59, false],
  [10, 60, true],
  [1_000, 59, false],
  [0, null, false],
])('%i failures in %i s put a webhook on hold: %s', (consecutiveFailures, seconds, onHold) => {
  const failingMs = seconds === null ? null : seconds * SECOND
  expect(shouldPutOnHold({ consecutiveFailures, failingMs })).toBe(onHold)
})

test('the interval between probes doubles, up to 15 minutes', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 50].map((probes) => probeDelayMs(probes) / SECOND)
  expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900])
})

describe('a webhook that keeps failing', async () => {
  let webhookId: string

  const app = await useApp({ environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h,1h' } })
  const { receiver, posthorn, released, pass, parked, states, publish, untilSucceeded } = app
  beforeEach(async () => {
    webhookId = await createWebhook(posthorn, receiver.url)
  })

  const answer = (status: number) => {
    receiver.answer = (response) => response.writeHead(status).end()
  }
  const recover = () => answer(200)

  const health = () => app.health(webhookId)

  /** It is degraded for a while, as many first attempts have failed. */
  async function hasRecovered() {
    const { onHoldSince, consecutiveFailures } = await health()
    return onHoldSince === null && consecutiveFailures === 0
  }

  /** Makes ten deliveries fail, and one more a minute later. */
  async function putWebhookOnHold() {
    answer(503)
    await publish(10)
    await until(async () => (await health()).consecutiveFailures === 10, 'ten fail')
    await until(async () => (await health()).state === 'FAILING', 'the webhook is failing')
    await pass(90)
    await publish(1)
    await until(async () => (await health()).state === 'ON_HOLD', 'the webhook is on hold')
    receiver.clear()
  }

  test('is on hold, and its deliveries are parked without using up attempts', async () => {
    await putWebhookOnHold()
    const { onHoldSince, nextProbeAt } = await health()
    expect(Date.parse(nextProbeAt) - Date.parse(onHoldSince)).toBe(30 * SECOND)
    await publish(5)
    expect(await parked()).toBe(5)
    await pass(20)
    await released()
    expect(receiver.received).toHaveLength(0)
    expect(await states()).toEqual({ pending: 16 })
  })

  test('gets its oldest delivery as a probe, at growing intervals, then another one, and after the first success the backlog, slowly at first', async () => {
    await putWebhookOnHold()
    const { pool } = posthorn.database
    await publish(15, 100)
    receiver.answer = (response, request) =>
      response.writeHead(numberOf(request) === 100 ? 503 : 200).end()
    await pass(40)
    await receiver.arrival(1)
    await until(
      async () => Date.parse((await health()).nextProbeAt) > Date.now() + 50 * SECOND,
      'the next one is a minute later',
    )
    await until(async () => (await parked()) === 15, 'the probe is parked again')
    const { rows } = await pool.query(
      'select schedule_position from posthorn.deliveries where parked_at is not null and attempt_count = 1',
    )
    expect(rows).toEqual([{ schedule_position: 0 }])
    expect((await health()).state).toBe('ON_HOLD')

    const endedAt = performance.now()
    await pass(90)
    await untilSucceeded(14, 20_000)
    // The first second releases ten.
    expect(performance.now() - endedAt).toBeGreaterThan(1_000)
    expect(receiver.received.slice(0, 2).map(numberOf)).toEqual([100, 101])
    expect(await health()).toMatchObject({ onHoldSince: null, nextProbeAt: null })
    // The eleven failed deliveries keep the times of their retries.
    await until(async () => (await parked()) === 0, 'the backlog is released')
    expect(await states()).toEqual({ succeeded: 14, pending: 12 })
  })

  test('can be resumed, and is put on hold again if it keeps failing', async () => {
    await putWebhookOnHold()
    const resume = async () => {
      const query = `mutation ($id: ID!) { resumeWebhook(id: $id) {
        ... on ResumeWebhookSuccess { webhook { health { state } } } ... on ConflictError { message } } }`
      return (await posthorn.graphql(query, { id: webhookId })).resumeWebhook
    }
    expect((await resume()).webhook.health.state).toBe('FAILING')
    await publish(10)
    await until(async () => (await health()).state === 'ON_HOLD', 'the webhook is on hold again')
    // A failure that is recorded after it was resumed would put it on hold once more.
    const { pool } = posthorn.database
    await until(async () => !(await isAnyClaimed(pool)), 'no attempt is in flight')
    recover()
    await resume()
    await publish(1)
    await until(hasRecovered, 'the webhook has recovered')
    expect((await resume()).message).toMatch(/is not on hold/)
  })

  test('gets its probe at once if a person asks for it, and is told why there is none', async () => {
    const probe = async () => {
      const { probeWebhook } = await posthorn.graphql(
        `mutation ($id: ID!) { probeWebhook(id: $id) {
          __typename ... on UserError { code message }
        } }`,
        { id: webhookId },
      )
      return probeWebhook
    }
    expect(await probe()).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is not on hold'),
    })
    await putWebhookOnHold()
    expect(await probe()).toMatchObject({ message: expect.stringContaining('No delivery waits') })
    await publish(1)
    expect(await probe()).toMatchObject({ __typename: 'ProbeWebhookSuccess' })
    await until(() => receiver.received.length === 1, 'the probe is sent')
    await until(async () => (await parked()) === 1, 'the probe waits')
    expect((await health()).state).toBe('ON_HOLD')
    recover()
    expect(await probe()).toMatchObject({ __typename: 'ProbeWebhookSuccess' })
    await until(hasRecovered, 'the probe ends the hold')
  })

  test('gets test deliveries and redeliveries on hold, and a success ends the hold', async () => {
    await putWebhookOnHold()
    const { pool } = posthorn.database
    const { rows } = await pool.query(
      `select posthorn.type_id('msg', id) as id from posthorn.deliveries order by id limit 1`,
    )
    expect(await redeliver(posthorn, rows[0])).toBe('RedeliverSuccess')
    await until(() => receiver.received.length === 1, 'the redelivery is sent')
    await until(async () => (await health()).consecutiveFailures === 12, 'its failure is recorded')
    expect((await health()).state).toBe('ON_HOLD')
    recover()
    const { testDelivery } = await posthorn.graphql(
      'mutation ($id: ID!, $type: String!) { testDelivery(id: $id, input: { eventType: $type }) { __typename } }',
      { id: webhookId, type: JOINED },
    )
    expect(testDelivery.__typename).toBe('TestDeliverySuccess')
    await until(hasRecovered, 'the test delivery ends the hold')
  })

  test('is no longer on hold after a change of its URL', async () => {
    await putWebhookOnHold()
    recover()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { url: `${receiver.url}elsewhere` })
    expect((await health()).state).toBe('FAILING')
    await publish(1)
    await until(hasRecovered, 'the webhook has recovered')
  })

  test('gets no probe while it is disabled', async () => {
    await putWebhookOnHold()
    await publish(1)
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: false })
    await pass(3_600)
    await released()
    expect(receiver.received).toHaveLength(0)
    recover()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: true })
    await until(() => receiver.received.length === 1, 'the parked delivery arrives')
  })
})
