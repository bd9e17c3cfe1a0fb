import { beforeAll, beforeEach, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { createLoadDelivery } from '../../src/deliveries/attempts/load-delivery.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { useApi, useTenant } from '../graphql/support/api.ts'
import { addWebhook, deliveryRow, recordAttempt } from '../graphql/support/rows.ts'
import { finish } from './finish.ts'

const TYPE = 'readers.updated'

let webhookId: string
/** The event that is erased and one that is not, and their deliveries. */
let erased: string
let kept: string
let delivery: string
let other: string

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
  ;[other = '', delivery = ''] = await tenant.deliveryIds()
  await recordAttempt(api.database, delivery, 500)
})

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the operation
const ask = async (query: string, variables: object = {}): Promise<any> =>
  Object.values(await tenant.ask(query, variables))[0]

async function erase(): Promise<void> {
  const input = { eventIds: [erased], unsent: 'CANCEL' }
  const started = await tenant.run('erasure', 'Erase', { input })
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
  expect(await ask(REDELIVER, { id: other })).toMatchObject({ __typename: 'RedeliverSuccess' })
})

test('redeliveries and recoveries of many deliveries leave out erased ones', async () => {
  const count =
    'mutation ($input: RedeliverInput!) { redeliver(input: $input) { ... on RedeliverSuccess { count } } }'
  const since = new Date(Date.now() - 60_000).toISOString()
  const missed = async (of: string) =>
    await ask(count, { input: { missed: { webhookId: of, since }, dryRun: true } })
  await erase()
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

test('why an erased event has no delivery is told without its payload', async () => {
  const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
    ... on CreateWebhookSuccess { webhook { id } } } }`
  const filterText = '{"path":"$.email","op":"equals","value":"eve"}'
  const hook = { url: 'https://example.com/', eventSubscriptions: [TYPE], enabled: true }
  const input = { ...hook, filterText }
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
    message: 'The payload was erased, so the filter cannot be tried on it.',
  })
})

test('a worker loads no payload of an erased event, so that a delivery created meanwhile is canceled', async () => {
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
