import { beforeEach, describe, expect, test } from 'vitest'
import { mintId, parseId, publicId } from '../../src/db/ids.ts'
import type { AttemptRecord } from '../../src/deliveries/attempts/attempt-record.ts'
import { findAttemptsOfEach } from '../../src/deliveries/attempts/find-attempts.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { saveSendDefaults } from '../../src/deliveries/send-defaults.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { until } from '../support/until.ts'
import { useApi, useTenant } from './support/api.ts'
import { addWebhook, deliveryIds, deliveryRow, FAILED, publish } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhookId: string
/** Newest first. */
let deliveries: string[]

beforeEach(async () => {
  webhookId = (await addWebhook(api, tenant.organizationId)).id
  await publish(api, tenant.organizationId, 4)
  deliveries = await deliveryIds(api.database, tenant.organizationId)
})

const RETRY = { next: { kind: 'retry', delayMs: 60_000 } } as const

/** Records an attempt and returns its id. */
async function record(
  delivery: string | undefined,
  status: number | null,
  given: Partial<AttemptRecord> = {},
): Promise<string> {
  const row = await deliveryRow(api.database, delivery as string)
  const recorded = await createRecordAttempt(
    api.database.pool,
    SENDER,
  )(attemptOf(row, status, given))
  return publicId('attempt', recorded?.attemptId as string)
}

async function found(filter: object, field = 'attempts'): Promise<string[]> {
  const type = field === 'attempts' ? 'AttemptFilter' : 'DeliveryFilter'
  const { data, errors } = await api.call(
    tenant.token,
    `query ($filter: ${type}) { ${field}(filter: $filter) { nodes { id } } }`,
    { filter },
  )
  expect(errors).toBeUndefined()
  return data[field].nodes.map(({ id }: { id: string }) => id)
}

const EXPLAINED = `query ($id: ID!) { delivery(id: $id) { nextAttemptAt plannedAttempts
  attempts { nodes { phases { lookupMs connectMs tlsMs waitingMs bodyMs connectionReused } } } } }`

describe('a delivery', () => {
  test('shows where the time of each attempt went', async () => {
    const opened = { lookupMs: 3, connectMs: 20, tlsMs: 40, durationMs: 200, firstByteMs: 180 }
    await record(deliveries[0], 500, { ...opened, ...RETRY })
    await record(deliveries[0], null, { durationMs: 7, lookupMs: 7 })
    const { data } = await api.call(tenant.token, EXPLAINED, { id: deliveries[0] })
    expect(data.delivery.attempts.nodes).toMatchObject([
      { phases: { lookupMs: 7, connectMs: null, waitingMs: null, connectionReused: false } },
      { phases: { lookupMs: 3, connectMs: 20, tlsMs: 40, waitingMs: 117, bodyMs: 20 } },
    ])
  })

  test('shows its planned attempts by the schedule of its webhook, and none once it is final', async () => {
    const planned = async () => {
      const { data } = await api.call(tenant.token, EXPLAINED, { id: deliveries[0] })
      const { plannedAttempts, nextAttemptAt } = data.delivery
      return plannedAttempts.map(
        (at: string) => (Date.parse(at) - Date.parse(nextAttemptAt)) / 1_000,
      )
    }
    await saveSendDefaults(api.database.pool, {
      retryScheduleMs: [5_000, 60_000, 90_500],
      attemptTimeoutMs: 15_000,
    })
    await record(deliveries[0], 500, RETRY)
    expect(await planned()).toEqual([0, 60, 150.5])
    await api.database.prisma.webhook.update({
      where: { id: parseId('webhook', webhookId) ?? '' },
      data: { ownRetrySchedule: true, retryScheduleSeconds: [1, 7] },
    })
    expect(await planned()).toEqual([0, 7])
    await record(deliveries[0], 200)
    expect(await planned()).toEqual([])
  })
})

describe('a delivery that was read before an attempt was recorded', () => {
  test.each([1, -1])(
    'has no attempt that its state knows nothing of, with take %i',
    async (take) => {
      const [first = '', second = ''] = deliveries
      const before = await deliveryRow(api.database, first)
      await record(first, 204)
      await record(second, 204)
      const after = await deliveryRow(api.database, second)
      const [none, one] = await findAttemptsOfEach(
        { prisma: api.database.prisma, sql: api.database.pool },
        [before, after],
        { take },
      )
      expect(none).toEqual([])
      expect(one).toMatchObject([{ status: 204 }])
    },
  )

  test('has those that were recorded before, in pages too', async () => {
    const [first = ''] = deliveries
    for (let n = 0; n < 3; n++) await record(first, 502, RETRY)
    const before = await deliveryRow(api.database, first)
    await record(first, 204)
    const read = (take: number) =>
      findAttemptsOfEach({ prisma: api.database.prisma, sql: api.database.pool }, [before], {
        take,
      })
    expect((await read(2))[0]).toMatchObject([{ number: 3 }, { number: 2 }])
    expect((await read(5))[0]).toHaveLength(3)
  })
})

describe('attempts', () => {
  test('are listed newest first, with their delivery and webhook', async () => {
    for (const status of [500, 502, null]) await record(deliveries[0], status, RETRY)
    await record(deliveries[1], 204)
    const { data } = await api.call(
      tenant.token,
      '{ attempts { nodes { cause webhookId webhook { id } delivery { id } } } }',
    )
    const of = { webhookId, webhook: { id: webhookId }, delivery: { id: deliveries[0] } }
    expect(data.attempts.nodes).toEqual([
      { ...of, cause: null, delivery: { id: deliveries[1] } },
      { ...of, cause: 'response_timed_out' },
      { ...of, cause: '502' },
      { ...of, cause: '500' },
    ])
    expect(api.statements.list.length).toBeLessThanOrEqual(5)
  })

  test('are found by outcome, status class and cause', async () => {
    const [one, two, three, four] = deliveries
    const redirected = await record(one, 302, RETRY)
    const badGateway = await record(two, 502, RETRY)
    const unavailable = await record(three, 503, RETRY)
    const timedOut = await record(four, null, RETRY)
    const accepted = await record(one, 204)
    expect(await found({ statusClasses: FAILED })).toEqual([
      timedOut,
      unavailable,
      badGateway,
      redirected,
    ])
    expect(await found({ statusClasses: ['SUCCESS_2XX'] })).toEqual([accepted])
    expect(await found({ statusClasses: ['SERVER_ERROR_5XX', 'NO_RESPONSE'] })).toEqual([
      timedOut,
      unavailable,
      badGateway,
    ])
    expect(await found({ causes: ['502'] })).toEqual([badGateway])
    expect(await found({ causes: ['502', 'response_timed_out', '502'] })).toEqual([
      timedOut,
      badGateway,
    ])
    expect(await found({ causes: ['502'], statusClasses: ['NO_RESPONSE'] })).toEqual([])
    expect(await found({ causes: ['204'] })).toEqual([])
  })

  test('are found by several webhooks, in pages from both ends', async () => {
    const [one, two] = deliveries
    const first = await record(one, 500, RETRY)
    const second = await record(two, 200)
    const webhookIds = [webhookId, mintId('webhook')]
    expect(await found({ webhookIds })).toEqual([second, first])
    expect(await found({ webhookIds, statusClasses: FAILED })).toEqual([first])
    expect(await found({ webhookIds: [mintId('webhook')] })).toEqual([])
  })

  test('are found by duration and by the time they were recorded', async () => {
    const fast = await record(deliveries[0], 200)
    const recordedAtMs = Date.now()
    await until(() => Date.now() > recordedAtMs, 'the next millisecond begins')
    const since = new Date()
    const slow = await record(deliveries[1], 503, { ...RETRY, durationMs: 1_700 })
    const slower = await record(deliveries[2], null, { ...RETRY, durationMs: 15_000 })
    expect(await found({ minDurationMs: 1_000 })).toEqual([slower, slow])
    expect(await found({ minDurationMs: 1_701 })).toEqual([slower])
    expect(await found({ minDurationMs: 15_001 })).toEqual([])
    expect(await found({ minDurationMs: 1_000, statusClasses: ['SUCCESS_2XX'] })).toEqual([])
    expect(await found({ minDurationMs: 1_000, causes: ['503'] })).toEqual([slow])
    expect(await found({ since: since.toISOString() })).toEqual([slower, slow])
    expect(await found({ until: since.toISOString() })).toEqual([fast])
  })

  test('of a webhook are listed with two statements for any number of webhooks', async () => {
    const { id: other } = await addWebhook(api, tenant.organizationId)
    await publish(api, tenant.organizationId, 1)
    const [first = '', second = ''] = await deliveryIds(api.database, tenant.organizationId)
    const ids = new Map<string, string>()
    for (const delivery of [first, second]) {
      const { webhookId: of } = await deliveryRow(api.database, delivery)
      ids.set(publicId('webhook', of), await record(delivery, 500, RETRY))
    }
    const { data } = await api.call(
      tenant.token,
      `{ webhooks { nodes { id attempts(first: 1, filter: { causes: ["500"] }) { nodes { id } } } } }`,
    )
    expect(data.webhooks.nodes).toEqual(
      [other, webhookId].map((id) => ({ id, attempts: { nodes: [{ id: ids.get(id) }] } })),
    )
    expect(api.statements.list).toHaveLength(4)
    const filter = { webhookIds: [other] }
    expect(await found(filter)).toEqual([ids.get(other)])
    expect(await found({ ...filter, causes: ['500'] })).toEqual([ids.get(other)])
    expect(await found({ webhookIds: [mintId('webhook')] })).toEqual([])
  })
})

describe('deliveries by attempt', () => {
  const byAttempt = (anyAttempt: object, filter: object = {}) =>
    found({ ...filter, anyAttempt }, 'deliveries')

  test('are found if any of their attempts matches, each once, with the other conditions', async () => {
    const [one, two, three] = deliveries
    await record(one, 502, RETRY)
    await record(one, 502, RETRY)
    await record(one, 204)
    await record(two, 502, RETRY)
    await record(three, 404, RETRY)
    expect(await byAttempt({ causes: ['502'] })).toEqual([one, two])
    expect(await byAttempt({ causes: ['502'] }, { states: ['SUCCEEDED'] })).toEqual([one])
    expect(await byAttempt({ causes: ['502'] }, { statusClasses: FAILED })).toEqual([two])
    expect(await byAttempt({ statusClasses: FAILED }, { webhookIds: [webhookId] })).toEqual([
      one,
      two,
      three,
    ])
    expect(await byAttempt({ statusClasses: FAILED }, { webhookIds: [mintId('webhook')] })).toEqual(
      [],
    )
  })

  test('are found by the time of an attempt, however old they are', async () => {
    await record(deliveries[3], 500, RETRY)
    const since = new Date()
    expect(await byAttempt({ since: since.toISOString() })).toEqual([])
    await record(deliveries[3], 500, RETRY)
    expect(await byAttempt({ since: since.toISOString() })).toEqual([deliveries[3]])
  })
})

describe('a webhook shows', () => {
  test('its last failure, also after a success, with two statements for any number of webhooks', async () => {
    const query = '{ webhooks { nodes { lastFailure { id cause } } } }'
    const { id: other } = await addWebhook(api, tenant.organizationId)
    const lastFailures = async () => (await api.call(tenant.token, query)).data.webhooks.nodes
    expect(await lastFailures()).toEqual([{ lastFailure: null }, { lastFailure: null }])
    await record(deliveries[0], 500, RETRY)
    const last = await record(deliveries[0], null, RETRY)
    await record(deliveries[0], 204)
    expect(other).not.toBe(webhookId)
    expect(await lastFailures()).toEqual([
      { lastFailure: null },
      { lastFailure: { id: last, cause: 'response_timed_out' } },
    ])
    expect(api.statements.list).toHaveLength(4)
  })

  test('the settings that apply to it, its own or the defaults of the worker', async () => {
    const query = `{ webhooks { nodes { effectiveSettings {
      retryScheduleSeconds maxAttempts timeoutSeconds rateLimitPerSecond maxInFlight ordered } } } }`
    const settings = async () => {
      const { data, errors } = await api.call(tenant.token, query)
      expect(errors).toBeUndefined()
      return data.webhooks.nodes
        .toReversed()
        .map(({ effectiveSettings }: { effectiveSettings: object }) => effectiveSettings)
    }
    await saveSendDefaults(api.database.pool, {
      retryScheduleMs: [500, 60_000],
      attemptTimeoutMs: 7_500,
    })
    await addWebhook(api, tenant.organizationId)
    await api.database.prisma.webhook.update({
      where: { id: parseId('webhook', webhookId) as string },
      data: {
        ownRetrySchedule: true,
        retryScheduleSeconds: [],
        timeoutSeconds: 20,
        rateLimitPerSecond: 5,
        maxInFlight: 3,
        ordered: true,
      },
    })
    expect(await settings()).toEqual([
      {
        retryScheduleSeconds: [],
        maxAttempts: 1,
        timeoutSeconds: 20,
        rateLimitPerSecond: 5,
        maxInFlight: 3,
        ordered: true,
      },
      {
        retryScheduleSeconds: [0.5, 60],
        maxAttempts: 3,
        timeoutSeconds: 7.5,
        rateLimitPerSecond: null,
        maxInFlight: null,
        ordered: false,
      },
    ])
    expect(api.statements.list).toEqual([
      'authenticate',
      'select webhooks',
      'select organizations',
      'read_send_defaults',
    ])
    const { data } = await api.call(
      tenant.token,
      '{ defaultSettings { retryScheduleSeconds maxAttempts timeoutSeconds } }',
    )
    expect(data.defaultSettings).toEqual({
      retryScheduleSeconds: [0.5, 60],
      maxAttempts: 3,
      timeoutSeconds: 7.5,
    })
  })
})
