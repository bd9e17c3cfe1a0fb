import { beforeAll, expect, test } from 'vitest'
import { type Tenant, useApi } from './support/api.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'

const api = useApi()
let tenant: Tenant
const ids: Record<string, string[]> = {}

beforeAll(async () => {
  tenant = await api.tenant()
  const { organizationId } = tenant
  const webhooks: string[] = []
  for (let i = 0; i < 5; i++) webhooks.push((await addWebhook(api, organizationId)).id)
  ids['webhooks'] = webhooks.toReversed()
  ids['events'] = (await publish(api, organizationId, 5)).toReversed()
  ids['deliveries'] = (await deliveryIds(api.database, organizationId)).slice(0, 5)
  const [delivery = ''] = ids['deliveries']
  const attempts: string[] = []
  for (let number = 1; number <= 5; number++) {
    attempts.push(await addAttempt(api.database, delivery, number))
  }
  ids['attempts'] = attempts.toReversed()
  // Only deliveries of one webhook, so that every list has five items.
  await api.database.pool.query(
    `delete from posthorn.deliveries where id not in
       (select id from posthorn.deliveries where organization_id = $1 order by id desc limit 5)`,
    [organizationId],
  )
  await api.database.pool.query(
    'update posthorn.deliveries set webhook_id = (select id from posthorn.webhooks order by id limit 1)',
  )
})

const PAGE = `(first: $first, after: $after, last: $last, before: $before) {
  edges { cursor node { id } } nodes { id }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
const ARGS = '($first: Int, $after: String, $last: Int, $before: String)'

const CONNECTIONS: Record<string, () => { list: string; path: string[]; query: string }> = {
  webhooks: () => ({
    list: 'webhooks',
    path: ['webhooks'],
    query: `query ${ARGS} { webhooks${PAGE} }`,
  }),
  events: () => ({ list: 'events', path: ['events'], query: `query ${ARGS} { events${PAGE} }` }),
  deliveries: () => ({
    list: 'deliveries',
    path: ['deliveries'],
    query: `query ${ARGS} { deliveries${PAGE} }`,
  }),
  'webhook.deliveries': () => ({
    list: 'deliveries',
    path: ['node', 'deliveries'],
    query: `query ${ARGS} { node(id: "${ids['webhooks']?.at(-1)}") { ... on Webhook { deliveries${PAGE} } } }`,
  }),
  'delivery.attempts': () => ({
    list: 'attempts',
    path: ['delivery', 'attempts'],
    query: `query ${ARGS} { delivery(id: "${ids['deliveries']?.[0]}") { attempts${PAGE} } }`,
  }),
}

async function page(name: string, args: Record<string, unknown>) {
  const { list, path, query } = (
    CONNECTIONS[name] as () => { list: string; path: string[]; query: string }
  )()
  const { data, errors } = await api.call(tenant.token, query, args)
  expect(errors).toBeUndefined()
  const found = path.reduce((part, key) => part[key], data)
  expect(found.edges.map(({ node }: { node: unknown }) => node)).toEqual(found.nodes)
  const positions = found.nodes.map(({ id }: { id: string }) => ids[list]?.indexOf(id))
  return { positions, ...found.pageInfo }
}

test.each(Object.keys(CONNECTIONS))('%s can be paged forwards', async (name) => {
  const seen: number[] = []
  let after: string | null = null
  for (;;) {
    const found = await page(name, { first: 2, after })
    seen.push(...found.positions)
    expect(found.hasPreviousPage).toBe(after !== null)
    if (!found.hasNextPage) break
    after = found.endCursor
  }
  expect(seen).toEqual([0, 1, 2, 3, 4])
})

test.each(Object.keys(CONNECTIONS))('%s can be paged backwards', async (name) => {
  const seen: number[] = []
  let before: string | null = null
  for (;;) {
    const found = await page(name, { last: 2, before })
    seen.unshift(...found.positions)
    expect(found.hasNextPage).toBe(before !== null)
    if (!found.hasPreviousPage) break
    before = found.startCursor
  }
  expect(seen).toEqual([0, 1, 2, 3, 4])
})

test.each(Object.keys(CONNECTIONS))('%s has correct page boundaries', async (name) => {
  expect(await page(name, {})).toMatchObject({ positions: [0, 1, 2, 3, 4], hasNextPage: false })
  expect(await page(name, { first: 5 })).toMatchObject({ hasNextPage: false })
  expect(await page(name, { first: 4 })).toMatchObject({ hasNextPage: true })
  expect(await page(name, { first: 100 })).toMatchObject({ positions: [0, 1, 2, 3, 4] })
  expect(await page(name, { first: 0 })).toMatchObject({ positions: [], startCursor: null })
})

test('a cursor stays valid after its row is deleted', async () => {
  const other = await api.tenant()
  for (let i = 0; i < 3; i++) await addWebhook(api, other.organizationId)
  const query =
    'query ($after: String) { webhooks(first: 1, after: $after) { nodes { id } pageInfo { endCursor } } }'
  const { data: first } = await api.call(other.token, query)
  const { data: second } = await api.call(other.token, query, {
    after: first.webhooks.pageInfo.endCursor,
  })
  await api.database.pool.query(
    'delete from posthorn.webhooks where organization_id = $1 and id = (select max(id::text)::uuid from posthorn.webhooks where organization_id = $1)',
    [other.organizationId],
  )
  const { data: again } = await api.call(other.token, query, {
    after: first.webhooks.pageInfo.endCursor,
  })
  expect(again.webhooks.nodes).toEqual(second.webhooks.nodes)
})

test('the default page size is 20', async () => {
  const other = await api.tenant()
  await publish(api, other.organizationId, 21)
  const { data } = await api.call(
    other.token,
    '{ events { nodes { id } pageInfo { hasNextPage } } }',
  )
  expect(data.events.nodes).toHaveLength(20)
  expect(data.events.pageInfo.hasNextPage).toBe(true)
})

test.each([
  ['first: 101', 'first must be from 0 to 100.'],
  ['first: -1', 'first must be from 0 to 100.'],
  ['last: 101', 'last must be from 0 to 100.'],
  ['after: "nonsense"', 'after must be a cursor from a page.'],
  [
    `before: "${Buffer.from('GPC:S:nonsense').toString('base64')}"`,
    'before must be a cursor from a page.',
  ],
])('%s is rejected by every list', async (argument, message) => {
  const { errors } = await api.call(
    tenant.token,
    `{ webhooks(${argument}) { nodes { id deliveries(${argument}) { nodes { id } } } }
       events(${argument}) { nodes { id } } deliveries(${argument}) { nodes { id } }
       delivery(id: "${ids['deliveries']?.[0]}") { attempts(${argument}) { nodes { id } } } }`,
  )
  expect(errors).toHaveLength(4)
  for (const error of errors ?? []) {
    expect(error).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } })
  }
})

test('paging in both directions at once is rejected', async () => {
  const { data } = await api.call(
    tenant.token,
    '{ webhooks { pageInfo { startCursor endCursor } } }',
  )
  const { startCursor, endCursor } = data.webhooks.pageInfo
  const { errors } = await api.call(
    tenant.token,
    `{ webhooks(after: "${startCursor}", before: "${endCursor}") { nodes { id } } }`,
  )
  expect(errors).toMatchObject([
    {
      message: 'Arguments "before" and "after" are not supported at the same time.',
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ])
})
