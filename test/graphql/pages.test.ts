import { getNamedType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { SCOPES } from '../../src/auth/access/scope.ts'
import { publicId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { createOrganization } from '../../src/organizations/organization.ts'
import { createApiKey } from '../support/api-keys.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import { addAttempt } from './support/rows.ts'
import { callOf, SCHEMA } from './support/schema-calls.ts'

const api = await useApi()
const tenant = await api.tenant(SCOPES)
const { organizationId } = tenant
const { prisma } = api.database
await updateEventType(prisma, JOINED, { searchKeys: ['$.customer'] }, SYSTEM)

/** Calls one after the other, and returns the ids from the last. */
async function inTurn(count: number, add: (i: number) => Promise<string>): Promise<string[]> {
  const added: string[] = []
  for (let i = 0; i < count; i++) added.unshift(await add(i))
  return added
}

const webhooks = await inTurn(5, async (i) => {
  const { id } = await tenant.addWebhook({ eventType: i === 0 ? JOINED : TICKET })
  return id
})
const event = { type: JOINED, data: { customer: 'Ada' } }
const events = await inTurn(5, async () => {
  const [published] = await api.deps.publishEvents(organizationId, [event])
  return published?.id as string
})
const deliveries = await tenant.deliveryIds()
const [newest = ''] = deliveries
const oldestFirst = deliveries.toReversed()
const first = await inTurn(5, (i) => addAttempt(api.database, oldestFirst[i] as string))
const more = await inTurn(4, () => addAttempt(api.database, newest))
const attempts = [...more, ...first]
const keys = await inTurn(4, async () => {
  const { key } = await createApiKey(prisma, { organizationId, scopes: ['webhooks:read'] })
  return publicId('apiKey', key.id)
})
keys.push(publicId('apiKey', tenant.keyId))
const organizations = await inTurn(5, async () =>
  publicId('organization', (await createOrganization(prisma, { name: 'Paged' }, SYSTEM)).id),
)

const PAGE = 'first: $first, after: $after, last: $last, before: $before'
const list = (field: string, args = '') => `${field}(${args} ${PAGE}) {
  edges { cursor node { id } } nodes { id }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`

const KEY = 'filter: { key: { path: "$.customer", equals: "Ada" } }'
const FAILED = 'filter: { anyAttempt: { causes: "500" } }'
const ofWebhooks = `filter: { webhookIds: ${JSON.stringify(webhooks)} }`
const ofWebhook = `node(id: "${webhooks.at(-1)}") { ... on Webhook { ${list('deliveries')} } }`
const ofDelivery = `delivery(id: "${newest}") { ${list('attempts')} }`

/** Each list, the ids that it shows in its order, and the way to it. */
const LISTS: readonly (readonly [name: string, shows: readonly string[], query: string])[] = [
  ['webhooks', webhooks, list('webhooks')],
  ['webhooks in an order', webhooks, list('webhooks', 'orderBy: NAME')],
  ['events', events, list('events')],
  ['events of a type', events, list('events', `filter: { type: "${JOINED}" }`)],
  ['events with a search key', events, list('events', KEY)],
  ['events with a value', events, list('events', 'filter: { value: "Ada" }')],
  ['deliveries', deliveries, list('deliveries')],
  ['deliveries of a state', deliveries, list('deliveries', 'filter: { states: RETRYING }')],
  ['deliveries of two webhooks', deliveries, list('deliveries', ofWebhooks)],
  ['deliveries with a search key', deliveries, list('deliveries', KEY)],
  ['deliveries with an attempt', deliveries, list('deliveries', FAILED)],
  ['one delivery of each event', deliveries, list('deliveries', 'newestOfEvent: true')],
  ['attempts', attempts, list('attempts')],
  ['attempts of a cause', attempts, list('attempts', 'filter: { causes: "500" }')],
  ['API keys', keys, list('apiKeys')],
  ['organizations', organizations, list('organizations', 'filter: { search: "paged" }')],
  ['deliveries of a webhook', deliveries, ofWebhook],
  ['attempts of a delivery', [...more, first[0] as string], ofDelivery],
]

interface Connection {
  readonly nodes: { readonly id: string }[]
  readonly edges: { readonly node: { readonly id: string } }[]
  readonly pageInfo: Record<string, string | boolean>
}

/** The connection anywhere in a response. */
function connectionIn(data: object): Connection {
  return 'pageInfo' in data ? (data as Connection) : connectionIn(Object.values(data)[0])
}

async function page(query: string, args: Record<string, unknown> = {}) {
  const data = await tenant.ask(
    `query ($first: Int, $after: String, $last: Int, $before: String) { ${query} }`,
    args,
  )
  const { nodes, edges, pageInfo } = connectionIn(data)
  expect(edges.map(({ node }) => node)).toEqual(nodes)
  return { ids: nodes.map(({ id }) => id), ...pageInfo }
}

test.each(LISTS)('%s can be paged in both directions', async (_name, all, query) => {
  for (const { size, cursor, next, more, wasMore } of [
    { size: 'first', cursor: 'after', next: 'endCursor', more: 'Next', wasMore: 'Previous' },
    { size: 'last', cursor: 'before', next: 'startCursor', more: 'Previous', wasMore: 'Next' },
  ]) {
    const pages: string[][] = []
    for (let at: unknown = null; pages.length === 0 || at !== null; ) {
      const found: Record<string, unknown> = await page(query, { [size]: 2, [cursor]: at })
      expect(found[`has${wasMore}Page`]).toBe(at !== null)
      pages.push(found['ids'] as string[])
      at = found[`has${more}Page`] ? found[next] : null
    }
    expect((size === 'first' ? pages : pages.toReversed()).flat()).toEqual(all)
  }

  expect(await page(query)).toMatchObject({ ids: all, hasNextPage: false })
  expect(await page(query, { first: all.length })).toMatchObject({ hasNextPage: false })
  expect(await page(query, { first: all.length - 1 })).toMatchObject({ hasNextPage: true })
  expect(await page(query, { first: 100 })).toMatchObject({ ids: all })
  expect(await page(query, { first: 0 })).toMatchObject({ ids: [], startCursor: null })
})

test('the default page size is 20', async () => {
  const other = await api.tenant()
  await other.publish(21)
  const { events } = await other.ask('{ events { nodes { id } pageInfo { hasNextPage } } }')
  expect(events.nodes).toHaveLength(20)
  expect(events.pageInfo.hasNextPage).toBe(true)
})

const CONNECTIONS = Object.values(SCHEMA.getQueryType()?.getFields() ?? {}).filter(({ type }) => {
  const named = getNamedType(type)
  return isObjectType(named) && 'nodes' in named.getFields()
})

test.each([
  ['first', '101', 'first must be from 0 to 100.'],
  ['first', '-1', 'first must be from 0 to 100.'],
  ['last', '101', 'last must be from 0 to 100.'],
  ['after', '"nonsense"', 'after must be a cursor from a page.'],
  ['before', '"R1BDOlM6bm9uc2Vuc2U="', 'before must be a cursor from a page.'],
  ['after', '"T2Zmc2V0Q29ubmVjdGlvbjotMQ=="', 'after must be a cursor from a page.'],
])('%s: %s is rejected by every list', async (argument, value, message) => {
  expect(CONNECTIONS.length).toBeGreaterThan(10)
  for (const field of CONNECTIONS) {
    if (!field.args.some(({ name }) => name === argument)) continue
    const call = callOf(field, () => '').replace(/\)?$/, '')
    const args = call.includes('(') ? `${call}, ` : `${call}(`
    const query = `{ ${args}${argument}: ${value}) { nodes { __typename } } }`
    expect((await tenant.call(query)).errors, field.name).toMatchObject([
      { message, extensions: { code: 'BAD_USER_INPUT' } },
    ])
  }
})

test('the cursor of a list that is read whole is none of a page of rows', async () => {
  const query = '{ webhooks(after: "T2Zmc2V0Q29ubmVjdGlvbjox") { nodes { id } } }'
  expect((await tenant.call(query)).errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT' } },
  ])
})
