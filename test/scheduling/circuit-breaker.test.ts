import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { probeDelayMs, shouldHold } from '../../src/scheduling/circuit-breaker.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { countParked, countStates, createWebhook, publish } from './support/backlog.ts'

const SECOND = 1_000

test.each([
  ['9 failures, however long', 9, 3_600, false],
  ['10 within a minute', 10, 59, false],
  ['10 over a minute', 10, 60, true],
  ['many within a minute', 1_000, 59, false],
])('%s', (_, consecutiveFailures, seconds, onHold) => {
  const failingSince = new Date('2026-01-01T00:00:00Z')
  const now = new Date(failingSince.getTime() + seconds * SECOND)
  expect(shouldHold({ consecutiveFailures, failingSince }, now)).toBe(onHold)
})

test('no failure, no hold', () => {
  expect(shouldHold({ consecutiveFailures: 0, failingSince: null }, new Date())).toBe(false)
})

test('probes follow at intervals that double, up to 15 minutes', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 50].map((probes) => probeDelayMs(probes) / SECOND)
  expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900])
})

describe('a webhook that keeps failing', () => {
  let receiver: Receiver
  let posthorn: TestApp
  let webhookId: string
  let clock: Date

  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver[Symbol.asyncDispose]())
  beforeEach(async () => {
    receiver.clear()
    clock = new Date()
    posthorn = await startTestApp({
      trustedAuthorities: [receiver.authority],
      environment: { POSTHORN_RETRY_SCHEDULE: '1h,1h,1h' },
      now: () => clock,
    })
    webhookId = await createWebhook(posthorn, receiver.url)
  })
  afterEach(() => posthorn[Symbol.asyncDispose]())

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

  async function publishOne() {
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 1)
  }

  /** Ten failures, then one more after a minute. */
  async function untilOnHold() {
    fail()
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).consecutiveFailures === 10, 'ten fail')
    expect((await health()).state).toBe('FAILING')
    pass(60)
    await publishOne()
    await until(async () => (await health()).state === 'ON_HOLD', 'it is on hold')
    receiver.clear()
  }

  test('is on hold: its deliveries are parked without using up attempts, new ones too', async () => {
    await untilOnHold()
    expect(await health()).toMatchObject({
      onHoldSince: clock.toISOString(),
      nextProbeAt: new Date(clock.getTime() + 30 * SECOND).toISOString(),
    })
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 5)
    expect(await countParked(posthorn.database.pool)).toBe(5)
    pass(29)
    // Several looks at the backlog happen meanwhile; none may send.
    const before = Date.now()
    await until(() => Date.now() - before > 1_500, 'a while passes')
    expect(receiver.received).toHaveLength(0)
    expect(await countStates(posthorn.database.pool)).toEqual({ pending: 16 })
  })

  test('is sent nothing twice while Postgres refuses to put it on hold, and is on hold then', async () => {
    const { pool } = posthorn.database
    fail()
    await publish(pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).consecutiveFailures === 10, 'ten fail')
    await pool.query(`
      create function posthorn.refuse() returns trigger language plpgsql as
        $$begin raise 'no room' using errcode = 'disk_full'; end$$;
      create trigger refuse before insert or update on posthorn.webhook_schedules
        for each row execute function posthorn.refuse();`)
    pass(60)
    await publishOne()
    await until(async () => (await health()).consecutiveFailures === 11, 'one more fails')
    const before = Date.now()
    await until(() => Date.now() - before > 1_500, 'it would have been tried again')
    expect(receiver.received).toHaveLength(11)
    expect((await health()).state).toBe('FAILING')
    await pool.query('drop function posthorn.refuse cascade')
    await until(async () => (await health()).state === 'ON_HOLD', 'it is on hold')
    expect(receiver.received).toHaveLength(11)
  })

  test('is probed with its oldest delivery, one at a time and ever more seldom, and the first success releases the backlog', async () => {
    await untilOnHold()
    const { pool } = posthorn.database
    await publish(pool, posthorn.tenant.publicOrganizationId, 40)
    const oldest = await pool.query(
      `select id, schedule_position from posthorn.deliveries where parked_at is not null order by event_id limit 1`,
    )
    pass(30)
    await until(() => receiver.received.length === 1, 'a probe is sent')
    await until(
      async () =>
        (await health()).nextProbeAt === new Date(clock.getTime() + 60 * SECOND).toISOString(),
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
    pass(60)
    await until(
      async () => (await countStates(pool))['succeeded'] === 40,
      'all that were parked arrive, after one probe',
      20_000,
    )
    expect(await health()).toMatchObject({ state: 'HEALTHY', onHoldSince: null, nextProbeAt: null })
    // The eleven that failed before keep the time of their retries.
    expect(await countStates(pool)).toEqual({ succeeded: 40, pending: 11 })
  })

  test('is released slowly at first', async () => {
    await untilOnHold()
    const { pool } = posthorn.database
    await publish(pool, posthorn.tenant.publicOrganizationId, 200)
    recover()
    const startedAt = Date.now()
    pass(30)
    await until(async () => (await countStates(pool))['succeeded'] === 200, 'all arrive', 20_000)
    // 10, 20, 40, 80 in the first four seconds make 150.
    expect(Date.now() - startedAt).toBeGreaterThan(4_000)
    const earliest = Math.min(...receiver.received.map(({ at }) => at.getTime()))
    const inFirstSecond = receiver.received.filter(({ at }) => at.getTime() < earliest + 900)
    expect(inFirstSecond.length).toBeLessThanOrEqual(12)
  })

  test('can be resumed by hand', async () => {
    await untilOnHold()
    let answer = () => {}
    const looked = new Promise<void>((resolve) => {
      answer = resolve
    })
    receiver.answer = async (response) => {
      await looked
      response.end()
    }
    await publishOne()
    const resume = `mutation ($id: ID!) { resumeWebhook(id: $id) {
      ... on ResumeWebhookSuccess { webhook { health { state } } } ... on ConflictError { message } } }`
    const { resumeWebhook } = await posthorn.graphql(resume, { id: webhookId })
    expect(resumeWebhook.webhook.health.state).toBe('FAILING')
    answer()
    await until(async () => (await health()).state === 'HEALTHY', 'it works')
    const again = await posthorn.graphql(resume, { id: webhookId })
    expect(again.resumeWebhook.message).toMatch(/is not on hold/)
  })

  test('is on hold again when it fails on after it was resumed', async () => {
    await untilOnHold()
    await posthorn.graphql('mutation ($id: ID!) { resumeWebhook(id: $id) { __typename } }', {
      id: webhookId,
    })
    await publish(posthorn.database.pool, posthorn.tenant.publicOrganizationId, 10)
    await until(async () => (await health()).state === 'ON_HOLD', 'it is on hold again')
  })

  test('is sent a test delivery and a redelivery all the same, and a success ends the hold', async () => {
    await untilOnHold()
    const { pool } = posthorn.database
    const { rows } = await pool.query(
      `select posthorn.type_id('msg', id) as id from posthorn.deliveries order by id limit 1`,
    )
    await posthorn.graphql('mutation ($id: ID!) { redeliver(id: $id) { __typename } }', rows[0])
    await until(() => receiver.received.length === 1, 'the redelivery is tried')
    expect((await health()).state).toBe('ON_HOLD')
    recover()
    await posthorn.graphql(
      'mutation ($id: ID!, $type: String!) { testDelivery(webhookId: $id, eventType: $type) { __typename } }',
      { id: webhookId, type: JOINED },
    )
    await until(async () => (await health()).state === 'HEALTHY', 'the test ends the hold')
  })

  test('gets a new chance with another address, and when it is disabled and enabled', async () => {
    await untilOnHold()
    recover()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { url: `${receiver.url}elsewhere` })
    expect((await health()).state).toBe('FAILING')
    await publishOne()
    await until(async () => (await health()).state === 'HEALTHY', 'it works')
  })

  test('disabled, it is not probed', async () => {
    await untilOnHold()
    await publishOne()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: false })
    pass(3_600)
    const before = Date.now()
    await until(() => Date.now() - before > 1_200, 'a while passes')
    expect(receiver.received).toHaveLength(0)
    recover()
    await posthorn.rest('PUT', `/webhooks/${webhookId}`, { enabled: true })
    await until(() => receiver.received.length === 1, 'what was parked arrives')
  })
})
