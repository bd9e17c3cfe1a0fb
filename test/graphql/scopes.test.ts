import {
  type GraphQLObjectType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import type { Scope } from '../../src/access/scope.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { printSchemaWithDirectives } from '../../src/graphql/print-schema.ts'
import { schema } from '../../src/server/schema.ts'
import { ALL_SCOPES, JOINED } from '../support/factories.ts'
import { type Api, openApi, request } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'

let api: Api
let all: Awaited<ReturnType<Api['tenant']>>
let variables: Record<string, unknown>

beforeAll(async () => {
  api = await openApi()
  await updateEventType(api.database.prisma, JOINED, { searchKeys: ['$.order.id'] }, SYSTEM)
  all = await api.tenant()
  const { id: webhook } = await addWebhook(api, all.organizationId, { headers: { 'X-Key': 'abc' } })
  const [event = ''] = await publish(api, all.organizationId)
  const [delivery = ''] = await deliveryIds(api.database, all.organizationId)
  const attempt = await addAttempt(api.database, delivery)
  variables = {
    ...{ webhook, event, delivery, attempt },
    task: await addTask(webhook),
  }
})
afterAll(() => api[Symbol.asyncDispose]())

async function addTask(webhook: string): Promise<string> {
  const { id } = await api.database.prisma.bulkTask.create({
    data: {
      organizationId: all.organizationId,
      webhookId: parseId('webhook', webhook),
      action: 'redeliver',
      selection: { filter: {} },
      ratePerSecond: 1,
      total: 1,
      totalIsExact: true,
    },
  })
  return publicId('bulkTask', id)
}

/** A key of the same organization. */
async function keyWith(scopes: readonly Scope[]): Promise<string> {
  const other = await api.tenant(scopes)
  await api.database.prisma.apiKey.updateMany({
    where: { id: other.keyId },
    data: { organizationId: all.organizationId },
  })
  return other.token
}

const KEY = '{ key: { path: "$.order.id", equals: "1" } }'

const STATISTICS = 'statistics(since: "2026-01-31T12:00:00Z", bucket: DAY) { attempts }'

const QUERIES: [Scope, string][] = [
  ['keys:manage', '{ apiKeys { nodes { id } } }'],
  ['keys:manage', '{ auditLog { nodes { id } } }'],
  ['webhooks:read', 'query ($webhook: ID!) { webhook(id: $webhook) { id } }'],
  ['webhooks:read', '{ webhooks { nodes { id } } }'],
  ['webhooks:read', '{ incidents { nodes { id } } }'],
  ['webhooks:read', '{ incidents { nodes { webhook { id } } } }'],
  ['webhooks:read', 'query ($webhook: ID!) { webhook(id: $webhook) { openIncident { id } } }'],
  ['events:read', '{ consumers { nodes { id } } }'],
  ['events:read', '{ consumer(name: "a") { id } }'],
  ['webhooks:read', '{ noticeAddresses { id } }'],
  ['webhooks:read', '{ defaultSettings { maxAttempts } }'],
  ['webhooks:read', 'query ($webhook: ID!) { node(id: $webhook) { id } }'],
  ['webhooks:read', 'query ($webhook: ID!) { nodes(ids: [$webhook]) { id } }'],
  ['webhooks:read', 'query ($delivery: ID!) { delivery(id: $delivery) { webhook { id } } }'],
  ['secrets:read', 'query ($webhook: ID!) { webhook(id: $webhook) { signingSecret { key } } }'],
  [
    'secrets:read',
    'query ($webhook: ID!) { webhook(id: $webhook) { expiringSigningSecrets { key } } }',
  ],
  ['events:read', 'query ($event: ID!) { event(id: $event) { id } }'],
  ['events:read', '{ events { nodes { id } } }'],
  ['events:read', '{ events(filter: { contains: "a" }) { nodes { id } } }'],
  ['events:read', `{ events(filter: ${KEY}) { nodes { id } } }`],
  ['events:read', `{ deliveries(filter: ${KEY}) { nodes { id } } }`],
  ['deliveries:read', `{ deliveries(filter: ${KEY}) { nodes { id } } }`],
  ['events:read', 'query ($event: ID!) { node(id: $event) { id } }'],
  ['events:read', 'query ($delivery: ID!) { delivery(id: $delivery) { event { id } } }'],
  ['deliveries:read', 'query ($delivery: ID!) { delivery(id: $delivery) { id } }'],
  ['deliveries:read', '{ deliveries { nodes { id } } }'],
  ['deliveries:read', '{ attempts { nodes { id } } }'],
  ['events:read', '{ events(filter: { value: "1" }) { nodes { id } } }'],
  ['events:read', '{ testFilter(eventSubscriptions: ["*"]) { tested events { event { id } } } }'],
  ['events:read', '{ testBody(eventSubscriptions: ["*"]) { bodies { event { id } } } }'],
  ['events:read', 'query ($delivery: ID!) { delivery(id: $delivery) { body } }'],
  [
    'deliveries:read',
    'query ($event: ID!, $webhook: ID!) { whyNotDelivered(eventId: $event, webhookId: $webhook) { reason delivery { id } } }',
  ],
  ['deliveries:read', '{ bulkTasks { nodes { id } } }'],
  ['data:erase', '{ erasures { nodes { id } } }'],
  ['deliveries:read', '{ bulkTask(id: "task_x") { id } }'],
  [
    'deliveries:read',
    '{ failures(filter: { since: "2026-01-31T12:00:00Z" }) { nodes { cause } } }',
  ],
  [
    'webhooks:read',
    '{ failures(filter: { since: "2026-01-31T12:00:00Z" }) { nodes { webhook { id } } } }',
  ],
  ['webhooks:read', '{ attempts { nodes { webhook { id } } } }'],
  [
    'deliveries:read',
    'query ($webhook: ID!) { webhook(id: $webhook) { attempts { nodes { id } } } }',
  ],
  ['deliveries:read', 'query ($webhook: ID!) { webhook(id: $webhook) { lastFailure { id } } }'],
  ['deliveries:read', 'query ($webhook: ID!) { webhook(id: $webhook) { backlog { count } } }'],
  [
    'webhooks:read',
    'query ($webhook: ID!) { webhook(id: $webhook) { effectiveSettings { maxAttempts } } }',
  ],
  ['deliveries:read', 'query ($delivery: ID!) { node(id: $delivery) { id } }'],
  ['deliveries:read', 'query ($attempt: ID!) { node(id: $attempt) { id } }'],
  [
    'deliveries:read',
    'query ($webhook: ID!) { webhook(id: $webhook) { deliveries { nodes { id } } } }',
  ],
  ['deliveries:read', 'query ($event: ID!) { event(id: $event) { deliveries { nodes { id } } } }'],
  ['deliveries:read', 'query ($event: ID!) { event(id: $event) { deliveryCounts { total } } }'],
  ['keys:manage', '{ frontendSessions { nodes { id } } }'],
  ['deliveries:read', '{ attempts { nodes { delivery { id } } } }'],
  ['events:read', '{ attempts { nodes { request { body } } } }'],
  [
    'deliveries:read',
    'query ($delivery: ID!) { delivery(id: $delivery) { attempts { nodes { id } } } }',
  ],
  [
    'deliveries:read',
    '{ failures(filter: { since: "2026-01-31T12:00:00Z" }) { nodes { sample { id } } } }',
  ],
  ['deliveries:read', 'query ($task: ID!) { node(id: $task) { id } }'],
  ['webhooks:read', 'query ($task: ID!) { bulkTask(id: $task) { webhook { id } } }'],
  ['deliveries:read', `{ ${STATISTICS} }`],
  ['deliveries:read', `query ($webhook: ID!) { webhook(id: $webhook) { ${STATISTICS} } }`],
  ['deliveries:read', '{ deliveryHealth { onTimeRate } }'],
  ['deliveries:read', 'query ($webhook: ID!) { webhook(id: $webhook) { health { state } } }'],
  [
    'deliveries:read',
    'query ($webhook: ID!) { webhook(id: $webhook) { backlog { oldest { id } } } }',
  ],
  [
    'events:read',
    `mutation { publishEvent(input: { type: "${JOINED}", data: {} }) {
       ... on PublishEventSuccess { publishedEvent { event { id } } } } }`,
  ],
]

/** The same of the organization of the caller, where a query begins with a field that `Organization` has too. */
const QUERIES_OF_ORGANIZATION = QUERIES.flatMap(([scope, query]): typeof QUERIES => {
  const [, before, selection = '', name = ''] = query.match(/^([^{]*)\{(\s*(\w+).*)\}$/s) ?? []
  const type = schema.getType('Organization')
  if (!isObjectType(type) || !(name in type.getFields())) return []
  return [[scope, `${before}{ viewer { organization {${selection}} } }`]]
})

describe.each([...QUERIES, ...QUERIES_OF_ORGANIZATION])('without %s, %s', (scope, query) => {
  test('is rejected and names the scope; it works with the scope and with admin', async () => {
    const lacking = await keyWith(ALL_SCOPES.filter((other) => other !== scope))
    const rejected = await api.call(lacking, query, variables)
    expect(rejected.status).toBe(200)
    expect(rejected.errors).toMatchObject([
      {
        message: `The API key lacks the scope ${scope}. Use a key that has it.`,
        extensions: { code: 'FORBIDDEN' },
      },
    ])
    for (const token of [all.token, await keyWith(['admin'])]) {
      const { errors } = await api.call(token, query, variables)
      expect(errors).toBeUndefined()
    }
  })
})

const OPERATORS_QUERIES = [
  '{ organizations { nodes { id } } }',
  '{ operationalEvents { enabled } }',
  '{ organization(id: "org_x") { id } }',
  '{ organization(uid: "acme") { id } }',
  '{ organizationDeletions { nodes { organizationId } } }',
]

test.each(OPERATORS_QUERIES)('without admin, %s is rejected', async (query) => {
  const rejected = await api.call(all.token, query)
  expect(Object.values(rejected.data)).toEqual([null])
  expect(rejected.errors).toMatchObject([
    {
      message: expect.stringContaining('lacks the scope admin'),
      extensions: { code: 'FORBIDDEN' },
    },
  ])
  const { errors } = await api.call(await keyWith(['admin']), query)
  expect(errors).toBeUndefined()
})

const MUTATIONS: [Scope, string, string, Record<string, unknown>][] = [
  [
    'webhooks:write',
    'webhooks',
    'CreateWebhook',
    { input: { url: 'https://example.com', eventSubscriptions: [JOINED] } },
  ],
  ['webhooks:write', 'webhooks', 'UpdateWebhook', { id: 'wh_x', input: {} }],
  ['webhooks:write', 'webhooks', 'DeleteWebhook', { id: 'wh_x' }],
  ['secrets:rotate', 'webhooks', 'RotateSigningSecret', { id: 'wh_x' }],
  ['secrets:read', 'webhooks', 'RevealHeaders', { id: 'wh_x' }],
  ['events:publish', 'events', 'PublishEvent', { input: { type: JOINED, data: {} } }],
  ['events:publish', 'events', 'PublishEvents', { input: { events: [] } }],
  ['deliveries:write', 'deliveries', 'Redeliver', { ids: ['msg_x'] }],
  ['deliveries:write', 'bulk-tasks', 'CancelDeliveries', { input: { ids: ['msg_x'] } }],
  ['deliveries:write', 'bulk-tasks', 'CancelBulkTask', { id: 'task_x' }],
  ['data:erase', 'erasure', 'Erase', { input: { eventIds: ['evt_x'], unsent: 'CANCEL' } }],
  ['deliveries:write', 'deliveries', 'TestDelivery', { id: 'wh_x', input: { eventType: JOINED } }],
  [
    'deliveries:write',
    'bulk-tasks',
    'RedeliverInBackground',
    { input: { missed: { webhookId: 'wh_x', since: '2026-01-31T12:00:00Z' } } },
  ],
  ['deliveries:write', 'webhooks', 'ProbeWebhook', { id: 'wh_x' }],
  ['deliveries:write', 'webhooks', 'ResumeWebhook', { id: 'wh_x' }],
  ['keys:manage', 'api-keys', 'CreateApiKey', { input: { scopes: ['webhooks:read'] } }],
  ['keys:manage', 'api-keys', 'UpdateApiKey', { id: 'key_x', input: {} }],
  ['keys:manage', 'api-keys', 'RevokeApiKey', { id: 'key_x' }],
  [
    'keys:manage',
    'portal-sessions',
    'CreatePortalSession',
    { input: { scopes: ['webhooks:read'] } },
  ],
  [
    'keys:manage',
    'frontend-sessions',
    'CreateFrontendSession',
    { input: { scopes: ['webhooks:read'] } },
  ],
  ['keys:manage', 'frontend-sessions', 'RenewFrontendSession', { id: 'key_x', input: {} }],
  ['admin', 'event-types', 'CreateEventType', { input: { name: 'a', description: 'A' } }],
  ['admin', 'event-types', 'UpdateEventType', { id: `type_${JOINED}`, input: {} }],
  ['admin', 'event-types', 'ArchiveEventType', { id: `type_${JOINED}` }],
  ['admin', 'event-types', 'UnarchiveEventType', { id: `type_${JOINED}` }],
  ['admin', 'organizations', 'CreateOrganization', { input: { name: 'A' } }],
  ['webhooks:write', 'incidents', 'AcknowledgeIncident', { id: 'inc_x', acknowledged: true }],
  ['webhooks:write', 'consumers', 'DeleteConsumer', { id: 'con_x' }],
  ['webhooks:write', 'notices', 'SetNoticeAddress', { input: { email: 'x', kinds: [] } }],
  ['webhooks:write', 'notices', 'RemoveNoticeAddress', { id: 'addr_x' }],
  ['admin', 'notices', 'SetOperationalEvents', { input: { enabled: true } }],
  ['admin', 'organizations', 'UpdateOrganization', { id: 'org_x', input: { name: 'A' } }],
  ['admin', 'organizations', 'UpsertOrganization', { uid: 'a', input: { name: 'A' } }],
  [
    'webhooks:write',
    'webhooks',
    'UpsertWebhook',
    { uid: 'a', input: { url: 'https://example.com', eventSubscriptions: [JOINED] } },
  ],
  ['admin', 'organizations', 'DeleteOrganization', { id: 'org_x', input: { force: false } }],
]

test.each(MUTATIONS)(
  'without %s, %s/%s is rejected and does nothing',
  async (scope, file, name, input) => {
    const lacking = await keyWith(ALL_SCOPES.filter((other) => other !== scope))
    const { data, errors } = await api.call(lacking, document(file, name), input)
    expect(Object.values(data)).toEqual([null])
    expect(errors).toMatchObject([
      { message: expect.stringContaining(scope), extensions: { code: 'FORBIDDEN' } },
    ])
    expect(api.statements.list).toEqual(['authenticate'])
    const unauthenticated = await api.call(null, document(file, name), input)
    expect(unauthenticated.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  },
)

test('fields beside a rejected field are still returned', async () => {
  const token = await keyWith(['webhooks:read'])
  const { data, errors } = await api.call(
    token,
    '{ webhooks(last: 1) { nodes { url signingSecret { key } } } events { nodes { id } } }',
  )
  expect(data).toEqual({
    webhooks: { nodes: [{ url: 'https://example.com/hook', signingSecret: null }] },
    events: null,
  })
  expect(errors).toHaveLength(2)
})

test('webhooks:read shows the names of custom headers, and only secrets:read their values', async () => {
  const query = '{ webhooks(last: 1) { nodes { id headerNames } } }'
  const { data } = await api.call(await keyWith(['webhooks:read']), query)
  const [{ id, headerNames }] = data.webhooks.nodes
  expect(headerNames).toEqual(['X-Key'])
  const revealing = document('webhooks', 'RevealHeaders')
  const revealed = await api.call(await keyWith(['secrets:read']), revealing, { id })
  expect(revealed.data.revealHeaders.headers).toEqual([{ name: 'X-Key', value: 'abc' }])
})

test('a caller that may write gets the written object without further scopes', async () => {
  const token = await keyWith(['webhooks:write', 'secrets:rotate', 'events:publish'])
  const input = {
    url: 'https://example.com',
    eventSubscriptions: [JOINED],
    headers: [{ name: 'X-Key', value: 'abc' }],
  }
  const { data, errors } = await api.call(token, document('webhooks', 'CreateWebhook'), { input })
  expect(errors).toBeUndefined()
  expect(data.createWebhook.webhook).toMatchObject({
    url: 'https://example.com',
    headerNames: ['X-Key'],
  })
  const { id } = data.createWebhook.webhook
  const rotated = await api.call(token, document('webhooks', 'RotateSigningSecret'), { id })
  expect(rotated.data.rotateSigningSecret.signingSecret.key).toMatch(/^whsec_/)
  const published = await api.call(token, document('events', 'PublishEvent'), {
    input: { type: JOINED, data: {} },
  })
  expect(published.data.publishEvent.publishedEvent).toMatchObject({
    duplicate: false,
    event: null,
  })
  expect(published.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})

const SUBSCRIPTIONS: [Scope, string][] = [
  ['deliveries:read', 'subscription { attemptRecorded { id } }'],
  ['deliveries:read', 'subscription { deliveryFinished { id } }'],
  ['webhooks:read', 'subscription { webhookHealthChanged { webhook { id } } }'],
]

test.each(SUBSCRIPTIONS)(
  'without %s, %s is rejected; it begins with the scope',
  async (scope, query) => {
    const subscribe = async (token: string) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
      }
      return await api.handle(request(null, { query, variables }, { headers }))
    }
    const lacking = await keyWith(ALL_SCOPES.filter((other) => other !== scope))
    const rejected = await (await subscribe(lacking)).text()
    expect(rejected).toContain(`lacks the scope ${scope}.`)
    expect(rejected).toContain('"FORBIDDEN"')
    for (const token of [all.token, await keyWith(['admin'])]) {
      const reader = (await subscribe(token)).body?.getReader()
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n')
      await reader?.cancel()
    }
  },
)

/** The scopes that `@requiresScopes` names in the printed schema, by `Type.field`. */
const requirements = parse(printSchemaWithDirectives(schema)).definitions.flatMap((definition) => {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return []
  return (definition.fields ?? []).map(({ name, directives }) => {
    const directive = directives?.find((one) => one.name.value === 'requiresScopes')
    const lists = directive?.arguments?.map(({ value }) => valueFromASTUntyped(value))[0]
    return {
      field: `${definition.name.value}.${name.value}`,
      lists: (lists ?? []) as readonly (readonly Scope[])[],
    }
  })
})

/** The fields that a document selects, as `Type.field`. */
function fieldsOf(query: string): string[] {
  const fields: string[] = []
  const types = new TypeInfo(schema)
  const visitor = {
    Field: () => void fields.push(`${types.getParentType()}.${types.getFieldDef()?.name}`),
  }
  visit(parse(query), visitWithTypeInfo(types, visitor))
  return fields
}

test('this file covers every field that needs a scope, with that scope', () => {
  const tested = [
    ...QUERIES,
    ...QUERIES_OF_ORGANIZATION,
    ...SUBSCRIPTIONS,
    ...OPERATORS_QUERIES.map((query) => ['admin', query] as const),
    ...MUTATIONS.map(([scope, file, name]) => [scope, document(file, name)] as const),
  ].flatMap(([scope, query]) => fieldsOf(query).map((field) => `${scope} ${field}`))
  const needed = requirements.flatMap(({ field, lists: [scopes = []] }) =>
    scopes.map((scope) => `${scope} ${field}`),
  )
  expect(needed.length).toBeGreaterThan(60)
  expect(needed.filter((one) => !tested.includes(one))).toEqual([])
  // The tests above call with `admin` too.
  const others = requirements.filter(
    ({ lists }) => lists.length > 0 && !lists.at(-1)?.includes('admin'),
  )
  expect(others).toEqual([])
})

test('only these root fields need no scope', () => {
  const open = requirements.filter(
    ({ field, lists }) => /^(Query|Mutation|Subscription)\./.test(field) && lists.length === 0,
  )
  expect(open.map(({ field }) => field).toSorted()).toEqual([
    'Query.eventTypes',
    'Query.node',
    'Query.nodes',
    'Query.viewer',
  ])
})

test('every field that leads to objects of an organization declares its scope', () => {
  const protectedTypes = /^(Webhook|Event|Delivery|Attempt|SigningSecret)(Connection)?$/
  const open: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    // Connections and successes are only reached after authorization.
    if (/^__|(Connection|Edge|Success)$/.test(type.name)) continue
    if (type[Symbol.toStringTag] !== 'GraphQLObjectType') continue
    for (const field of Object.values((type as GraphQLObjectType).getFields())) {
      const { authScopes } = (field.extensions['pothosOptions'] ?? {}) as { authScopes?: unknown }
      const root = type.name === 'Query' || type.name === 'Mutation'
      const leads = protectedTypes.test(String(field.type).replaceAll(/[![\]]/g, ''))
      if ((root || leads) && !authScopes) open.push(`${type.name}.${field.name}`)
    }
  }
  expect(open).toEqual([])
})
