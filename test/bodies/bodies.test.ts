import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { createEventType, updateEventType } from '../../src/event-types/edit-event-type.ts'
import { useTestApp } from '../support/app.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

const PAID = 'order.paid'

const SCHEMA = {
  type: 'object',
  properties: {
    order: { type: 'object', properties: { id: { type: 'string' }, total: { type: 'number' } } },
    customer: { type: 'object', properties: { email: { type: 'string' } } },
    items: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
  },
}

/** Numbers and texts that a JSON parser would change. */
const DATA = String.raw`{"order": {"id": "o\/1", "total": 9007199254740993.10}, "customer": {"email": "ada@example.com", "card": "4242"}, "items": [{"sku":"a", "n": 1}, {"sku":"b"}]}`

const SELECTION =
  '{ ... on OrderPaid { order { total id } mail: customer { email } items { sku } } }'
const SELECTED =
  '{"order":{"total":9007199254740993.10,"id":"o/1"},"mail":{"email":"ada@example.com"},"items":[{"sku":"a"},{"sku":"b"}]}'

const WEBHOOK =
  'webhook { id revision selection template bodyVersion { version selection template problems } }'
const ISSUES = '... on ValidationError { issues { path code message } }'

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({
  trustedAuthorities: [receiver.authority],
  environment: { POSTHORN_PUBLIC_URL: 'https://hooks.example.com' },
})

const paid = { name: PAID, description: 'An order was paid.', schema: SCHEMA }
await createEventType(posthorn.database.prisma, paid, SYSTEM)

/** The ids of the webhooks of a test. */
const created: string[] = []

beforeEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.end()
})
afterEach(async () => {
  const remove = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'
  for (const id of created.splice(0)) await posthorn.graphql(remove, { id })
})

async function create(input: object) {
  const { createWebhook } = await posthorn.graphql(
    `mutation ($input: CreateWebhookInput!) {
      createWebhook(input: $input) { ... on CreateWebhookSuccess { ${WEBHOOK} } ${ISSUES} }
    }`,
    { input: { url: receiver.url, eventSubscriptions: [PAID], enabled: true, ...input } },
  )
  if (createWebhook.webhook) created.push(createWebhook.webhook.id)
  return createWebhook
}

async function update(id: string, input: object) {
  const { updateWebhook } = await posthorn.graphql(
    `mutation ($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) { ... on UpdateWebhookSuccess { ${WEBHOOK} } ${ISSUES} }
    }`,
    { id, input },
  )
  return updateWebhook
}

async function publish(dataText = DATA): Promise<string> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($input: PublishEventInput!) {
      publishEvent(input: $input) { ... on PublishEventSuccess { publishedEvent { id } } ${ISSUES} }
    }`,
    { input: { type: PAID, dataText } },
  )
  return publishEvent.publishedEvent.id
}

/** The only delivery to a webhook. */
async function deliveryTo(webhookId: string) {
  const { deliveries } = await posthorn.graphql(
    `query ($filter: DeliveryFilter) {
      deliveries(first: 1, filter: $filter) {
        nodes {
          id state body bodyVersion { version selection }
          attempts(first: 3) { nodes { errorCode error request { body } } }
        }
      }
    }`,
    { filter: { webhookIds: [webhookId] } },
  )
  return deliveries.nodes[0]
}

async function finished(webhookId: string) {
  const isDone = async () => (await deliveryTo(webhookId))?.state === 'SUCCEEDED'
  await until(isDone, 'the delivery succeeds')
  return await deliveryTo(webhookId)
}

const dataOf = (body: Buffer | string) => String(body).replace(/^.*?"data":(.*)}$/s, '$1')

describe('a selection', () => {
  test('makes the data of signed deliveries, with the digits of the numbers', async () => {
    const { webhook } = await create({ selection: SELECTION })
    const same = await update(webhook.id, { selection: SELECTION, description: 'Orders' })
    expect(same.webhook).toMatchObject({ selection: SELECTION, bodyVersion: { version: 1 } })
    const eventId = await publish()
    const { body, headers } = await receiver.arrival(1)
    expect(dataOf(body)).toBe(SELECTED)
    expect(JSON.parse(String(body))).toMatchObject({ id: eventId, type: PAID })
    const secret = `{ webhook(id: "${webhook.id}") { signingSecret { key } } }`
    const { key } = (await posthorn.graphql(secret)).webhook.signingSecret
    expect(await verify(body, headers, key)).toMatchObject({ ok: true })
    const delivery = await finished(webhook.id)
    expect(delivery).toMatchObject({
      body: String(body),
      bodyVersion: { version: 1, selection: SELECTION },
      attempts: { nodes: [{ request: { body: String(body) } }] },
    })
  })

  test('stays that of a delivery: retries and redeliveries send the same bytes after a change', async () => {
    const { webhook } = await create({ selection: SELECTION })
    receiver.answer = (response) => {
      response.writeHead(receiver.received.length === 1 ? 503 : 200).end()
    }
    await publish()
    const first = await receiver.arrival(1)
    const selection = '{ id ... on OrderPaid { order { id } } }'
    const changed = await update(webhook.id, { selection })
    expect(changed.webhook.bodyVersion.version).toBe(2)
    const delivery = await finished(webhook.id)
    const redeliver = `mutation { redeliver(input: { ids: ["${delivery.id}"] }) { __typename } }`
    const redelivered = await posthorn.graphql(redeliver)
    expect(redelivered).toEqual({ redeliver: { __typename: 'RedeliverSuccess' } })
    const third = await receiver.arrival(3)
    const bodies = receiver.received.map(({ body }) => String(body))
    expect(bodies).toEqual(Array(3).fill(String(first.body)))
    expect(third.headers['wh-id']).toBe(delivery.id)
    await until(async () => (await finished(webhook.id)).state === 'SUCCEEDED', 'it succeeds again')

    await update(webhook.id, { selection: null })
    receiver.clear()
    await publish()
    expect(dataOf((await receiver.arrival(1)).body)).toBe(DATA)
  })

  const ALIASES = Array.from({ length: 4 }, (_, n) => `a${n}: sku`).join(' ')

  test.each([
    [
      'a selection',
      { selection: `{ ... on OrderPaid { items { ${ALIASES} } } }` },
      `{"items":[${Array(40_000).fill('{}').join(',')}]}`,
    ],
    [
      'a template',
      { template: '"{% for x in data.other %}{{ x }}{% endfor %}"' },
      `{"other":[${Array(40_000).fill('1').join(',')}]}`,
    ],
  ])('%s that makes too much is a failed attempt with the remedy', async (_, body, data) => {
    const { webhook, issues } = await create(body)
    expect(issues).toBeUndefined()
    await publish(data)
    const attempts = async () => (await deliveryTo(webhook.id))?.attempts.nodes
    await until(async () => (await attempts())?.length > 0, 'an attempt fails')
    const attempt = { errorCode: 'body_too_large', error: expect.stringContaining('256 KiB') }
    expect((await attempts()).at(-1)).toMatchObject(attempt)
    expect((await deliveryTo(webhook.id)).body).toBeNull()
    expect(receiver.received).toEqual([])
  })

  test('makes the body of test deliveries', async () => {
    const { webhook } = await create({ selection: SELECTION })
    const { testDelivery } = await posthorn.graphql(
      `mutation ($id: ID!, $input: TestDeliveryInput!) {
        testDelivery(id: $id, input: $input) { ... on TestDeliverySuccess { delivery { id body } } }
      }`,
      { id: webhook.id, input: { eventType: PAID, data: { order: { id: 'o-2' }, secret: 1 } } },
    )
    const { body } = testDelivery.delivery
    const tested = String((await receiver.arrival(1)).body)
    expect(dataOf(tested)).toBe('{"order":{"total":null,"id":"o-2"},"mail":null,"items":null}')
    expect(body).toBe(tested)
  })

  test('that is saved again after a change of the catalogue means what it says now', async () => {
    const { webhook } = await create({ selection: '{ ... on OrderPaid { customer { email } } }' })
    const { selection } = webhook
    const setCustomer = (customer: object) => {
      const schema = { ...SCHEMA, properties: { ...SCHEMA.properties, customer } }
      const options = { acceptBrokenSelections: true }
      return updateEventType(posthorn.database.prisma, PAID, { schema }, SYSTEM, options)
    }
    await setCustomer({ type: 'string' })
    const broken = await update(webhook.id, { selection, description: 'Orders' })
    expect(broken.webhook.bodyVersion).toMatchObject({ version: 1, problems: [expect.any(String)] })
    await setCustomer({ type: 'object', properties: { email: { type: 'number' } } })
    const again = await update(webhook.id, { selection })
    expect(again.webhook).toMatchObject({ selection, bodyVersion: { version: 2, problems: [] } })
    await publish('{"customer":{"email":7}}')
    expect(dataOf((await receiver.arrival(1)).body)).toBe('{"customer":{"email":7}}')
    await setCustomer(SCHEMA.properties.customer)
  })

  test('that the event graph does not have is refused with the place and the remedy', async () => {
    const unknown = '{\n  ... on OrderPaid { ordr { id } }\n}'
    const { issues } = await create({ selection: unknown, url: 'http://x' })
    expect(issues).toMatchObject([{ path: ['selection'] }, { path: ['url'] }])
    expect(issues[0].message).toContain('"ordr"')
    expect(issues[0].message).toContain('order')
    expect(issues[0].message).toMatch(/line 2/)
    const { webhook } = await create({ selection: SELECTION })
    const refused = await update(webhook.id, { selection: '{ ...', description: 'Lost' })
    expect(refused.issues[0].path).toEqual(['selection'])
    const kept = await update(webhook.id, {})
    expect(kept.webhook).toMatchObject({ revision: webhook.revision, selection: SELECTION })
  })
})

describe('a template', () => {
  const TEMPLATE =
    '{"text": "Order {{ data.order.id }} is paid: {{ delivery.url }}", "total": "{{ data.order.total | json }}"}'

  test('makes the whole body, with a link to the delivery', async () => {
    const { webhook } = await create({ template: TEMPLATE })
    await publish()
    const { body, headers } = await receiver.arrival(1)
    const id = headers['wh-id']
    expect(JSON.parse(String(body)).text).toBe(
      `Order o/1 is paid: https://hooks.example.com/console/deliveries/${id}`,
    )
    expect(String(body)).toContain('"total":9007199254740993.10')
    expect((await finished(webhook.id)).body).toBe(String(body))
  })

  test('replaces a selection, and is refused beside one', async () => {
    const { webhook } = await create({ selection: SELECTION })
    const { webhook: replaced } = await update(webhook.id, { template: TEMPLATE })
    const expected = { selection: null, template: TEMPLATE, bodyVersion: { version: 2 } }
    expect(replaced).toMatchObject(expected)
    const broken = await update(webhook.id, { template: '{"text": {{ data.a }' })
    expect(broken.issues).toMatchObject([{ path: ['template'] }])
    const both = await update(webhook.id, { template: '{}', selection: SELECTION })
    expect(both.issues).toMatchObject([{ path: ['template'], code: 'ambiguous' }])
  })
})

describe('a trial', () => {
  async function tryBody(variables: object) {
    const { testBody } = await posthorn.graphql(
      `query ($types: [String!]!, $selection: String, $template: String) {
        testBody(eventSubscriptions: $types, selection: $selection, template: $template) {
          issues { path message } warnings bodies { event { id } eventType body }
        }
      }`,
      { types: [PAID], ...variables },
    )
    return testBody
  }

  test('writes the bodies of the newest events', async () => {
    const id = await publish()
    const { bodies, issues } = await tryBody({ selection: SELECTION })
    expect(issues).toEqual([])
    expect(bodies[0]).toMatchObject({ event: { id }, eventType: PAID })
    expect(dataOf(bodies[0].body)).toBe(SELECTED)
    const whole = await tryBody({})
    expect(dataOf(whole.bodies[0].body)).toBe(DATA)
    const wrong = await tryBody({ selection: '{ nothing }' })
    expect(wrong).toMatchObject({ issues: [{ path: ['selection'] }], bodies: [] })
  })

  test('uses examples while there are no events, and warns of types without data', async () => {
    const answer = await tryBody({ types: ['event_attendee.*', PAID], selection: SELECTION })
    expect(answer.warnings).toEqual([
      'The selection chooses nothing of event_attendee.joined_event: `data` is {} in its deliveries.',
      'The selection chooses nothing of event_attendee.ticket_success: `data` is {} in its deliveries.',
    ])
    const template = '{"id": "{{ event.id }}"}'
    const examples = await tryBody({ types: ['event_attendee.*'], template })
    const bodies = [{ event: null }, { event: null }]
    expect(examples).toMatchObject({ bodies })
  })
})
