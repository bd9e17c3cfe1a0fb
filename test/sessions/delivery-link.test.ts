import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/access/scope.ts'
import { createAuthenticate } from '../../src/api-keys/authenticate.ts'
import { mintId } from '../../src/db/ids.ts'
import { createGraphqlHandler } from '../../src/server/graphql-handler.ts'
import { schema } from '../../src/server/schema.ts'
import { type Api, openApi, readAnswer, request } from '../graphql/support/api.ts'
import { document } from '../graphql/support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from '../graphql/support/rows.ts'

/** Somebody sends a link to one delivery to the people of its receiver. */
let api: Api
let token: string
let organizationId: string
/** The delivery of the link, another one to the same webhook, and their attempts. */
let linked: { delivery: string; attempt: string; event: string }
let sibling: { delivery: string; attempt: string; event: string }
let webhookId: string

beforeAll(async () => {
  api = await openApi()
  ;({ token, organizationId } = await api.tenant(SCOPES))
  webhookId = (await addWebhook(api, organizationId)).id
  sibling = await addDelivery()
  linked = await addDelivery()
})
afterAll(() => api[Symbol.asyncDispose]())

async function addDelivery() {
  const [event = ''] = await publish(api, organizationId)
  const [delivery = ''] = await deliveryIds(api.database, organizationId)
  return { event, delivery, attempt: await addAttempt(api.database, delivery) }
}

async function create(id = linked.delivery, input: object = {}, caller = token) {
  const query = document('portal-sessions', 'CreateDeliveryLink')
  const { data, errors } = await api.call(caller, query, { id, input })
  expect(errors).toBeUndefined()
  return data.createDeliveryLink
}

async function open(id?: string) {
  const { link } = await create(id)
  const { pathname, hash } = new URL(link.url)
  const linkToken = new URLSearchParams(hash.slice(1)).get('token') as string
  return { ...link, pathname, token: linkToken }
}

const LINKS = 'query ($id: ID!) { delivery(id: $id) { links { id expiresAt lastUsedAt } } }'

test('a link reads its delivery, the attempts and the payload, for a day', async () => {
  const link = await open()
  expect(link.pathname).toBe(`/portal/deliveries/${linked.delivery}`)
  const hours = (Date.parse(link.expiresAt) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23.9)
  expect(hours).toBeLessThanOrEqual(24)
  const { data, errors } = await api.call(
    link.token,
    `query ($id: ID!, $attempt: ID!) {
       viewer { scopes portal { webhookId deliveryId } }
       delivery(id: $id) { id eventType { name } event { id body } attempts { nodes { id } } }
       node(id: $attempt) { ... on Attempt { id request { url body } response { status } } }
     }`,
    { id: linked.delivery, attempt: linked.attempt },
  )
  expect(errors).toBeUndefined()
  expect(data.viewer).toEqual({
    scopes: ['deliveries:read', 'events:read'],
    portal: { webhookId, deliveryId: linked.delivery },
  })
  expect(data.delivery).toMatchObject({
    id: linked.delivery,
    event: { id: linked.event },
    attempts: { nodes: [{ id: linked.attempt }] },
  })
  expect(data.node.id).toBe(linked.attempt)
})

test('a link finds no other object, also of the same webhook', async () => {
  const { token: linkToken } = await open()
  const { data, errors } = await api.call(
    linkToken,
    `query ($delivery: ID!, $ids: [ID!]!) { delivery(id: $delivery) { id } nodes(ids: $ids) { id } }`,
    { delivery: sibling.delivery, ids: [...Object.values(sibling), webhookId, linked.event] },
  )
  expect(errors).toBeUndefined()
  expect(data).toEqual({ delivery: null, nodes: [null, null, null, null, null] })
})

/** The fields of the root types that are open to a link. */
const OPEN = ['viewer', 'node', 'nodes', 'delivery', 'webhook', 'event', 'bulkTask']

const fieldsOf = (type: GraphQLObjectType | null | undefined) =>
  Object.values(type?.getFields() ?? {})

test('all other fields are closed to a link, whatever its scopes are', async () => {
  const everything = await handlerWithAllScopes()
  const closed = [
    ...fieldsOf(schema.getQueryType()).map((field) => ['query', field] as const),
    ...fieldsOf(schema.getMutationType()).map((field) => ['mutation', field] as const),
  ].filter(([, { name }]) => !OPEN.includes(name))
  expect(closed.length).toBeGreaterThan(50)
  for (const [kind, field] of closed) {
    const { name, args, type } = field
    const declared = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
    const passed = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
    const named = getNamedType(type)
    const selection = 'getFields' in named || 'getTypes' in named ? '{ __typename }' : ''
    const { data, errors } = await everything(
      `${kind} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selection} }`,
      Object.fromEntries(args.flatMap(requiredValue)),
    )
    expect(data?.[name] ?? null, name).toBeNull()
    expect(errors, name).toMatchObject([
      { message: expect.stringContaining(`restricted to the delivery ${linked.delivery}`) },
    ])
  }
})

test('with every scope, a link still sees only its delivery through all of its fields', async () => {
  const everything = await handlerWithAllScopes()
  const { data, errors } = await everything(
    `query ($id: ID!) { delivery(id: $id) {
       webhook { url deliveries { nodes { id } } } event { deliveries { nodes { id } } }
       attempts { nodes { webhook { url } delivery { id } } } } }`,
    { id: linked.delivery },
  )
  expect(JSON.stringify(data)).not.toContain('example.com')
  expect(JSON.stringify(data)).not.toContain(sibling.delivery)
  expect(errors?.every(({ extensions }) => extensions.code === 'FORBIDDEN')).toBe(true)
  expect(errors?.length).toBeGreaterThan(0)
})

/** A caller with the restriction of a link, and every scope: only the restriction limits it. */
async function handlerWithAllScopes() {
  const { token: linkToken } = await open()
  const own = await createAuthenticate(api.database.pool)(`Bearer ${linkToken}`)
  const authenticate = async () => ({ ...own, scopes: new Set(SCOPES) })
  const handle = createGraphqlHandler({ ...api.deps, authenticate })
  return async (query: string, variables: object) =>
    await readAnswer(await handle(request('any', { query, variables })))
}

/** A value for a required argument or field. */
function requiredValue({ name, type }: { readonly name: string; readonly type: GraphQLInputType }) {
  if (!isNonNullType(type)) return []
  const value = typedValue(getNamedType(type))
  return [[name, isListType(getNullableType(type)) ? [value] : value] as const]
}

function typedValue(type: GraphQLNamedInputType): unknown {
  if (isInputObjectType(type)) {
    return Object.fromEntries(Object.values(type.getFields()).flatMap(requiredValue))
  }
  if (isEnumType(type)) return type.getValues()[0]?.name
  return VALUES[type.name] ?? linked.delivery
}

const VALUES: Readonly<Record<string, unknown>> = {
  DateTime: new Date().toISOString(),
  Int: 1,
  Boolean: true,
  Scope: 'webhooks:read',
}

test('links are listed until they are revoked, which ends them at once', async () => {
  const link = await open(sibling.delivery)
  const read = () => api.call(link.token, '{ viewer { scopes } }')
  expect((await read()).errors).toBeUndefined()
  const listed = async () =>
    (await api.call(token, LINKS, { id: sibling.delivery })).data.delivery.links
  expect(await listed()).toMatchObject([{ id: link.id, expiresAt: link.expiresAt }])
  await api.call(token, document('api-keys', 'RevokeApiKey'), { id: link.id })
  expect((await read()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  expect(await listed()).toEqual([])
})

test('a link that has expired opens nothing', async () => {
  const link = await open()
  await api.database.pool.query(
    `update posthorn.api_keys set expires_at = now() - interval '1 second' where name = $1`,
    [`Link to ${linked.delivery}`],
  )
  const { errors } = await api.call(link.token, '{ viewer { scopes } }')
  expect(errors).toMatchObject([{ message: expect.stringContaining('is expired') }])
})

test('the audit log says which delivery a link is for', async () => {
  const link = await open()
  const { rows } = await api.database.pool.query(
    'select action, after from posthorn.audit_log where subject_id = $1',
    [link.id],
  )
  expect(rows).toMatchObject([
    { action: 'portal_session.created', after: { deliveryId: linked.delivery, webhookId } },
  ])
})

test('what is no delivery of the organization, or too long, is rejected with the reason', async () => {
  expect(await create(mintId('delivery'))).toMatchObject({ __typename: 'NotFoundError' })
  const { token: stranger } = await api.tenant(SCOPES)
  expect(await create(linked.delivery, {}, stranger)).toMatchObject({
    __typename: 'NotFoundError',
  })
  expect(await create(linked.delivery, { ttlSeconds: 86_401 })).toMatchObject({
    __typename: 'ValidationError',
    issues: [{ message: expect.stringContaining('from 60 to 86,400') }],
  })
})

test('a key without the scopes cannot create a link', async () => {
  const { token: reader } = await api.tenant(['deliveries:read', 'events:read'])
  const query = document('portal-sessions', 'CreateDeliveryLink')
  const { errors } = await api.call(reader, query, { id: linked.delivery, input: {} })
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})
