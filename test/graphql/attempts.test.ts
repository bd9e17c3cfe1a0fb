import { beforeEach, describe, expect, test } from 'vitest'
import { mintId, parseId } from '../../src/db/ids.ts'
import { saveSendDefaults } from '../../src/deliveries/send-defaults.ts'
import { until } from '../support/until.ts'
import { useApi, useTenant } from './support/api.ts'
import { FAILED, RETRY, recordAttempt } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhookId: string
/** Newest first. */
let deliveries: string[]

beforeEach(async () => {
  webhookId = (await tenant.addWebhook()).id
  await tenant.publish(4)
  deliveries = await tenant.deliveryIds()
})

const record = (delivery: string | undefined, status: number | null, given?: object) =>
  recordAttempt(api.database, delivery, status, given)

const setDefaults = (retryScheduleMs: number[], attemptTimeoutMs: number) =>
  saveSendDefaults(api.database.pool, { retryScheduleMs, attemptTimeoutMs })

/** Sets the settings of a webhook that are its own. */
const setOwn = (data: object) =>
  api.database.prisma.webhook.update({
    where: { id: parseId('webhook', webhookId) as string },
    data: { ownRetrySchedule: true, ...data },
  })

async function found(filter: object, field = 'attempts'): Promise<string[]> {
  const type = field === 'attempts' ? 'AttemptFilter' : 'DeliveryFilter'
  const data = await tenant.ask(
    `query ($filter: ${type}) { ${field}(filter: $filter) { nodes { id } } }`,
    { filter },
  )
  return data[field].nodes.map(({ id }: { id: string }) => id)
}

const EXPLAINED = `query ($id: ID!) { delivery(id: $id) { nextAttemptAt plannedAttempts
  attempts { nodes { phases { lookupMs connectMs tlsMs waitingMs bodyMs connectionReused } } } } }`

test('a delivery shows its planned attempts by the schedule of its webhook, and none once it is final', async () => {
  const planned = async () => {
    const data = await tenant.ask(EXPLAINED, { id: deliveries[0] })
    const { plannedAttempts, nextAttemptAt } = data.delivery
    return plannedAttempts.map((at: string) => (Date.parse(at) - Date.parse(nextAttemptAt)) / 1_000)
  }
  await setDefaults([5_000, 60_000, 90_500], 15_000)
  await record(deliveries[0], 500, RETRY)
  expect(await planned()).toEqual([0, 60, 150.5])
  await setOwn({ retryScheduleSeconds: [1, 7] })
  expect(await planned()).toEqual([0, 7])
  await record(deliveries[0], 200)
  expect(await planned()).toEqual([])
})

describe('attempts', () => {
  test('are listed newest first, with their delivery and webhook', async () => {
    for (const status of [500, 502, null]) await record(deliveries[0], status, RETRY)
    await record(deliveries[1], 204)
    const data = await tenant.ask(
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

  test('are found by status class, cause and several webhooks', async () => {
    const [one, two, three, four] = deliveries
    const ids = {
      302: await record(one, 302, RETRY),
      502: await record(two, 502, RETRY),
      503: await record(three, 503, RETRY),
      timeout: await record(four, null, RETRY),
      204: await record(one, 204),
    }
    const webhookIds = [webhookId, mintId('webhook')]
    const cases: [object, (keyof typeof ids)[]][] = [
      [{ statusClasses: FAILED }, ['timeout', 503, 502, 302]],
      [{ statusClasses: ['SUCCESS_2XX'] }, [204]],
      [{ statusClasses: ['SERVER_ERROR_5XX', 'NO_RESPONSE'] }, ['timeout', 503, 502]],
      [{ causes: ['502'] }, [502]],
      [{ causes: ['502', 'response_timed_out', '502'] }, ['timeout', 502]],
      [{ causes: ['502'], statusClasses: ['NO_RESPONSE'] }, []],
      [{ causes: ['204'] }, []],
      [{ webhookIds }, [204, 'timeout', 503, 502, 302]],
      [{ webhookIds, statusClasses: FAILED }, ['timeout', 503, 502, 302]],
    ]
    for (const [filter, names] of cases) {
      expect(await found(filter), JSON.stringify(filter)).toEqual(names.map((name) => ids[name]))
    }
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
    const ofWebhook = (id: string) => byAttempt({ statusClasses: FAILED }, { webhookIds: [id] })
    expect(await ofWebhook(webhookId)).toEqual([one, two, three])
    expect(await ofWebhook(mintId('webhook'))).toEqual([])
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
    await tenant.addWebhook()
    await record(deliveries[0], 500, RETRY)
    const last = await record(deliveries[0], null, RETRY)
    await record(deliveries[0], 204)
    expect((await tenant.ask(query)).webhooks.nodes).toEqual([
      { lastFailure: null },
      { lastFailure: { id: last, cause: 'response_timed_out' } },
    ])
    expect(api.statements.list).toHaveLength(4)
  })

  test('its backlog with the oldest delivery in it, with the same statements for any page', async () => {
    const [newest = '', ...others] = deliveries
    await tenant.addWebhook()
    await api.database.prisma.delivery.updateMany({
      where: { id: { in: others.map((id) => parseId('delivery', id) as string) } },
      data: { parkedAt: new Date(), parkedReason: 'on_hold', nextAttemptAt: null },
    })
    const { webhooks } = await tenant.ask(
      '{ webhooks { nodes { backlog { count oldest { id state } } } } }',
    )
    expect(webhooks.nodes).toEqual([
      { backlog: { count: 0, oldest: null } },
      { backlog: { count: 3, oldest: { id: others.at(-1), state: 'WAITING' } } },
    ])
    expect(api.statements.list).toHaveLength(5)
    const { delivery } = await tenant.ask(`{ delivery(id: "${newest}") { parkedAt parkedReason } }`)
    expect(delivery).toEqual({ parkedAt: null, parkedReason: null })
  })

  test('the settings that apply to it, its own or the defaults of the worker', async () => {
    const defaults = { retryScheduleSeconds: [0.5, 60], timeoutSeconds: 7.5 }
    await setDefaults([500, 60_000], 7_500)
    await tenant.addWebhook()
    const own = { retryScheduleSeconds: [], timeoutSeconds: 20 }
    await setOwn(own)
    const { webhooks } = await tenant.ask(`{ webhooks { nodes { effectiveSettings {
      retryScheduleSeconds timeoutSeconds } } } }`)
    expect(webhooks.nodes).toEqual([{ effectiveSettings: defaults }, { effectiveSettings: own }])
    expect(api.statements.list).toHaveLength(4)
    const data = await tenant.ask('{ defaultSettings { retryScheduleSeconds timeoutSeconds } }')
    expect(data.defaultSettings).toEqual(defaults)
  })
})
