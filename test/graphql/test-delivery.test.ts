import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { verify } from '../../src/receiver/index.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type Api, openApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook, publish } from './support/rows.ts'

const TEST_DELIVERY = document('deliveries', 'TestDelivery')

describe('testDelivery', () => {
  let api: Api
  let tenant: Awaited<ReturnType<Api['tenant']>>
  let webhookId: string

  beforeAll(async () => {
    api = await openApi()
  })
  beforeEach(async () => {
    tenant = await api.tenant()
    webhookId = (await addWebhook(api, tenant.organizationId)).id
  })
  afterAll(() => api[Symbol.asyncDispose]())

  const send = (variables: Record<string, unknown>, token = tenant.token) =>
    api.call(token, TEST_DELIVERY, variables)

  async function count(): Promise<number> {
    return await api.database.prisma.delivery.count({
      where: { organizationId: tenant.organizationId },
    })
  }

  test('creates one delivery of the example, for that webhook only, marked as a test', async () => {
    await addWebhook(api, tenant.organizationId)
    const { data, errors } = await send({ id: webhookId, input: { eventType: JOINED } })
    expect(errors).toBeUndefined()
    const { id, event } = data.testDelivery.delivery
    expect(data.testDelivery.delivery).toMatchObject({
      state: 'QUEUED',
      isTest: true,
      eventType: { name: JOINED },
      webhook: { id: webhookId },
      event: { isTest: true, data: { attendee: { email: 'ada@example.com' } } },
    })
    expect(await count()).toBe(1)
    await publish(api, tenant.organizationId)
    const { data: lists } = await api.call(
      tenant.token,
      '{ deliveries { nodes { id isTest } } events { nodes { id isTest } } }',
    )
    const marked = (nodes: { id: string; isTest: boolean }[]) =>
      nodes.filter(({ isTest }) => isTest).map((node) => node.id)
    expect(lists.deliveries.nodes).toHaveLength(3)
    expect(marked(lists.deliveries.nodes)).toEqual([id])
    expect(marked(lists.events.nodes)).toEqual([event.id])
  })

  test('a payload of the caller needs events:publish too, the example does not', async () => {
    const scopes = ['webhooks:read', 'deliveries:read', 'deliveries:write'] as const
    const { key: _, token } = await createApiKey(api.database.prisma, { ...tenant, scopes })
    for (const data of [{ invoice: 'paid' }, null]) {
      const { errors } = await send({ id: webhookId, input: { eventType: JOINED, data } }, token)
      expect(errors).toMatchObject([
        {
          message: 'The API key lacks the scope events:publish. Use a key that has it.',
          extensions: { code: 'FORBIDDEN' },
        },
      ])
    }
    expect(await count()).toBe(0)
    const example = await send({ id: webhookId, input: { eventType: JOINED } }, token)
    expect(example.data.testDelivery.__typename).toBe('TestDeliverySuccess')
    expect(await count()).toBe(1)
  })

  test('the audit log has the SHA-256 of the data', async () => {
    const data = { attendee: { email: 'grace@example.com' } }
    const answer = await send({ id: webhookId, input: { eventType: JOINED, data } })
    const { prisma } = api.database
    const subjectId = answer.data.testDelivery.delivery.id
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { subjectId } })
    const dataSha256 = createHash('sha256').update(JSON.stringify(data)).digest('hex')
    expect(entry.after).toEqual({ webhookId, eventType: JOINED, dataSha256 })
  })

  test('a payload that does not match the schema is rejected with each problem', async () => {
    const schema = {
      type: 'object',
      required: ['event'],
      properties: { attendee: { type: 'object', required: ['email'] } },
    }
    await updateEventType(api.database.prisma, JOINED, { schema }, SYSTEM)
    const { data } = await send({
      id: webhookId,
      input: { eventType: JOINED, data: { attendee: {} } },
    })
    expect(data.testDelivery.__typename).toBe('ValidationError')
    expect(data.testDelivery.issues.map((issue: { message: string }) => issue.message)).toEqual([
      "the value must have required property 'event'.",
      "/attendee must have required property 'email'.",
    ])
    const large = 'x'.repeat(256 * 1_024)
    const tooLarge = await send({
      id: webhookId,
      input: { eventType: JOINED, data: { event: large } },
    })
    expect(tooLarge.data.testDelivery.issues).toMatchObject([{ path: ['data'], code: 'too_large' }])
    expect(await count()).toBe(0)
    await updateEventType(api.database.prisma, JOINED, { schema: null }, SYSTEM)
  })

  test.each<[string, string, string]>([
    ['that is not in the catalogue', 'event_attendee.joined', 'unknown_event_type'],
    ['that the webhook does not subscribe to', TICKET, 'not_subscribed'],
  ])('a type %s is rejected', async (_what, eventType, code) => {
    const { data } = await send({ id: webhookId, input: { eventType } })
    expect(data.testDelivery).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['eventType'], code }],
    })
    expect(await count()).toBe(0)
  })

  test('an event type that is archived or has no example is rejected', async () => {
    const { prisma } = api.database
    const eventType = 'test.without_example'
    await prisma.eventType.create({ data: { name: eventType, description: 'A test' } })
    await api.call(tenant.token, document('webhooks', 'UpdateWebhook'), {
      id: webhookId,
      input: { eventSubscriptions: [eventType] },
    })
    const { data } = await send({ id: webhookId, input: { eventType } })
    expect(data.testDelivery).toMatchObject({ issues: [{ code: 'no_example' }] })
    await prisma.eventType.update({
      where: { name: eventType },
      data: { archivedAt: new Date(), example: {} },
    })
    const { data: archived } = await send({ id: webhookId, input: { eventType } })
    expect(archived.testDelivery).toMatchObject({ issues: [{ code: 'unknown_event_type' }] })
  })
})

describe('a test delivery', () => {
  let receiver: Receiver
  let posthorn: TestApp

  beforeAll(async () => {
    receiver = await startReceiver()
    posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  })
  afterAll(async () => {
    await posthorn[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  test('arrives signed at that webhook only, is retried and recorded', async () => {
    const register = async (path: string) => {
      const { createWebhook } = await posthorn.graphql(document('webhooks', 'CreateWebhook'), {
        input: { url: receiver.url + path, eventSubscriptions: [JOINED], enabled: true },
      })
      return createWebhook.webhook.id
    }
    const webhookId = await register('mine')
    await register('other')
    receiver.answer = (response) => {
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end()
    }
    const { testDelivery } = await posthorn.graphql(TEST_DELIVERY, {
      id: webhookId,
      input: { eventType: JOINED },
    })
    const { id, event } = testDelivery.delivery

    const { headers, body } = await receiver.arrival(2)
    expect(headers['wh-id']).toBe(id)
    expect(receiver.received.map((request) => request.headers['wh-test'])).toEqual(['true', 'true'])
    const read = document('webhooks', 'Webhook')
    const { webhook } = await posthorn.graphql(read, { id: webhookId })
    expect(await verify(body, headers, webhook.signingSecret.key)).toMatchObject({
      ok: true,
      isTest: true,
    })
    expect(JSON.parse(body.toString())).toEqual({
      id: event.id,
      type: JOINED,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: event.data,
    })

    const state = 'query ($id: ID!) { delivery(id: $id) { state isTest attemptCount } }'
    await until(async () => {
      const { delivery } = await posthorn.graphql(state, { id })
      return delivery.state === 'SUCCEEDED'
    }, 'it has succeeded')
    const { delivery } = await posthorn.graphql(state, { id })
    expect(delivery).toEqual({ state: 'SUCCEEDED', isTest: true, attemptCount: 2 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/mine', '/mine'])
  })

  test('is marked for the receiver, also when redelivered and in its copy; an event is not', async () => {
    receiver.clear()
    receiver.answer = (response) => response.end()
    const { createWebhook } = await posthorn.graphql(document('webhooks', 'CreateWebhook'), {
      input: {
        url: `${receiver.url}marked`,
        eventSubscriptions: [TICKET],
        enabled: true,
        headers: [{ name: 'X-Team', value: 'tickets' }],
      },
    })
    const { publishEvent } = await posthorn.graphql(document('events', 'PublishEvent'), {
      input: { type: TICKET, data: {} },
    })
    expect(publishEvent.__typename).toBe('PublishEventSuccess')
    expect((await receiver.arrival(1)).headers).not.toHaveProperty('wh-test')
    const { testDelivery } = await posthorn.graphql(TEST_DELIVERY, {
      id: createWebhook.webhook.id,
      input: { eventType: TICKET },
    })
    const { id } = testDelivery.delivery
    expect((await receiver.arrival(2)).headers).toMatchObject({
      'wh-id': id,
      'wh-test': 'true',
      'x-team': 'tickets',
    })

    const ATTEMPTS = `query ($id: ID!) { delivery(id: $id) {
      state attempts { nodes { request { headers { name value } } } } } }`
    const read = async () => (await posthorn.graphql(ATTEMPTS, { id })).delivery
    await until(async () => (await read()).state === 'SUCCEEDED', 'the test has succeeded')
    const [{ request }] = (await read()).attempts.nodes
    expect(request.headers).toContainEqual({ name: 'wh-test', value: 'true' })
    expect(request.headers).toContainEqual({ name: 'X-Team', value: '•••' })

    await posthorn.graphql(document('deliveries', 'Redeliver'), { ids: [id] })
    expect((await receiver.arrival(3)).headers).toMatchObject({ 'wh-id': id, 'wh-test': 'true' })
  })

  test('arrives at a webhook that is not enabled, once, and no event does', async () => {
    receiver.clear()
    receiver.answer = (response) => response.writeHead(500).end()
    const { createWebhook } = await posthorn.graphql(document('webhooks', 'CreateWebhook'), {
      input: { url: `${receiver.url}off`, eventSubscriptions: [JOINED] },
    })
    const { testDelivery } = await posthorn.graphql(TEST_DELIVERY, {
      id: createWebhook.webhook.id,
      input: { eventType: JOINED, data: { test: true } },
    })
    const state = 'query ($id: ID!) { delivery(id: $id) { state attemptCount plannedAttempts } }'
    const read = async () =>
      (await posthorn.graphql(state, { id: testDelivery.delivery.id })).delivery
    await until(async () => (await read()).state === 'EXHAUSTED', 'the test is exhausted')
    expect(await read()).toMatchObject({ attemptCount: 1, plannedAttempts: [] })
    expect(JSON.parse(String(receiver.received[0]?.body)).data).toEqual({ test: true })

    const { publishEvent } = await posthorn.graphql(document('events', 'PublishEvent'), {
      input: { type: JOINED, data: {} },
    })
    expect(publishEvent.__typename).toBe('PublishEventSuccess')
    const { deliveries } = await posthorn.graphql(
      'query ($id: ID!) { deliveries(filter: { webhookIds: [$id] }) { nodes { id } } }',
      { id: createWebhook.webhook.id },
    )
    expect(deliveries.nodes).toHaveLength(1)
  })
})
