import { beforeEach, describe, expect, test } from 'vitest'
import { mintId, parseId } from '../../src/db/ids.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'
import { withStableValues } from './support/stable-values.ts'

const api = useApi()
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
    expect(withStableValues(data)).toMatchInlineSnapshot(`
      {
        "delivery": {
          "attemptCount": 2,
          "attempts": {
            "nodes": [
              {
                "delivery": {
                  "id": "msg_1",
                },
                "durationMs": 12,
                "error": null,
                "errorCode": null,
                "firstByteMs": null,
                "id": "att_1",
                "number": 2,
                "request": {
                  "body": "{"id":"evt_1","type":"event_attendee.joined_event","timestamp":"TIME","data":{"i":2}}",
                  "headers": [
                    {
                      "name": "accept-encoding",
                      "value": "identity",
                    },
                    {
                      "name": "content-type",
                      "value": "application/json",
                    },
                    {
                      "name": "wh-id",
                      "value": "msg_1",
                    },
                    {
                      "name": "wh-timestamp",
                      "value": "SECONDS",
                    },
                  ],
                  "method": "POST",
                  "url": "https://example.com/hook",
                },
                "response": {
                  "body": "a2FwdXR0IP8=",
                  "bodyEncoding": "BASE64",
                  "bodyTruncated": false,
                  "headers": [
                    {
                      "name": "content-type",
                      "value": "text/plain",
                    },
                  ],
                  "status": 500,
                },
                "status": 500,
                "succeeded": false,
              },
              {
                "delivery": {
                  "id": "msg_1",
                },
                "durationMs": 12,
                "error": null,
                "errorCode": null,
                "firstByteMs": null,
                "id": "att_2",
                "number": 1,
                "request": {
                  "body": "{"id":"evt_1","type":"event_attendee.joined_event","timestamp":"TIME","data":{"i":2}}",
                  "headers": [
                    {
                      "name": "accept-encoding",
                      "value": "identity",
                    },
                    {
                      "name": "content-type",
                      "value": "application/json",
                    },
                    {
                      "name": "wh-id",
                      "value": "msg_1",
                    },
                    {
                      "name": "wh-timestamp",
                      "value": "SECONDS",
                    },
                  ],
                  "method": "POST",
                  "url": "https://example.com/hook",
                },
                "response": {
                  "body": "a2FwdXR0IP8=",
                  "bodyEncoding": "BASE64",
                  "bodyTruncated": false,
                  "headers": [
                    {
                      "name": "content-type",
                      "value": "text/plain",
                    },
                  ],
                  "status": 500,
                },
                "status": 500,
                "succeeded": false,
              },
            ],
          },
          "body": "{"id":"evt_1","type":"event_attendee.joined_event","timestamp":"TIME","data":{"i":2}}",
          "bodyVersion": null,
          "event": {
            "id": "evt_1",
          },
          "eventType": {
            "name": "event_attendee.joined_event",
          },
          "finishedAt": null,
          "id": "msg_1",
          "nextAttemptAt": "TIME",
          "parkedAt": null,
          "parkedReason": null,
          "state": "RETRYING",
          "webhook": {
            "id": "wh_1",
          },
          "webhookId": "wh_1",
        },
      }
    `)
    expect(api.statements.list.toSorted()).toMatchInlineSnapshot(`
      [
        "authenticate",
        "read_bodies",
        "read_bodies",
        "select attempts",
        "select deliveries",
        "select deliveries",
        "select events",
        "select events",
        "select webhook_bodies",
        "select webhooks",
      ]
    `)
  })

  test.each(['nonsense', mintId('delivery'), mintId('event')])(
    '%s is not a delivery',
    async (id) => {
      const { data, errors } = await call('Delivery', { id })
      expect(errors).toBeUndefined()
      expect(data.delivery).toBeNull()
    },
  )

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

  test('come newest first', async () => {
    expect(await ids({})).toEqual(await deliveryIds(api.database, tenant.organizationId))
  })

  test('are filtered by webhook, state and event type', async () => {
    const all = await ids({})
    await finish(delivery, 'succeeded')
    expect(await ids({ filter: { states: ['SUCCEEDED'] } })).toEqual([delivery])
    expect(await ids({ filter: { states: ['QUEUED'] } })).toEqual(all.slice(1))
    expect(await ids({ filter: { states: ['CANCELED'] } })).toEqual([])
    expect(await ids({ filter: { webhookIds: [webhookId] } })).toEqual(all)
    expect(await ids({ filter: { webhookIds: [mintId('webhook')] } })).toEqual([])
    expect(
      await ids({
        filter: { eventTypes: [JOINED], webhookIds: [webhookId], states: ['SUCCEEDED'] },
      }),
    ).toEqual([delivery])
    expect(await ids({ filter: { eventTypes: [TICKET] } })).toEqual([])
  })

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
    [{ webhookIds: [] }, 'filter.webhookIds must not be empty; omit it to match all.'],
    [{ webhookIds: ['msg_x'] }, 'filter.webhookIds.0 must be the id of a webhook: wh_….'],
    [{ eventTypes: Array(21).fill(JOINED) }, 'filter.eventTypes must have at most 20 entries.'],
  ])('the filter %j is rejected with the remedy', async (filter, message) => {
    const { errors } = await call('DeliveriesPage', { filter })
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }])
  })

  test('a filter with an id that is not of a webhook is rejected', async () => {
    const { errors } = await call('DeliveriesPage', { filter: { webhookIds: [delivery] } })
    expect(errors).toMatchObject([
      {
        message: 'filter.webhookIds.0 must be the id of a webhook: wh_….',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test('of a webhook and of an event are filtered too', async () => {
    await finish(delivery, 'exhausted')
    const { data } = await api.call(
      tenant.token,
      `query ($id: ID!) { webhook(id: $id) {
        exhausted: deliveries(filter: { states: EXHAUSTED }) { nodes { id event { deliveries(filter: { states: EXHAUSTED }) { nodes { id } } } } }
        ticket: deliveries(filter: { eventTypes: ["${TICKET}"] }) { nodes { id } }
      } }`,
      { id: webhookId },
    )
    expect(data.webhook).toEqual({
      exhausted: {
        nodes: [{ id: delivery, event: { deliveries: { nodes: [{ id: delivery }] } } }],
      },
      ticket: { nodes: [] },
    })
  })
})

describe('redeliver', () => {
  test('queues a finished delivery again', async () => {
    await finish(delivery, 'exhausted')
    const { data } = await call('Redeliver', { ids: [delivery] })
    expect(withStableValues(data)).toMatchInlineSnapshot(`
      {
        "redeliver": {
          "__typename": "RedeliverSuccess",
          "deliveries": [
            {
              "id": "msg_1",
              "nextAttemptAt": "TIME",
              "state": "QUEUED",
              "webhook": {
                "url": "https://example.com/hook",
              },
            },
          ],
        },
      }
    `)
    expect(data.redeliver.deliveries[0].id).toBe(delivery)
    expect(api.statements.list.toSorted()).toMatchInlineSnapshot(`
      [
        "authenticate",
        "redeliver",
        "select deliveries",
        "select deliveries",
        "select webhooks",
      ]
    `)
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
