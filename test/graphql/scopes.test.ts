import { getDirectiveValues, getNamedType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import type { Scope } from '../../src/auth/access/scope.ts'
import { createApiKey } from '../support/api-keys.ts'
import { ALL_SCOPES, JOINED } from '../support/factories.ts'
import { request, useApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt } from './support/rows.ts'
import { callOf, type Field, SCHEMA, selectionOf } from './support/schema-calls.ts'

/*
 * schema.graphql says which scope each field needs. These tests ask for each of these fields without the scope and with it.
 * What a session of one webhook and another organization get is in test/auth/sessions/portal-access.test.ts.
 */
const api = await useApi()
const all = await api.tenant()
const { organizationId } = all
const { id: webhook } = await all.addWebhook({ headers: { 'X-Key': 'abc' } })
const [event = ''] = await all.publish()
const [delivery = ''] = await all.deliveryIds()
await addAttempt(api.database, delivery)
const input = { filter: { states: ['EXHAUSTED'] } }
const { task } = await all.run('bulk-tasks', 'RedeliverInBackground', { input })
const ids: Record<string, string> = { webhook, event, delivery, bulkTask: task.id }

/** A key of the same organization, one for all tests. */
function keyWith(scopes: readonly Scope[]): Promise<string> {
  const created = keys.get(scopes.join())
  if (created) return created
  const key = createApiKey(api.database.prisma, { organizationId, scopes }).then(
    ({ token }) => token,
  )
  keys.set(scopes.join(), key)
  return key
}
const keys = new Map<string, Promise<string>>()
const keyWithout = (scope: Scope) => keyWith(ALL_SCOPES.filter((other) => other !== scope))

/** The id of the object that an argument or its field names, such as `eventId` and `event(id:)`. */
const idOf = (field: string, argument: string) => ids[argument.slice(0, -2) || field] ?? 'x'

/** The scopes of which a caller needs one for a field. */
function scopesOf({ astNode }: Field): readonly Scope[] {
  const directive = SCHEMA.getDirective('requiresScopes')
  const values = directive && astNode && getDirectiveValues(directive, astNode)
  return ((values?.['scopes'] ?? []) as Scope[][]).flat()
}

/** The fields that lead to each type that a caller without admin reaches by queries. */
function waysToTypes(): ReadonlyMap<string, readonly Field[]> {
  const ways = new Map<string, readonly Field[]>([['Query', []]])
  for (const [type, way] of ways) {
    const fields = SCHEMA.getType(type)
    for (const field of Object.values(isObjectType(fields) ? fields.getFields() : {})) {
      const { name } = getNamedType(field.type)
      const leads = scopesOf(field)[0] !== 'admin' && !/^(node|edges)$/.test(field.name)
      if (leads && !ways.has(name)) ways.set(name, [...way, field])
    }
  }
  return ways
}
const WAYS = waysToTypes()

function queryFor(type: string, field: Field): string {
  const inside = `${callOf(field, idOf)} ${selectionOf(field)}`
  if (type === 'Mutation') return `mutation { ${inside} }`
  const way = WAYS.get(type) ?? []
  return `{ ${way.reduceRight((inner, above) => `${callOf(above, idOf)} { ${inner} }`, inside)} }`
}

const FIELDS = Object.values(SCHEMA.getTypeMap()).flatMap((type) =>
  Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => {
    const scopes = scopesOf(field)
    const path = `${type.name}.${field.name}`
    return { path, type: type.name, name: field.name, field, scopes, scope: scopes[0] as Scope }
  }),
)
const NEEDS_SCOPE = FIELDS.filter(({ scopes }) => scopes.length > 0)
const READ = NEEDS_SCOPE.filter(({ type }) => WAYS.has(type))
const MUTATIONS = NEEDS_SCOPE.filter(({ type }) => type === 'Mutation')
const SUBSCRIPTIONS = NEEDS_SCOPE.filter(({ type }) => type === 'Subscription')

test.each(READ)('$path works with $scope or admin alone', async ({ type, field, scope }) => {
  const query = queryFor(type, field)
  const message = `The API key lacks the scope ${scope}. Use a key that has it.`
  const rejected = await api.call(await keyWithout(scope), query)
  expect(rejected.status).toBe(200)
  expect(rejected.errors).toMatchObject([{ message, extensions: { code: 'FORBIDDEN' } }])
  for (const token of [await keyWith(['admin']), ...(scope === 'admin' ? [] : [all.token])]) {
    expect((await api.call(token, query)).errors).toBeUndefined()
  }
})

test.each(MUTATIONS)('without $scope, $name does nothing', async ({ type, field, scope }) => {
  const query = queryFor(type, field)
  const { data, errors } = await api.call(await keyWithout(scope), query)
  expect(data).toEqual({ [field.name]: null })
  expect(errors).toMatchObject([
    { message: expect.stringContaining(scope), extensions: { code: 'FORBIDDEN' } },
  ])
  expect(api.statements.list).toEqual(['authenticate'])
  const unauthenticated = await api.call(null, query)
  expect(unauthenticated.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test.each(SUBSCRIPTIONS)('subscription $name needs $scope or admin', async ({ name, scope }) => {
  const body = { query: `subscription { ${name} { __typename } }` }
  const subscribe = (token: string) =>
    api.handle(request(token, body, { accept: 'text/event-stream' }))
  const rejected = await (await subscribe(await keyWithout(scope))).text()
  expect(rejected).toContain(`lacks the scope ${scope}.`)
  expect(rejected).toContain('"FORBIDDEN"')
  for (const token of [all.token, await keyWith(['admin'])]) {
    const reader = (await subscribe(token)).body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n')
    await reader?.cancel()
  }
})

test('a search by a value of events needs events:read in every list', async () => {
  const key = 'filter: { key: { path: "$.i", equals: "1" } }'
  const query = `{ deliveries(${key}) { nodes { id } } }`
  expect((await api.call(await keyWithout('events:read'), query)).errors).toMatchObject([
    { message: expect.stringContaining('events:read'), extensions: { code: 'FORBIDDEN' } },
  ])
})

test('each field that needs a scope can be asked for here, and admin is enough for each', () => {
  // Only a mutation and a subscription lead to these two.
  const asked = [...READ, ...MUTATIONS, ...SUBSCRIPTIONS].map(({ field }) => field)
  const others = NEEDS_SCOPE.filter(({ field }) => !asked.includes(field))
  expect(others.map(({ path }) => path)).toEqual([
    'PublishedEvent.event',
    'WebhookHealthChange.webhook',
  ])
  expect(NEEDS_SCOPE.filter(({ scopes }) => scopes.at(-1) !== 'admin')).toEqual([])
})

test('only these root fields need no scope', () => {
  const open = FIELDS.filter(
    ({ type, scopes }) => /^(Query|Mutation|Subscription)$/.test(type) && scopes.length === 0,
  )
  expect(open.map(({ name }) => name)).toEqual(['eventTypes', 'node', 'nodes', 'viewer'])
})

test.each([
  ['event', 'events:read'],
  ['webhook', 'webhooks:read'],
  ['delivery', 'deliveries:read'],
  ['bulkTask', 'deliveries:read'],
] as const)('node and nodes find the object of %s with %s only', async (kind, scope) => {
  const token = await keyWithout(scope)
  for (const query of [`{ node(id: "${ids[kind]}")`, `{ nodes(ids: ["${ids[kind]}"])`]) {
    expect((await api.call(token, `${query} { id } }`)).errors).toMatchObject([
      { message: expect.stringContaining(scope), extensions: { code: 'FORBIDDEN' } },
    ])
  }
})

test('fields beside a rejected field are still returned', async () => {
  const token = await keyWith(['webhooks:read'])
  const { data, errors } = await api.call(
    token,
    '{ webhooks { nodes { url signingSecret { key } headerNames } } events { nodes { id } } }',
  )
  const url = 'https://example.com/hook'
  expect(data).toEqual({
    webhooks: { nodes: [{ url, signingSecret: null, headerNames: ['X-Key'] }] },
    events: null,
  })
  expect(errors).toHaveLength(2)
})

test('a caller that may write gets the written object without further scopes', async () => {
  const token = await keyWith(['webhooks:write', 'secrets:rotate', 'events:publish'])
  const input = { url: 'https://example.com', eventSubscriptions: [JOINED] }
  const created = await api.call(token, document('webhooks', 'CreateWebhook'), { input })
  expect(created.errors).toBeUndefined()
  const { id } = created.data.createWebhook.webhook
  const rotated = await api.call(token, document('webhooks', 'RotateSigningSecret'), { id })
  expect(rotated.data.rotateSigningSecret.signingSecret.key).toMatch(/^whsec_/)
  const event = { input: { type: JOINED, data: {} } }
  const published = await api.call(token, document('events', 'PublishEvent'), event)
  const { publishedEvent } = published.data.publishEvent
  expect(publishedEvent).toMatchObject({ duplicate: false, event: null })
  expect(published.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})
