import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { updateWebhook } from '../../src/webhooks/webhook.ts'
import { TICKET } from '../support/factories.ts'
import { expectInvalid, json, NEW_WEBHOOK, useConnectV1 } from './connect-v1.ts'

const OPTIONS = {
  rateLimitPerSecond: 50,
  maxInFlight: 3,
  retryScheduleSeconds: [5, 60],
  timeoutSeconds: 7,
  ordered: true,
}

const api = await useConnectV1()
let id: string
let created: Record<string, unknown>

beforeEach(async () => {
  created = await api.create({ description: 'Ticketing', headers: { 'X-Tenant': 'harvest' } })
  id = String(created['id'])
  await updateWebhook(
    { ...api.deps.webhooks, actor: SYSTEM },
    api.tenant.organizationId,
    id,
    OPTIONS,
  )
})

const put = (body: unknown) => api.call('PUT', `/webhooks/${id}`, { body })

async function stored() {
  const where = { id: parseId('webhook', id) as string }
  return await api.database.prisma.webhook.findUnique({ where })
}

describe('a webhook with send options, which are not part of the REST API', () => {
  test.each([
    [{}],
    [{ url: 'https://other.example/' }],
    [{ description: null, headers: null }],
    [{ enabled: true }],
    [{ event_subscriptions: [TICKET] }],
  ])('keeps its send options after PUT %j', async (changes) => {
    const response = await put(changes)
    expect(response.status).toBe(200)
    expect(Object.keys(await json(response))).toEqual(Object.keys(created))
    expect(await stored()).toMatchObject({ ...OPTIONS, ownRetrySchedule: true })
  })
})

test.each([
  ['rateLimitPerSecond', 'rate_limit_per_second', 1],
  ['maxInFlight', 'max_in_flight', 1],
  ['retryScheduleSeconds', 'retry_schedule_seconds', []],
  ['timeoutSeconds', 'timeout_seconds', 1],
  ['ordered', 'ordered', false],
  ['ownRetrySchedule', 'own_retry_schedule', false],
])('%s is an unknown field in camelCase and in snake_case (%s)', async (camel, snake, value) => {
  const count = await api.countWebhooks()
  for (const name of new Set([camel, snake])) {
    const body = { ...NEW_WEBHOOK, [name]: value }
    await expectInvalid(await api.call('POST', '/webhooks', { body }), `#/${name}`, 'unknown_field')
    await expectInvalid(
      await put({ description: 'Doors', [name]: value }),
      `#/${name}`,
      'unknown_field',
    )
  }
  expect(await api.countWebhooks()).toBe(count)
  expect(await stored()).toMatchObject({ ...OPTIONS, description: 'Ticketing' })
})
