import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { parseId } from '../../../src/db/ids.ts'
import { updateWebhook } from '../../../src/webhooks/save-webhook.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { lastChangeOf, traceOf } from '../../support/webhook-traces.ts'
import { expectInvalid, json, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

const put = (id: string, body: unknown) => api.call('PUT', `/webhooks/${id}`, { body })
const read = async (id: string) => json(await api.call('GET', `/webhooks/${id}`))

const ALL_FIELDS = {
  url: 'https://receiver.example/hooks',
  description: 'Ticketing',
  enabled: true,
  event_subscriptions: [JOINED],
  headers: { 'X-Tenant': 'harvest', 'X-Door': '7' },
}

describe('PUT /webhooks/{webhook_id}', () => {
  test('returns 200 with the updated webhook', async () => {
    const created = await api.create(ALL_FIELDS)
    const response = await put(created.id, { description: 'Doors' })
    expect(response.status).toBe(200)
    const updated = await json(response)
    expect(updated).toEqual({ ...created, description: 'Doors', updated_at: updated.updated_at })
    expect(updated.updated_at > created.updated_at).toBe(true)
    expect(await read(created.id)).toEqual(updated)
    const cleared = await json(await put(created.id, { headers: null }))
    expect(cleared).toMatchObject({ description: 'Doors', headers: {} })
  })

  test('every field is optional, and the omitted ones remain unchanged', async () => {
    const changes = {
      ...{ url: 'https://other.example/', description: null, enabled: false },
      ...{ event_subscriptions: [TICKET], headers: { 'X-Other': '1' } },
    }
    for (const [field, value] of Object.entries(changes)) {
      const created = await api.create(ALL_FIELDS)
      const updated = await json(await put(created.id, { [field]: value }))
      expect(updated).toEqual({ ...created, [field]: value, updated_at: updated.updated_at })
    }
  })

  test('no field changes the send options, which REST does not have', async () => {
    const created = await api.create(ALL_FIELDS)
    const sendOptions = {
      ...{ rateLimitPerSecond: 50, maxInFlight: 3, retryScheduleSeconds: [5, 60] },
      ...{ timeoutSeconds: 7, ordered: true },
    }
    const deps = { ...api.deps.webhooks, actor: SYSTEM }
    await updateWebhook(deps, api.tenant.organizationId, created.id, sendOptions)
    const changes = { url: 'https://other.example/', description: null, enabled: false }
    const updated = await put(created.id, { ...changes, event_subscriptions: [TICKET] })
    expect(Object.keys(await json(updated))).toEqual(Object.keys(created))
    const where = { id: parseId('webhook', created.id) as string }
    const stored = await api.database.prisma.webhook.findUnique({ where })
    expect(stored).toMatchObject({ ...sendOptions, ownRetrySchedule: true })
    await expectInvalid(await put(created.id, { ordered: true }), '#/ordered', 'unknown_field')
  })

  test('a URL of another origin keeps the headers', async () => {
    const { id } = await api.create(ALL_FIELDS)
    const url = 'https://other.example/'
    await put(id, { url })
    expect(await lastChangeOf(api.database, id)).toEqual({ url })
    expect((await read(id)).headers).toEqual(ALL_FIELDS.headers)
  })

  test.each([
    ['an empty object', {}],
    ['the same fields', ALL_FIELDS],
    ['a repeated subscription', { event_subscriptions: [JOINED, JOINED] }],
    ['headers in another order', { headers: { 'X-Door': '7', 'X-Tenant': 'harvest' } }],
    ['read-only fields', { id: 'wh_other', created_at: '2001-01-01T00:00:00Z', updated_at: null }],
  ])('%s changes nothing, nor the time, the revision and the audit log', async (_what, body) => {
    const created = await api.create(ALL_FIELDS)
    const before = await traceOf(api.database, created.id)
    const response = await put(created.id, body)
    expect(response.status).toBe(200)
    expect(await json(response)).toEqual(created)
    expect(await read(created.id)).toEqual(created)
    expect(await traceOf(api.database, created.id)).toEqual(before)
  })

  test('an archived event type may stay in event_subscriptions', async () => {
    const { id } = await api.create({ event_subscriptions: [JOINED, TICKET] })
    const archive = (archivedAt: Date | null) =>
      api.database.prisma.eventType.update({ where: { name: TICKET }, data: { archivedAt } })
    await archive(new Date())
    try {
      const webhook = await read(id)
      expect((await put(id, webhook)).status).toBe(200)
      const { errors } = await problem(await put(id, { ...webhook, colour: 'red' }), 422)
      expect(errors).toMatchObject([{ pointer: '#/colour' }])
    } finally {
      await archive(null)
    }
  })
})

test.each([
  [{ url: 'http://receiver.example' }, '#/url', 'not_https'],
  [{ url: 'https://0x7f000001:8443/hooks' }, '#/url', 'address_not_public'],
  [{ url: null }, '#/url', 'invalid_type'],
  [{ event_subscriptions: null }, '#/event_subscriptions', 'invalid_type'],
  [{ enabeld: true }, '#/enabeld', 'unknown_field'],
])('PUT /webhooks/{webhook_id} rejects, and changes nothing: %j', async (change, pointer, code) => {
  const created = await api.create(ALL_FIELDS)
  await expectInvalid(await put(created.id, { description: 'Doors', ...change }), pointer, code)
  expect(await read(created.id)).toEqual(created)
})
