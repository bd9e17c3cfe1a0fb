import { beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { createApiKey } from '../support/api-keys.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const TEST_DELIVERY = document('deliveries', 'TestDelivery')

const api = await useApi()
const tenant = useTenant(api)
const receiver = await useReceiver()
const { graphql } = await useTestApp()

describe('testDelivery', () => {
  let webhookId: string

  beforeEach(async () => {
    webhookId = (await tenant.addWebhook()).id
  })

  const send = (input: object) => tenant.run('deliveries', 'TestDelivery', { id: webhookId, input })
  const count = async () => (await tenant.deliveryIds()).length

  test('creates one delivery of the example, for that webhook only, marked as a test', async () => {
    await tenant.addWebhook()
    const { delivery } = await send({ eventType: JOINED })
    expect(delivery).toMatchObject({
      ...{ state: 'QUEUED', isTest: true, eventType: { name: JOINED }, webhook: { id: webhookId } },
      event: { isTest: true, data: { attendee: { email: 'ada@example.com' } } },
    })
    expect(await count()).toBe(1)
    await tenant.publish()
    const lists = await tenant.ask(
      '{ deliveries { nodes { id isTest } } events { nodes { id isTest } } }',
    )
    const marked = (nodes: { id: string; isTest: boolean }[]) =>
      nodes.filter(({ isTest }) => isTest).map((node) => node.id)
    expect(lists.deliveries.nodes).toHaveLength(3)
    expect(marked(lists.deliveries.nodes)).toEqual([delivery.id])
    expect(marked(lists.events.nodes)).toEqual([delivery.event.id])
  })

  test('a payload of the caller needs events:publish too, the example does not', async () => {
    const scopes = ['webhooks:read', 'deliveries:read', 'deliveries:write'] as const
    const { key: _, token } = await createApiKey(api.database.prisma, { ...tenant, scopes })
    const ask = (given: object) =>
      api.call(token, TEST_DELIVERY, { id: webhookId, input: { eventType: JOINED, ...given } })
    for (const data of [{ invoice: 'paid' }, null]) {
      const message = 'The API key lacks the scope events:publish. Use a key that has it.'
      const { errors } = await ask({ data })
      expect(errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }])
    }
    expect(await count()).toBe(0)
    const example = await ask({})
    expect(example.data.testDelivery.__typename).toBe('TestDeliverySuccess')
    expect(await count()).toBe(1)
  })

  test('a payload that does not match the schema is rejected with each problem', async () => {
    const schema = {
      type: 'object',
      required: ['event'],
      properties: { attendee: { type: 'object', required: ['email'] } },
    }
    const eventType = 'test_delivery.checked'
    const data = { name: eventType, description: 'A test', schema }
    await api.database.prisma.eventType.create({ data })
    const input = { eventSubscriptions: [eventType] }
    await tenant.run('webhooks', 'UpdateWebhook', { id: webhookId, input })
    expect(await send({ eventType, data: { attendee: {} } })).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          path: ['data'],
          code: 'schema_mismatch',
          message: expect.stringMatching(/property 'event'; \/attendee must .* 'email'\.$/),
        },
      ],
    })
    const large = { event: 'x'.repeat(256 * 1_024) }
    const tooLarge = { issues: [{ path: ['data'], code: 'too_large' }] }
    expect(await send({ eventType, data: large })).toMatchObject(tooLarge)
    expect(await count()).toBe(0)
  })

  test('a type that is unknown, not subscribed to, archived or without an example is rejected', async () => {
    const { prisma } = api.database
    const code = async (eventType: string) => (await send({ eventType })).issues[0].code
    expect(await code('event_attendee.joined')).toBe('unknown_event_type')
    expect(await code(TICKET)).toBe('not_subscribed')
    const name = 'test_delivery.without_example'
    await prisma.eventType.create({ data: { name, description: 'A test' } })
    const input = { eventSubscriptions: [name] }
    await tenant.run('webhooks', 'UpdateWebhook', { id: webhookId, input })
    expect(await code(name)).toBe('no_example')
    const data = { archivedAt: new Date(), example: {} }
    await prisma.eventType.update({ where: { name }, data })
    expect(await code(name)).toBe('unknown_event_type')
    expect(await count()).toBe(0)
  })
})

describe('a test delivery', () => {
  beforeEach(() => receiver.clear())

  /** Registers a webhook for a path of the receiver, and returns its id. */
  async function register(path: string, fields: object = {}): Promise<string> {
    const input = { url: receiver.url + path, eventSubscriptions: [JOINED], enabled: true }
    const { createWebhook } = await graphql(document('webhooks', 'CreateWebhook'), {
      input: { ...input, ...fields },
    })
    return createWebhook.webhook.id
  }
  const testOf = async (id: string, input: object = { eventType: JOINED }) =>
    (await graphql(TEST_DELIVERY, { id, input })).testDelivery.delivery

  async function publish(type: string): Promise<void> {
    const query = document('events', 'PublishEvent')
    const { publishEvent } = await graphql(query, { input: { type, data: {} } })
    expect(publishEvent.__typename).toBe('PublishEventSuccess')
  }

  /** The delivery once it has a state. */
  async function finished(id: string, state: string) {
    const query = `query ($id: ID!) { delivery(id: $id) { state isTest attemptCount plannedAttempts
      attempts { nodes { request { headers { name value } } } } } }`
    const read = async () => (await graphql(query, { id })).delivery
    await until(async () => (await read()).state === state, `the test is ${state}`)
    return await read()
  }

  test('arrives signed at that webhook only, is retried and recorded', async () => {
    const webhookId = await register('mine')
    await register('other')
    receiver.answer = (response) => {
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end()
    }
    const { id, event } = await testOf(webhookId)
    const { headers, body } = await receiver.arrival(2)
    expect(headers['wh-id']).toBe(id)
    expect(receiver.received.map((request) => request.headers['wh-test'])).toEqual(['true', 'true'])
    const { webhook } = await graphql(document('webhooks', 'Webhook'), { id: webhookId })
    const verified = { ok: true, isTest: true }
    expect(await verify(body, headers, webhook.signingSecret.key)).toMatchObject(verified)
    expect(JSON.parse(body.toString())).toEqual({
      id: event.id,
      type: JOINED,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: event.data,
    })
    expect(await finished(id, 'SUCCEEDED')).toMatchObject({ isTest: true, attemptCount: 2 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/mine', '/mine'])
  })

  test('is marked for the receiver also when redelivered and in its copy; an event is not', async () => {
    receiver.answer = (response) => response.end()
    const headers = [{ name: 'X-Team', value: 'tickets' }]
    const webhookId = await register('marked', { eventSubscriptions: [TICKET], headers })
    await publish(TICKET)
    expect((await receiver.arrival(1)).headers).not.toHaveProperty('wh-test')
    const { id } = await testOf(webhookId, { eventType: TICKET })
    const [{ request }] = (await finished(id, 'SUCCEEDED')).attempts.nodes
    expect(request.headers).toContainEqual({ name: 'wh-test', value: 'true' })
    expect(request.headers).toContainEqual({ name: 'X-Team', value: '•••' })
    await graphql(document('deliveries', 'Redeliver'), { ids: [id] })
    const marked = { 'wh-id': id, 'wh-test': 'true', 'x-team': 'tickets' }
    expect((await receiver.arrival(3)).headers).toMatchObject(marked)
  })

  test('arrives at a webhook that is not enabled, once, and no event does', async () => {
    receiver.answer = (response) => response.writeHead(500).end()
    const webhookId = await register('off', { enabled: false })
    const { id } = await testOf(webhookId, { eventType: JOINED, data: { test: true } })
    const once = { attemptCount: 1, plannedAttempts: [] }
    expect(await finished(id, 'EXHAUSTED')).toMatchObject(once)
    expect(JSON.parse(String(receiver.received[0]?.body)).data).toEqual({ test: true })
    await publish(JOINED)
    const { deliveries } = await graphql(
      'query ($id: ID!) { deliveries(filter: { webhookIds: [$id] }) { nodes { id } } }',
      { id: webhookId },
    )
    expect(deliveries.nodes).toEqual([{ id }])
  })
})
