import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { mintId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { RETRY, recordAttempt } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhookId: string
let delivery: string

beforeEach(async () => {
  webhookId = (await tenant.addWebhook()).id
  await tenant.publish(3)
  delivery = (await tenant.deliveryIds())[0] as string
})

const run = (operation: string, variables?: object) =>
  tenant.run('deliveries', operation, variables)

describe('delivery', () => {
  test('is read with its event, its webhook and its attempts', async () => {
    const answer = { ...RETRY, responseBody: Buffer.from('kaputt \xff', 'latin1') }
    for (let i = 0; i < 2; i++) await recordAttempt(api.database, delivery, 500, answer)
    const body = expect.stringMatching(/^\{"id":"evt_.*","data":\{"i":2\}\}$/)
    const own = ['content-type', 'wh-id', 'wh-timestamp', 'wh-signature']
    const headers = ['user-agent', 'accept-encoding', 'X-Key', ...own]
    const attempt = {
      ...{ status: 500, succeeded: false, durationMs: 12, error: null, errorCode: null },
      request: {
        ...{ method: 'POST', url: 'https://example.com/hook', body },
        headers: headers.map((name) => expect.objectContaining({ name })),
      },
      response: {
        ...{ status: 500, body: 'a2FwdXR0IP8=', bodyEncoding: 'BASE64', bodyTruncated: false },
        headers: [{ name: 'content-type', value: 'text/plain' }],
      },
    }
    expect(await run('Delivery', { id: delivery })).toMatchObject({
      ...{ id: delivery, state: 'RETRYING', body, attemptCount: 2, webhook: { id: webhookId } },
      ...{ eventType: { name: JOINED }, finishedAt: null, parkedReason: null },
      attempts: { nodes: [2, 1].map((number) => ({ number, ...attempt })) },
    })
  })

  test('stays readable once its event is past its retention', async () => {
    await api.database.prisma.event.deleteMany({ where: { organizationId: tenant.organizationId } })
    const found = await run('Delivery', { id: delivery })
    expect(found).toMatchObject({ id: delivery, eventType: { name: JOINED }, event: null })
  })
})

describe('deliveries', () => {
  test('are filtered by several webhooks and event types', async () => {
    const other = await tenant.addWebhook({ eventType: TICKET })
    await tenant.publish(2, TICKET)
    const all = await tenant.deliveryIds()
    expect(all).toHaveLength(5)
    const webhookIds = [webhookId, other.id, other.id]
    const query = `query ($filter: DeliveryFilter) { deliveries(filter: $filter) { nodes { id } } }`
    const cases: [object, string[]][] = [
      [{ webhookIds }, all],
      [{ webhookIds, states: ['QUEUED'] }, all],
      [{ webhookIds: [mintId('webhook')] }, []],
      [{ eventTypes: [JOINED, TICKET] }, all],
      [{ eventTypes: [JOINED], webhookIds: [other.id] }, []],
    ]
    for (const [filter, expected] of cases) {
      const { deliveries } = await tenant.ask(query, { filter })
      expect(deliveries.nodes, JSON.stringify(filter)).toEqual(expected.map((id) => ({ id })))
    }
  })

  test.each([
    ['states: EXHAUSTED', 'states: SUCCEEDED'],
    ['anyAttempt: { causes: "500" }', 'anyAttempt: { causes: "503" }'],
    ['key: { path: "$.i", equals: "7" }', 'key: { path: "$.i", equals: "9" }'],
    [`eventTypes: ["${JOINED}"], states: EXHAUSTED`, `eventTypes: ["${TICKET}"]`],
  ])('of a webhook and of an event are filtered too: %s', async (filter, other) => {
    await updateEventType(api.database.prisma, JOINED, { searchKeys: ['$.i'] }, SYSTEM)
    const event = { type: JOINED, data: { i: 7 } }
    const [published] = await api.deps.publishEvents(tenant.organizationId, [event])
    const [id = ''] = await tenant.deliveryIds()
    await recordAttempt(api.database, id, 500)
    const lists = `yes: deliveries(filter: { ${filter} }) { nodes { id } }
      no: deliveries(filter: { ${other} }) { nodes { id } }`
    const data = await tenant.ask(
      `query ($webhook: ID!, $event: ID!) { webhook(id: $webhook) { ${lists} } event(id: $event) { ${lists} } }`,
      { webhook: webhookId, event: published?.id },
    )
    expect(data.event).toEqual({ yes: { nodes: [{ id }] }, no: { nodes: [] } })
    expect(data.webhook).toMatchObject({ yes: { nodes: [{ id }] }, no: { nodes: [] } })
  })
})

test('redeliver queues a finished delivery again, and that of a deleted webhook is a conflict', async () => {
  const redeliver = (...ids: string[]) => run('Redeliver', { ids })
  await recordAttempt(api.database, delivery, 500)
  expect(await redeliver(delivery)).toMatchObject({
    __typename: 'RedeliverSuccess',
    deliveries: [{ id: delivery, state: 'RETRYING', nextAttemptAt: expect.any(String) }],
  })
  await tenant.run('webhooks', 'DeleteWebhook', { id: webhookId })
  const conflict = { __typename: 'ConflictError', code: 'conflict' }
  expect(await redeliver(delivery)).toMatchObject(conflict)
})

test('cancelDeliveries stops further attempts and can be repeated, but not for what is finished or unknown', async () => {
  const cancel = (...ids: string[]) =>
    tenant.run('bulk-tasks', 'CancelDeliveries', { input: { ids } })
  const { __typename } = await cancel(delivery, mintId('delivery'))
  expect(__typename).toBe('NotFoundError')
  expect((await run('Delivery', { id: delivery })).state).toBe('QUEUED')
  for (let i = 0; i < 2; i++) {
    expect(await cancel(delivery)).toMatchObject({
      ...{ __typename: 'CancelDeliveriesSuccess', count: 1, task: null },
      deliveries: [{ id: delivery, state: 'CANCELED' }],
    })
  }
  const [, other = ''] = await tenant.deliveryIds()
  await recordAttempt(api.database, other, 200)
  expect(await cancel(other)).toEqual({
    __typename: 'ConflictError',
    code: 'conflict',
    message: `The delivery ${other} is succeeded. Only a delivery that has not finished can be canceled.`,
  })
})
