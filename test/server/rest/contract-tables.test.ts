import { describe, expect, test } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { createCatalogue } from '../../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../../src/events/publish-events.ts'
import { JOINED, TICKET } from '../../support/factories.ts'
import { json, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

const put = (id: string, body: object) => api.call('PUT', `/webhooks/${id}`, { body })

describe('contract 3: states and transitions', () => {
  /** The number of deliveries to a webhook for one event of its type. */
  async function deliveriesOfOneEvent(id: string) {
    const publish = createPublishEvents(api.database.pool, createCatalogue(api.database.pool))
    const count = () =>
      api.database.prisma.delivery.count({ where: { webhookId: parseId('webhook', id) as string } })
    const before = await count()
    await publish(api.tenant.organizationId, [{ type: JOINED, data: {} }])
    return (await count()) - before
  }

  test('none, POST with enabled omitted or false: disabled, nothing is delivered', async () => {
    for (const fields of [{}, { enabled: false }]) {
      const webhook = await api.create(fields)
      expect(webhook.enabled).toBe(false)
      expect(await deliveriesOfOneEvent(webhook.id)).toBe(0)
    }
  })

  test('none, POST with enabled true: enabled, deliveries begin for subscribed events', async () => {
    const webhook = await api.create({ enabled: true })
    expect(webhook.enabled).toBe(true)
    expect(await deliveriesOfOneEvent(webhook.id)).toBe(1)
    const other = await api.create({ enabled: true, event_subscriptions: [TICKET] })
    expect(await deliveriesOfOneEvent(other.id)).toBe(0)
  })

  test('disabled or enabled, PUT with enabled: the supplied value, omitted fields remain', async () => {
    const created = await api.create({ description: 'Doors', headers: { 'X-A': 'b' } })
    for (const enabled of [true, false]) {
      const updated = await json(await put(created.id, { enabled }))
      expect(updated).toEqual({ ...created, enabled, updated_at: updated.updated_at })
      expect(await deliveriesOfOneEvent(created.id)).toBe(enabled ? 1 : 0)
    }
  })

  test('any, DELETE: removed, without a body, and found by no call any more', async () => {
    for (const enabled of [true, false]) {
      const { id } = await api.create({ enabled })
      const response = await api.call('DELETE', `/webhooks/${id}`)
      expect(response.status).toBe(204)
      expect(response.headers.get('content-type')).toBeNull()
      expect(await response.text()).toBe('')
      await problem(await api.call('GET', `/webhooks/${id}`), 404)
      await problem(await put(id, { enabled: true }), 404)
      await problem(await api.call('DELETE', `/webhooks/${id}`), 404)
      await problem(await api.call('GET', `/webhooks/${id}/secret`), 404)
      await problem(await api.call('POST', `/webhooks/${id}/secret/rotate`), 404)
      expect(await deliveriesOfOneEvent(id)).toBe(0)
    }
  })

  // test/scheduling/backlog-changes.test.ts has its deliveries.
  test('any, DELETE: its secrets and headers are deleted', async () => {
    const { id } = await api.create({ enabled: true, headers: { Authorization: 'Bearer secret' } })
    await api.call('DELETE', `/webhooks/${id}`)
    const { prisma } = api.database
    const uuid = parseId('webhook', id) as string
    const row = await prisma.webhook.findUniqueOrThrow({ where: { id: uuid } })
    expect(row.headersCiphertext).toBeNull()
    expect(await prisma.signingSecret.count({ where: { webhookId: uuid } })).toBe(0)
  })
})
