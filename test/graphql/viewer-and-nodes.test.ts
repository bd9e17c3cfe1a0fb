import { expect, test } from 'vitest'
import { mintId, publicId } from '../../src/db/ids.ts'
import { createApiKey } from '../support/api-keys.ts'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import { addAttempt } from './support/rows.ts'
import { callOf, SCHEMA } from './support/schema-calls.ts'

const api = await useApi()
const SCOPES = ['webhooks:read', 'events:read', 'deliveries:read'] as const
const tenant = await api.tenant(SCOPES)
const operator = await api.tenant(['admin'])

test.each([
  ['no key', null, 'No API key was given. Send the header `Authorization: Bearer <API key>`.'],
  ['a malformed key', 'phk_nonsense', 'The API key is malformed.'],
])('with %s, nothing is read, and the answer is the reason', async (_what, token, message) => {
  for (const query of ['{ __typename }', '{ viewer { scopes } }', '{ nothing }']) {
    const { data, errors, status, headers } = await api.call(token, query)
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ message, extensions: { code: 'UNAUTHENTICATED' } }])
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(api.statements.list).toEqual([])
  }
})

test('node finds every object by its id', async () => {
  const webhook = await tenant.addWebhook()
  const [event] = await tenant.publish()
  const [delivery = ''] = await tenant.deliveryIds()
  const objects = {
    Organization: tenant.publicOrganizationId,
    ApiKey: publicId('apiKey', tenant.keyId),
    Webhook: webhook.id,
    Event: event,
    Delivery: delivery,
    Attempt: await addAttempt(api.database, delivery),
    EventType: `type_${JOINED}`,
  }
  const expected = Object.entries(objects).map(([__typename, id]) => ({ __typename, id }))
  for (const node of expected) {
    const query = 'query ($id: ID!) { node(id: $id) { __typename id } }'
    expect((await tenant.ask(query, { id: node.id })).node).toEqual(node)
  }
  const many = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
  expect((await tenant.ask(many, { ids: Object.values(objects) })).nodes).toEqual(expected)
})

test.each(['webhook', 'event', 'delivery', 'bulkTask', 'organization', 'node'] as const)(
  '%s answers null to an id of nothing and to one of another kind',
  async (field) => {
    const ids = ['nonsense', '', 'a\0b', mintId('webhook'), mintId('signingSecret')]
    for (const id of ids) {
      const data = await operator.ask(
        `query ($id: ID!) { ${field}(id: $id) { id } nodes(ids: [$id]) { id } }`,
        { id },
      )
      expect(data).toEqual({ [field]: null, nodes: [null] })
    }
  },
)

const CHANGING = Object.values(SCHEMA.getMutationType()?.getFields() ?? {}).filter(({ args }) =>
  args.some(({ name }) => name === 'id'),
)

test.each(CHANGING)('$name answers NotFoundError to an id of nothing', async (field) => {
  for (const id of ['nonsense', 'a\0b', mintId('attempt')]) {
    const query = `mutation { ${callOf(field, () => id)} { ... on UserError { code message } } }`
    const data = await operator.ask(query)
    expect(data[field.name]).toEqual({
      code: 'not_found',
      message: expect.stringMatching(/^There is no /),
    })
  }
})

test('a caller finds its organization alone, and with keys:manage, the keys of others', async () => {
  const query = 'query ($id: ID!) { node(id: $id) { id } }'
  const { organizationId, token, keyId } = tenant
  const { prisma } = api.database
  const manager = await createApiKey(prisma, { organizationId, scopes: ['keys:manage'] })
  const [own, other] = [keyId, manager.key.id].map((id) => ({ id: publicId('apiKey', id) }))
  expect((await tenant.ask(query, { id: operator.publicOrganizationId })).node).toBeNull()
  expect((await api.call(token, query, own)).data.node).toEqual(own)
  expect((await api.call(token, query, other)).data.node).toBeNull()
  expect((await api.call(manager.token, query, own)).data.node).toEqual(own)
})

test('nodes accepts at most 100 ids', async () => {
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
  const hundred = Array.from({ length: 100 }, () => mintId('delivery'))
  const data = await tenant.ask(query, { ids: hundred })
  expect(data.nodes).toHaveLength(100)
  expect(api.statements.list).toEqual(['authenticate', 'select deliveries'])
  const { errors } = await tenant.call(query, { ids: [...hundred, 'x'] })
  expect(errors).toMatchObject([
    { message: 'ids must have at most 100 entries.', extensions: { code: 'BAD_USER_INPUT' } },
  ])
})
