import { beforeAll, beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createLoadDelivery } from '../../src/deliveries/attempts/load-delivery.ts'
import { createRecordAttempt } from '../../src/deliveries/attempts/record-attempt.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { useApi, useTenant } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addWebhook, deliveryIds, deliveryRow } from '../graphql/support/rows.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { finish } from './finish.ts'

const TYPE = 'readers.updated'

let webhookId: string
/** The event that is erased, its delivery, and an event that is not. */
let erased: string
let delivery: string
let kept: string

const api = await useApi()
const tenant = useTenant(api)

beforeAll(async () => {
  const type = { name: TYPE, description: 'A customer changed', searchKeys: ['$.email'] }
  await createEventType(api.database.prisma, type, SYSTEM)
})
beforeEach(async () => {
  webhookId = (await addWebhook(api, tenant.organizationId, { eventType: TYPE })).id
  const events = ['ada', 'bob'].map((name) => ({
    type: TYPE,
    data: { email: name, is: 'payload' },
  }))
  const published = await api.deps.publishEvents(tenant.organizationId, events)
  ;[erased = '', kept = ''] = published.map(({ id }) => id)
  const row = await api.database.prisma.delivery.findFirstOrThrow({
    where: { eventId: parseId('event', erased) as string },
  })
  delivery = (await deliveryIds(api.database, tenant.organizationId)).find(
    (id) => parseId('delivery', id) === row.id,
  ) as string
  const record = createRecordAttempt(api.database.pool, SENDER)
  await record(attemptOf(await deliveryRow(api.database, delivery), 500))
})

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the operation
async function ask(query: string, variables: Record<string, unknown> = {}): Promise<any> {
  const { data, errors } = await api.call(tenant.token, query, variables)
  expect(errors).toBeUndefined()
  return Object.values(data)[0]
}

async function erase(): Promise<void> {
  const input = { eventIds: [erased], unsent: 'CANCEL' }
  const started = await ask(document('erasure', 'Erase'), { input })
  await finish(api, started.task.id)
}

const REDELIVER = `mutation ($id: ID!) {
  redeliver(input: { ids: [$id] }) { __typename ... on UserError { message } } }`

test('an erased delivery is not redelivered, and the answer says why; another one is', async () => {
  await erase()
  expect(await ask(REDELIVER, { id: delivery })).toEqual({
    __typename: 'ConflictError',
    message: `The payload of the delivery ${delivery} was erased, so the delivery cannot be redelivered.`,
  })
  expect(await deliveryRow(api.database, delivery)).toMatchObject({ state: 'exhausted' })
  const [other = ''] = (await deliveryIds(api.database, tenant.organizationId)).filter(
    (id) => id !== delivery,
  )
  expect(await ask(REDELIVER, { id: other })).toMatchObject({ __typename: 'RedeliverSuccess' })
})

test('redeliveries and recoveries of many deliveries leave out erased ones', async () => {
  const count =
    'mutation ($input: RedeliverInput!) { redeliver(input: $input) { ... on RedeliverSuccess { count } } }'
  const input = { ids: [delivery], dryRun: true }
  expect(await ask(count, { input })).toEqual({ count: 1 })
  const since = new Date(Date.now() - 60_000).toISOString()
  const missed = async (of: string) =>
    await ask(count, { input: { missed: { webhookId: of, since }, dryRun: true } })
  await erase()
  expect(await ask(count, { input })).toEqual({ count: 0 })
  expect(await missed(webhookId)).toEqual({ count: 0 })
  const { id: later } = await addWebhook(api, tenant.organizationId, { eventType: TYPE })
  expect(await missed(later)).toEqual({ count: 1 })
})

test('a filter or a body is tried on the events that are not erased', async () => {
  const filter = `{ testFilter(eventSubscriptions: ["${TYPE}"], filter: { path: "$.email", op: "exists" }) { events { event { id } } } }`
  const body = `{ testBody(eventSubscriptions: ["${TYPE}"], template: "{}") { bodies { event { id } } } }`
  expect((await ask(filter)).events).toHaveLength(2)
  await erase()
  expect(await ask(filter)).toEqual({ events: [{ event: { id: kept } }] })
  expect(await ask(body)).toEqual({ bodies: [{ event: { id: kept } }] })
})

test('a search key finds no erased event', async () => {
  const find = '{ events(filter: { key: { path: "$.email", equals: "ada" } }) { nodes { id } } }'
  expect((await ask(find)).nodes).toHaveLength(1)
  await erase()
  expect((await ask(find)).nodes).toEqual([])
})

test('why an erased event has no delivery is told without its payload', async () => {
  const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
    ... on CreateWebhookSuccess { webhook { id } } } }`
  const filterText = '{"path":"$.email","op":"equals","value":"eve"}'
  const input = {
    url: 'https://example.com/',
    eventSubscriptions: [TYPE],
    enabled: true,
    filterText,
  }
  const { id: filtering } = (await ask(create, { input })).webhook
  await api.database.pool.query(
    `update posthorn.webhooks set created_at = now() - interval '1 hour' where id = $1`,
    [parseId('webhook', filtering)],
  )
  const why = `{ whyNotDelivered(eventId: "${erased}", webhookId: "${filtering}") { reason message } }`
  expect(await ask(why)).toMatchObject({ reason: 'FILTERED_OUT' })
  await erase()
  expect(await ask(why)).toEqual({
    reason: 'ERASED',
    message:
      'The payload of the event was erased, so the filter of the webhook cannot be tried on it.',
  })
})

test('a worker loads no payload of an erased event, so that a delivery created meanwhile is canceled', async () => {
  const [other = ''] = (await deliveryIds(api.database, tenant.organizationId)).filter(
    (id) => id !== delivery,
  )
  const load = createLoadDelivery(api.database.pool)
  const uuid = parseId('delivery', other) as string
  expect(await load(uuid)).toMatchObject({ data: expect.stringContaining('payload') })
  await api.database.pool.query(
    `update posthorn.events set data = 'null', erased_at = now()
     where id = (select event_id from posthorn.deliveries where id = $1)`,
    [uuid],
  )
  expect(await load(uuid)).toMatchObject({ data: null, dataBytes: null })
})
