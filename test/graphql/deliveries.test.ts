import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { mintId, parseId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhookId: string
let delivery: string

beforeEach(async () => {
  webhookId = (await addWebhook(api, tenant.organizationId)).id
  await publish(api, tenant.organizationId, 3)
  delivery = (await deliveryIds(api.database, tenant.organizationId))[0] as string
})

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(tenant.token, document('deliveries', operation), variables)
}

async function finish(id: string, state: 'succeeded' | 'exhausted') {
  await api.database.prisma.delivery.update({
    where: { id: parseId('delivery', id) as string },
    data: { state, finishedAt: new Date(), nextAttemptAt: null },
  })
}

describe('delivery', () => {
  test('is read with its event, its webhook and its attempts', async () => {
    await addAttempt(api.database, delivery, 1)
    await addAttempt(api.database, delivery, 2)
    const { data, errors } = await call('Delivery', { id: delivery })
    expect(errors).toBeUndefined()
    const body = expect.stringMatching(/^\{"id":"evt_.*","data":\{"i":2\}\}$/)
    const headers = ['accept-encoding', 'content-type', 'wh-id', 'wh-timestamp']
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
    expect(data.delivery).toMatchObject({
      ...{ id: delivery, state: 'RETRYING', body, attemptCount: 2, webhook: { id: webhookId } },
      ...{ eventType: { name: JOINED }, finishedAt: null, parkedReason: null },
      attempts: {
        nodes: [
          { number: 2, ...attempt },
          { number: 1, ...attempt },
        ],
      },
    })
  })

  test('stays readable once its event is past its retention', async () => {
    await api.database.prisma.event.deleteMany({ where: { organizationId: tenant.organizationId } })
    const { data, errors } = await call('Delivery', { id: delivery })
    expect(errors).toBeUndefined()
    expect(data.delivery).toMatchObject({ id: delivery, eventType: { name: JOINED }, event: null })
  })
})

describe('deliveries', () => {
  const ids = async (variables: Record<string, unknown>) => {
    const { data } = await call('DeliveriesPage', variables)
    return data.deliveries.nodes.map(({ id }: { id: string }) => id)
  }

  test('are filtered by several webhooks and event types, in pages from both ends', async () => {
    const other = await addWebhook(api, tenant.organizationId, { eventType: TICKET })
    await publish(api, tenant.organizationId, 2, TICKET)
    const all = await ids({})
    expect(all).toHaveLength(5)
    const webhookIds = [webhookId, other.id, other.id]
    expect(await ids({ filter: { webhookIds } })).toEqual(all)
    expect(await ids({ filter: { webhookIds, states: ['QUEUED'] }, first: 3 })).toEqual(
      all.slice(0, 3),
    )
    expect(await ids({ filter: { webhookIds: [other.id] } })).toEqual(all.slice(0, 2))
    expect(await ids({ filter: { webhookIds: [mintId('webhook')] } })).toEqual([])
    expect(await ids({ filter: { eventTypes: [JOINED, TICKET] } })).toEqual(all)
    expect(await ids({ filter: { eventTypes: [TICKET, 'nope'] } })).toEqual(all.slice(0, 2))
    expect(await ids({ filter: { eventTypes: [JOINED], webhookIds: [other.id] } })).toEqual([])
    const { data } = await api.call(
      tenant.token,
      'query ($filter: DeliveryFilter) { deliveries(filter: $filter, last: 2) { nodes { id } } }',
      { filter: { webhookIds } },
    )
    expect(data.deliveries.nodes.map(({ id }: { id: string }) => id)).toEqual(all.slice(3))
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
    const [id = ''] = await deliveryIds(api.database, tenant.organizationId)
    await addAttempt(api.database, id)
    await finish(id, 'exhausted')
    const lists = `yes: deliveries(filter: { ${filter} }) { nodes { id } }
      no: deliveries(filter: { ${other} }) { nodes { id } }`
    const { data } = await api.call(
      tenant.token,
      `query ($webhook: ID!, $event: ID!) { webhook(id: $webhook) { ${lists} } event(id: $event) { ${lists} } }`,
      { webhook: webhookId, event: published?.id },
    )
    expect(data.event).toEqual({ yes: { nodes: [{ id }] }, no: { nodes: [] } })
    expect(data.webhook).toMatchObject({ yes: { nodes: [{ id }] }, no: { nodes: [] } })
  })
})

describe('redeliver', () => {
  test('queues a finished delivery again', async () => {
    await finish(delivery, 'exhausted')
    const { data } = await call('Redeliver', { ids: [delivery] })
    expect(data.redeliver).toMatchObject({
      __typename: 'RedeliverSuccess',
      deliveries: [{ id: delivery, state: 'QUEUED', nextAttemptAt: expect.any(String) }],
    })
  })

  test('returns ConflictError if the webhook was deleted', async () => {
    await api.call(tenant.token, document('webhooks', 'DeleteWebhook'), { id: webhookId })
    const { data } = await call('Redeliver', { ids: [delivery] })
    expect(data.redeliver).toMatchObject({ __typename: 'ConflictError', code: 'conflict' })
  })

  test('leaves out what cannot be redelivered', async () => {
    const [, erased = ''] = await deliveryIds(api.database, tenant.organizationId)
    await api.database.pool.query('update posthorn.deliveries set is_erased = true where id = $1', [
      parseId('delivery', erased),
    ])
    const { data } = await call('Redeliver', { ids: [erased, delivery] })
    expect(data.redeliver.deliveries).toMatchObject([{ id: delivery }])
  })
})

describe('cancelDeliveries', () => {
  const cancel = (...ids: string[]) =>
    api.call(tenant.token, document('bulk-tasks', 'CancelDeliveries'), { input: { ids } })

  test('stops further attempts, and can be repeated', async () => {
    for (let i = 0; i < 2; i++) {
      expect((await cancel(delivery)).data.cancelDeliveries).toMatchObject({
        __typename: 'CancelDeliveriesSuccess',
        count: 1,
        deliveries: [{ id: delivery, state: 'CANCELED' }],
        task: null,
      })
    }
  })

  test('returns ConflictError for a finished delivery', async () => {
    await finish(delivery, 'succeeded')
    expect((await cancel(delivery)).data.cancelDeliveries).toEqual({
      __typename: 'ConflictError',
      code: 'conflict',
      message: `The delivery ${delivery} is succeeded. Only a delivery that has not finished can be canceled.`,
    })
  })

  test('returns NotFoundError for an unknown delivery, and changes no other', async () => {
    const { data } = await cancel(delivery, mintId('delivery'))
    expect(data.cancelDeliveries).toMatchObject({ __typename: 'NotFoundError' })
    expect((await call('Delivery', { id: delivery })).data.delivery.state).toBe('QUEUED')
  })
})
