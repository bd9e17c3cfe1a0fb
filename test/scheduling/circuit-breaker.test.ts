import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { probeDelayMs, shouldPutOnHold } from '../../src/scheduling/circuit-breaker.ts'
import { JOINED } from '../support/factories.ts'
import type { Received } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import {
  countParked,
  countStates,
  createWebhook,
  numberOf,
  publish,
  redeliver,
  untilSucceeded,
  useApp,
} from './support/backlog.ts'

const SECOND = 1_000

test.each([
  [9, 3_600, false],
  [10, 59, false],
  [10, 60, true],
  [1_000, 59, false],
])('%i failures in %i s put a webhook on hold: %s', (consecutiveFailures, seconds, onHold) => {
  const failingMs = seconds * SECOND
  expect(shouldPutOnHold({ consecutiveFailures, failingMs }, 0)).toBe(onHold)
})

test('a webhook without failures is not put on hold', () => {
  expect(shouldPutOnHold({ consecutiveFailures: 0, failingMs: null }, 0)).toBe(false)
})

test('the interval between probes doubles, up to 15 minutes', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 50].map((probes) => probeDelayMs(probes) / SECOND)
  expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900])
})

describe('a webhook that keeps failing', async () => {
  let webhookId: string
  let clock = new Date()

  const { receiver, posthorn } = await useApp({
    environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h,1h' },
    now: () => clock,
  })
  beforeEach(async () => {
    webhookId = await createWebhook(posthorn, receiver.url)
  })
  afterEach(() => {
    clock = new Date()
  })

  const pass = (seconds: number) => {
    clock = new Date(clock.getTime() + seconds * SECOND)
  }
  const fail = () => {
    receiver.answer = (response) => {
      response.statusCode = 503
      response.end()
    }
  }
  const recover = () => {
    receiver.answer = (response) => response.end()
  }

  async function health() {
    const { webhook } = await posthorn.graphql(
      `query ($id: ID!) { webhook(id: $id) {
        health { state onHoldSince nextProbeAt consecutiveFailures }
      } }`,
      { id: webhookId },
    )
    return webhook.health
  }

  /** It is degraded for a while, as many first attempts have failed. */
  async function hasRecovered() {
    const { onHoldSince, consecutiveFailures } = await health()
    return onHoldSince === null && consecutiveFailures === 0
  }

  async function publishOne() {
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 1)
  }

  /** Makes ten deliveries fail, and one more a minute later. */
  async function putWebhookOnHold() {
    fail()
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).consecutiveFailures === 10, 'ten fail')
    await until(async () => (await health()).state === 'FAILING', 'the webhook is failing')
    pass(90)
    await publishOne()
    await until(async () => (await health()).state === 'ON_HOLD', 'the webhook is on hold')
    receiver.clear()
  }

  test('is on hold, and its deliveries are parked without using up attempts', async () => {
    await putWebhookOnHold()
    const { onHoldSince, nextProbeAt } = await health()
    expect(Date.parse(nextProbeAt) - Date.parse(onHoldSince)).toBe(30 * SECOND)
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 5)
    expect(await countParked(posthorn.database.pool)).toBe(5)
    pass(20)
    // None of several releases may send.
    const before = Date.now()
    await until(() => Date.now() - before > 1_500, 'a while passes')
    expect(receiver.received).toHaveLength(0)
    expect(await countStates(posthorn.database.pool)).toEqual({ pending: 16 })
  })

  test('gets nothing twice while the database cannot put it on hold, and is put on hold afterwards', async () => {
    const { pool } = posthorn.database
    fail()
    await publish(pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).consecutiveFailures === 10, 'ten fail')
    await pool.query(`
      create function posthorn.reject() returns trigger language plpgsql as
        $$begin raise 'no room' using errcode = 'disk_full'; end$$;
      create trigger reject before insert or update on posthorn.webhook_schedules
        for each row execute function posthorn.reject();`)
    pass(90)
    await publishOne()
    await until(async () => (await health()).consecutiveFailures === 11, 'one more fails')
    const before = Date.now()
    await until(() => Date.now() - before > 1_500, 'a repeated attempt would have been made')
    expect(receiver.received).toHaveLength(11)
    await until(async () => (await health()).state === 'FAILING', 'the webhook is failing')
    await pool.query('drop function posthorn.reject cascade')
    await until(async () => (await health()).state === 'ON_HOLD', 'the webhook is on hold')
    expect(receiver.received).toHaveLength(11)
  })

  test('gets its oldest delivery as a probe, at growing intervals, and the first success releases the backlog', async () => {
    await putWebhookOnHold()
    const { pool } = posthorn.database
    await publish(pool, posthorn.tenant.publicOrganizationId, 40)
    const oldest = await pool.query(
      `select id, schedule_position from posthorn.deliveries where parked_at is not null order by event_id limit 1`,
    )
    pass(40)
    await until(() => receiver.received.length === 1, 'a probe is sent')
    await until(
      async () => Date.parse((await health()).nextProbeAt) >= clock.getTime() + 60 * SECOND,
      'the next one is a minute later',
    )
    await until(async () => (await countParked(pool)) === 40, 'the probe is parked again')
    const [probed] = (
      await pool.query(
        'select attempt_count, schedule_position from posthorn.deliveries where id = $1',
        [oldest.rows[0].id],
      )
    ).rows
    expect(probed).toEqual({ attempt_count: 1, schedule_position: 0 })
    expect((await health()).state).toBe('ON_HOLD')

    recover()
    pass(90)
    await untilSucceeded(pool, 40, 20_000)
    await until(hasRecovered, 'the webhook has recovered')
    expect(await health()).toMatchObject({ onHoldSince: null, nextProbeAt: null })
    // The eleven failed deliveries keep the times of their retries.
    expect(await countStates(pool)).toEqual({ succeeded: 40, pending: 11 })
  })

  test('is not kept on hold by one delivery that always fails', async () => {
    await putWebhookOnHold()
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 3, 100)
    receiver.answer = (response, request) => {
      response.statusCode = numberOf(request) === 100 ? 503 : 200
      response.end()
    }
    pass(40)
    await receiver.arrival(1)
    await until(async () => (await countParked(posthorn.database.pool)) === 3, 'the probe waits')
    pass(90)
    await until(async () => (await health()).state !== 'ON_HOLD', 'the next probe ends the hold')
    expect(receiver.received.slice(0, 2).map(numberOf)).toEqual([100, 101])
  })

  test('gets its backlog slowly at first', async () => {
    await putWebhookOnHold()
    const { pool } = posthorn.database
    await publish(pool, posthorn.tenant.publicOrganizationId, 200)
    recover()
    const startedAt = Date.now()
    pass(40)
    await untilSucceeded(pool, 200, 20_000)
    // The first four seconds release 10 + 20 + 40 + 80 = 150.
    expect(Date.now() - startedAt).toBeGreaterThan(4_000)
    // After the probe and those of the first second.
    const next = receiver.received[12] as Received
    expect(next.at.getTime() - startedAt).toBeGreaterThan(900)
  })

  test('can be resumed', async () => {
    await putWebhookOnHold()
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    receiver.answer = async (response) => {
      await answered
      response.end()
    }
    await publishOne()
    const resume = `mutation ($id: ID!) { resumeWebhook(id: $id) {
      ... on ResumeWebhookSuccess { webhook { health { state } } } ... on ConflictError { message } } }`
    const { resumeWebhook } = await posthorn.graphql(resume, { id: webhookId })
    expect(resumeWebhook.webhook.health.state).toBe('FAILING')
    answer()
    await until(hasRecovered, 'the webhook has recovered')
    const again = await posthorn.graphql(resume, { id: webhookId })
    expect(again.resumeWebhook.message).toMatch(/is not on hold/)
  })

  test('is put on hold again if it keeps failing after a resume', async () => {
    await putWebhookOnHold()
    await posthorn.graphql('mutation ($id: ID!) { resumeWebhook(id: $id) { __typename } }', {
      id: webhookId,
    })
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).state === 'ON_HOLD', 'the webhook is on hold again')
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
    await publishOne()
    expect(await probe()).toMatchObject({ __typename: 'ProbeWebhookSuccess' })
    await until(() => receiver.received.length === 1, 'the probe is sent')
    await until(async () => (await countParked(posthorn.database.pool)) === 1, 'the probe waits')
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
    await publishOne()
    await until(hasRecovered, 'the webhook has recovered')
  })

  test('gets no probe while it is disabled', async () => {
    await putWebhookOnHold()
    await publishOne()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: false })
    pass(3_600)
    const before = Date.now()
    await until(() => Date.now() - before > 1_200, 'a while passes')
    expect(receiver.received).toHaveLength(0)
    recover()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: true })
    await until(() => receiver.received.length === 1, 'the parked delivery arrives')
  })
})
