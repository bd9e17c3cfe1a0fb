import { buildSchema, getIntrospectionQuery } from 'graphql'
import { createClient } from 'graphql-sse'
import { expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import type { Scope } from '../../../src/auth/access/scope.ts'
import { createEventType } from '../../../src/event-types/edit-event-type.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { useTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { requirePackages } from '../../support/installed-packages.ts'
import { until } from '../../support/until.ts'

const posthorn = await useTestApp({ role: 'api' })
const url = `${posthorn.app.url}/graphql/events`
const authorization = await keyWith('admin')
const order = { type: 'object', properties: { id: { type: 'string' }, total: { type: 'number' } } }
const state = { enum: ['paid'] }
const count = { type: 'integer', minimum: 0, maximum: 9 }
await createType('order.paid', { type: 'object', properties: { order, state, count } })

/** The header of a new key of the tenant. */
async function keyWith(scope: Scope): Promise<string> {
  const { organizationId } = posthorn.tenant
  const scopes = [scope]
  const { token } = await createApiKey(posthorn.database.prisma, { organizationId, scopes })
  return `Bearer ${token}`
}

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the document
async function send(...request: Parameters<typeof sendForText>): Promise<any> {
  return JSON.parse(await sendForText(...request))
}

async function sendForText(
  query: string,
  variables: object = {},
  headers: Record<string, string> = { authorization },
): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return await response.text()
}

async function createType(name: string, schema: object): Promise<void> {
  const type = { name, description: name, schema: schema as Record<string, unknown> }
  await createEventType(posthorn.database.prisma, type, SYSTEM)
}

async function publish(
  dataText: string,
  type = 'order.paid',
  { organizationId } = posthorn.tenant,
): Promise<string> {
  const [published] = await posthorn.services.publishEvents(organizationId, [{ type, dataText }])
  return published?.id as string
}

function follow(query: string, variables: object = {}, headers: Record<string, string> = {}) {
  const client = createClient({
    url,
    headers: { authorization, ...headers },
    retryAttempts: 0,
  })
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the document
  return client.iterate({ query, variables: { ...variables } }) as AsyncIterableIterator<any>
}

/** The cursor of a new event: a stream after it misses nothing, however late it opens. */
async function newCursor(
  publishOne: () => Promise<unknown> = () => publish('{}'),
  headers: Record<string, string> = {},
): Promise<string> {
  const pull = 'mutation { pullEvents(consumer: "cursors") { events { cursor } } }'
  await send(pull, {}, { authorization, ...headers })
  await publishOne()
  const { data } = await send(pull, {}, { authorization, ...headers })
  return data.pullEvents.events.at(-1).cursor
}

/** The only error of an answer. */
const failed = (code: string, ...path: string[]) => ({
  errors: [{ extensions: { code }, ...(path.length > 0 && { path }) }],
})

const SELECT_TOTAL = '{ id type ... on OrderPaid { order { id total } } }'

test('an event is found by its id, and what is selected keeps its digits', async () => {
  // SQL does not check the schema.
  const { rows } = await posthorn.database.pool.query(
    'select event_id as id from posthorn.publish_event($1, $2, $3)',
    [
      posthorn.tenant.publicOrganizationId,
      'order.paid',
      '{"order":{"id":5},"state":"new","count":3e9}',
    ],
  )
  const loose = `{ event(id: "${rows[0].id}") { ... on OrderPaid { n: count state order { id } } } }`
  expect(await sendForText(loose)).toContain('{"n":3e9,"state":"new","order":{"id":null}}')
  const id = await publish('{"order":{"id":"o\\/1","total":1.0,"tax":2}}')
  const text = await sendForText(`query ($id: ID!) { event(id: $id) ${SELECT_TOTAL} }`, { id })
  expect(text).toContain(
    `"event":{"id":"${id}","type":"order.paid","order":{"id":"o/1","total":1.0}}`,
  )
  const { data, errors } = await send(
    'query ($id: ID!) { a: event(id: $id) { data } event(id: "evt_1") { id } __typename }',
    { id },
  )
  const found = { a: { data: { order: { id: 'o/1', total: 1, tax: 2 } } }, event: null }
  expect({ data, errors }).toEqual({ data: { ...found, __typename: 'Query' } })
})

test(
  'Apollo Client reads an event, with its type',
  await requirePackages('test/apollo'),
  async () => {
    const { readWithApollo } = await import('../../apollo/apollo-events.ts')
    const id = await publish('{}')
    expect(await readWithApollo({ url, headers: { authorization } }, id)).toMatchObject({
      event: { __typename: 'OrderPaid', id, type: 'order.paid' },
    })
    await expect(readWithApollo({ url, headers: {} }, id)).rejects.toThrow('No API key was given')
  },
)

test('a program pulls events and acknowledges them', async () => {
  const pull = `mutation ($filter: JSON) {
    pullEvents(consumer: "graph", types: ["order.*"], filter: $filter, max: 10, lease: 30) {
      __typename lease expiresAt events { cursor ... on OrderPaid { order { total } } }
    }
  }`
  const filter = { path: '$.order.total', op: 'greater', value: 5 }
  const none = { __typename: 'PulledEvents', lease: null, expiresAt: null, events: [] }
  expect((await send(pull, { filter })).data.pullEvents).toEqual(none)
  await publish('{"order":{"total":5}}')
  await publish('{"order":{"total":6}}')
  const { pullEvents } = (await send(pull, { filter })).data
  expect(pullEvents.events).toEqual([
    { cursor: expect.stringMatching(/^\d+\.0$/), order: { total: 6 } },
  ])
  expect(Date.parse(pullEvents.expiresAt)).toBeGreaterThan(Date.now())
  const acknowledge =
    'mutation ($lease: ID!) { acknowledgeEvents(consumer: "graph", lease: $lease) }'
  const { lease } = pullEvents
  expect((await send(acknowledge, { lease })).data).toEqual({ acknowledgeEvents: 1 })
  const unknown = await send(acknowledge, { lease: 'lease_1' })
  expect(unknown).toMatchObject(failed('NOT_FOUND', 'acknowledgeEvents'))
  const invalid = await send('mutation { pullEvents(consumer: "graph", max: 2000) { lease } }')
  expect(invalid).toMatchObject(failed('BAD_USER_INPUT', 'pullEvents'))
})

test('an answer beyond its bound is an error', async () => {
  const id = await publish(`{"order":{"id":"${'x'.repeat(200_000)}"}}`)
  const four = '{ a: data b: data c: data d: data }'
  const ask = (count: number) =>
    Array.from({ length: count }, (_, i) => `e${i}: event(id: $id) ${four}`).join(' ')
  const { data } = await send(`query ($id: ID!) { ${ask(2)} }`, { id })
  expect(data.e1).toEqual(data.e0)
  const beyond = await send(`query ($id: ID!) { ${ask(20)} }`, { id })
  expect(beyond).toMatchObject(failed('LIMIT_EXCEEDED'))
  const pull = '{ pullEvents(consumer: "aliases", from: OLDEST) { lease '
  const aliases = Array.from({ length: 90 }, (_, i) => `a${i}: events { data }`)
  const { data: none, errors } = await send(`mutation ${pull}${aliases.join(' ')} } }`)
  expect([none.pullEvents, errors[0].extensions.code]).toEqual([null, 'LIMIT_EXCEEDED'])
})

test('a pull that waits holds up no other operation of the organization', async () => {
  await send('mutation { pullEvents(consumer: "patient") { lease } }')
  const waiting = send('mutation { pullEvents(consumer: "patient", wait: 20) { events { id } } }')
  const others = Array.from({ length: 4 }, (_, i) =>
    send(`mutation { pullEvents(consumer: "other-${i}") { lease } event: __typename }`),
  )
  for (const { errors } of await Promise.all(others)) expect(errors).toBeUndefined()
  const id = await publish('{}')
  expect((await waiting).data.pullEvents.events).toEqual([{ id }])
})

test('a subscription emits what its document selects, and resumes after a cursor', async () => {
  const stream = follow(
    `subscription ($after: String) { events(types: ["order.*"], after: $after) { cursor ... on OrderPaid { order { total } } } }`,
    { after: await newCursor() },
  )
  await publish('{"order":{"total":1}}')
  await publish('{"order":{"total":2}}')
  const { value } = await stream.next()
  expect(value).toEqual({ data: { events: { cursor: expect.any(String), order: { total: 1 } } } })
  await stream.return?.()
  await until(() => posthorn.services.live.size === 0, 'the stream is closed')
  const resumed = follow(
    'subscription ($after: String) { events(after: $after) { ... on OrderPaid { order { total } } } }',
    { after: value.data.events.cursor },
  )
  expect((await resumed.next()).value).toEqual({ data: { events: { order: { total: 2 } } } })
  await resumed.return?.()
  const gone = follow('subscription { events(after: "0.0") { id } }')
  expect((await gone.next()).value).toMatchObject(failed('RELOAD_REQUIRED'))
})

test('a subscription goes on while the catalogue changes, and the graph has the new type within seconds', async () => {
  const stream = follow(
    'subscription ($after: String) { events(after: $after) { __typename id ... on OrderPaid { order { id } } } }',
    { after: await newCursor() },
  )
  await createType('order.sent', { type: 'object', properties: { parcel: { type: 'string' } } })
  await until(
    async () => (await send('{ __type(name: "OrderSent") { name } }')).data?.__type !== null,
    'the type of the event type',
  )
  const id = await publish('{"parcel":"p1"}', 'order.sent')
  expect((await stream.next()).value).toEqual({
    data: { events: { __typename: 'OtherEvent', id } },
  })
  await publish('{"order":{"id":"o2"}}')
  expect((await stream.next()).value).toMatchObject({
    data: { events: { __typename: 'OrderPaid', order: { id: 'o2' } } },
  })
  await stream.return?.()
})

test('a caller without the scope, and one without a key, read no events', async () => {
  const id = await publish('{}')
  const query = `{ event(id: "${id}") { id } }`
  const without = { authorization: await keyWith('deliveries:read') }
  expect(await send(query, {}, without)).toMatchObject(failed('FORBIDDEN'))
  for (const asked of [query, getIntrospectionQuery()]) {
    expect(await send(asked, {}, {})).toMatchObject(failed('UNAUTHENTICATED'))
  }
  const other = await createTenant(posthorn.database.prisma)
  const ofOther = await send(query, {}, { authorization: `Bearer ${other.token}` })
  expect(ofOther.data).toEqual({ event: null })
})

test('an operator reads and follows the events of the organization that the header names', async () => {
  const named = await createTenant(posthorn.database.prisma)
  const publishToNamed = () => publish('{}', 'order.paid', named)
  const id = await publishToNamed()
  const query = `{ event(id: "${id}") { id } }`
  expect((await send(query)).data).toEqual({ event: null })
  const headers = { 'posthorn-organization': named.publicOrganizationId }
  expect((await send(query, {}, { authorization, ...headers })).data).toEqual({ event: { id } })
  const after = await newCursor(publishToNamed, headers)
  const follower = 'subscription ($after: String) { events(after: $after) { id } }'
  const stream = follow(follower, { after }, headers)
  const followed = await publishToNamed()
  expect((await stream.next()).value).toEqual({ data: { events: { id: followed } } })
  await stream.return?.()
})

test('the definition of the graph is a file, for callers with a key', async () => {
  const file = `${posthorn.app.url}/schema-events.graphql`
  const response = await fetch(file, { headers: { authorization } })
  const text = await response.text()
  const schema = buildSchema(text)
  expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {})).toEqual(['events'])
  expect(text).toContain('type OrderPaid implements Event')
  const etag = response.headers.get('etag') ?? ''
  const again = await fetch(file, { headers: { authorization, 'if-none-match': etag } })
  expect(again.status).toBe(304)
  expect((await fetch(file)).status).toBe(401)
})
