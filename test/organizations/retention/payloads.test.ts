import { beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { createRecordAttempt } from '../../../src/deliveries/attempts/record-attempt.ts'
import { eraseUnkeptPayloads } from '../../../src/deliveries/erase-unkept-payloads.ts'
import { saveOrganization } from '../../../src/organizations/organization.ts'
import { updateWebhook } from '../../../src/webhooks/save-webhook.ts'
import { useApi, useTenant } from '../../graphql/support/api.ts'
import { deliveryRow } from '../../graphql/support/rows.ts'
import { attemptOf } from '../../support/attempts.ts'

let webhook: string

const api = await useApi()
const tenant = useTenant(api)

beforeEach(async () => {
  await api.database.pool.query('delete from posthorn.unkept_payloads')
  webhook = (await tenant.addWebhook()).id
})

const keepNoPayloads = () =>
  saveOrganization(
    api.database.prisma,
    { id: publicId('organization', tenant.organizationId) },
    { keepPayloads: false },
    SYSTEM,
  )
const erase = () => eraseUnkeptPayloads(api.database.pool)

/** The queued payloads, and how long after the end of its delivery each is due. */
async function queued(): Promise<{ seconds: number }[]> {
  const { rows } = await api.database.pool.query(
    `select extract(epoch from u.due_at - d.finished_at)::int as seconds from posthorn.unkept_payloads as u
     left join posthorn.deliveries as d on d.event_id = u.event_id
     where u.organization_id = $1 order by u.due_at`,
    [tenant.organizationId],
  )
  return rows
}

/** The delivery of an event to a webhook. */
async function deliveryOf(eventId: string, webhookId = webhook): Promise<string> {
  const row = await api.database.prisma.delivery.findFirstOrThrow({
    where: {
      eventId: parseId('event', eventId) as string,
      webhookId: parseId('webhook', webhookId) as string,
    },
  })
  return publicId('delivery', row.id)
}

/** Records an attempt of a worker that has read the settings before. */
async function answer(deliveryId: string, status = 200, keepsPayload = false) {
  const row = await deliveryRow(api.database, deliveryId)
  const record = createRecordAttempt(api.database.pool)
  await record(attemptOf(row, status, { keepsPayload }))
}

async function eventOf(id: string) {
  const query = `query ($id: ID!) { event(id: $id) {
    dataText data body preview payloadState unkeptBytes erasedAt
    deliveries(first: 5) { nodes { id webhookId state payloadState body
      attempts(first: 5) { nodes { request { body } response { status body unkeptBodyBytes } } } } } } }`
  return (await tenant.ask(query, { id })).event
}

async function redeliver(id: string) {
  const mutation = `mutation ($id: ID!) { redeliver(input: { ids: [$id] }) {
    __typename ... on UserError { code message } } }`
  return (await tenant.ask(mutation, { id })).redeliver
}

describe('an organization that keeps no payloads', () => {
  beforeEach(() => keepNoPayloads())

  test('keeps the payload until the delivery has succeeded, and its size afterwards', async () => {
    const [id = ''] = await tenant.publish()
    expect(await erase()).toBe(0)
    expect(await eventOf(id)).toMatchObject({ dataText: '{"i":0}', payloadState: 'KEPT' })
    const delivery = await deliveryOf(id)
    await answer(delivery)
    expect(await erase()).toBe(1)
    const { deliveries, ...event } = await eventOf(id)
    expect(event).toMatchObject({ dataText: null, data: null, body: null, preview: null })
    expect(event).toMatchObject({ payloadState: 'NOT_KEPT', unkeptBytes: 7 })
    const [{ attempts, ...erased }] = deliveries.nodes
    expect(erased).toMatchObject({ state: 'SUCCEEDED', payloadState: 'NOT_KEPT', body: null })
    expect(attempts.nodes).toMatchObject([
      { request: { body: null }, response: { status: 200, body: 'ok' } },
    ])
    expect(await queued()).toEqual([])
  })

  test('can redeliver an exhausted delivery for seven days, and then no more', async () => {
    const [id = ''] = await tenant.publish()
    const delivery = await deliveryOf(id)
    await answer(delivery, 500)
    expect(await queued()).toEqual([{ seconds: 7 * 86_400 }])
    expect(await erase()).toBe(0)
    expect((await eventOf(id)).payloadState).toBe('KEPT')
    expect(await redeliver(delivery)).toMatchObject({ __typename: 'RedeliverSuccess' })

    await answer(delivery, 500)
    await api.database.pool.query(
      `update posthorn.deliveries set finished_at = finished_at - interval '7 days' where id = $1`,
      [parseId('delivery', delivery)],
    )
    await api.database.pool.query('update posthorn.unkept_payloads set due_at = now()')
    expect(await erase()).toBe(1)
    expect(await redeliver(delivery)).toEqual({
      __typename: 'ConflictError',
      code: 'conflict',
      message: `The payload of the delivery ${delivery} is not kept after the delivery, because keepPayloads of the organization or the webhook is false, so the delivery cannot be redelivered. Publish the event again.`,
    })
  })

  test('keeps a payload that another delivery still needs', async () => {
    const other = (await tenant.addWebhook()).id
    const [id = ''] = await tenant.publish()
    const first = await deliveryOf(id)
    await answer(first)
    expect(await erase()).toBe(0)
    const event = await eventOf(id)
    expect(event).toMatchObject({ payloadState: 'KEPT', dataText: '{"i":0}' })
    // The body of a delivery that is over is not shown, although its event is still there.
    const shown = event.deliveries.nodes.map((node: { id: string; body: string | null }) => [
      node.id === first,
      node.body !== null,
    ])
    expect(shown.toSorted()).toEqual([
      [false, true],
      [true, false],
    ])
    await answer(await deliveryOf(id, other))
    expect(await erase()).toBe(1)
  })

  test('erases older events that nobody received, and none of the last seven days', async () => {
    const [young = ''] = await tenant.publish()
    const { rows } = await api.database.pool.query(
      `insert into posthorn.events (id, organization_id, type, occurred_at, data)
       values (posthorn.uuid_v7_lower_bound(now() - interval '8 days'), $1, 'x', now(), '{"old":true}') returning id`,
      [tenant.organizationId],
    )
    expect(await erase()).toBe(1)
    const old = await api.database.prisma.event.findFirstOrThrow({ where: { id: rows[0].id } })
    expect(old).toMatchObject({ data: 'null', unkeptBytes: 12 })
    expect((await eventOf(young)).payloadState).toBe('KEPT')
  })
})

test('a webhook that keeps no payloads leaves them to one that keeps them, and neither shows nor redelivers them', async () => {
  await updateWebhook(api.deps.webhooks, tenant.organizationId, webhook, { keepPayloads: false })
  const other = (await tenant.addWebhook()).id
  const [id = ''] = await tenant.publish()
  const [own, kept] = [await deliveryOf(id), await deliveryOf(id, other)]
  await answer(own)
  await answer(kept, 200, true)
  expect(await erase()).toBe(0)
  const { payloadState, dataText, deliveries } = await eventOf(id)
  expect({ payloadState, dataText }).toEqual({ payloadState: 'KEPT', dataText: '{"i":0}' })
  const byId = new Map(deliveries.nodes.map((node: { id: string }) => [node.id, node]))
  expect(byId.get(own)).toMatchObject({ payloadState: 'NOT_KEPT', body: null })
  expect(byId.get(kept)).toMatchObject({
    payloadState: 'KEPT',
    body: expect.stringContaining('{"i":0}'),
  })
  expect(await redeliver(own)).toMatchObject({ code: 'conflict' })
  expect(await redeliver(kept)).toMatchObject({ __typename: 'RedeliverSuccess' })
})
