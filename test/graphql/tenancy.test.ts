import { beforeAll, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { JOINED } from '../support/factories.ts'
import { type Tenant, useApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addAttempt, addWebhook, deliveryIds, publish } from './support/rows.ts'

const api = useApi()
let mine: Tenant
let theirs: Tenant
let their: { webhook: string; event: string; delivery: string; attempt: string; apiKey: string }

beforeAll(async () => {
  mine = await api.tenant()
  theirs = await api.tenant()
  const { id: webhook } = await addWebhook(api, theirs.organizationId)
  const [event = ''] = await publish(api, theirs.organizationId)
  const [delivery = ''] = await deliveryIds(api.database, theirs.organizationId)
  const attempt = await addAttempt(api.database, delivery)
  their = { webhook, event, delivery, attempt, apiKey: publicId('apiKey', theirs.keyId) }
})

test('lists contain no objects of another organization', async () => {
  const { data } = await api.call(
    mine.token,
    `query ($webhook: ID!) {
       webhooks { nodes { id } } events { nodes { id } } deliveries { nodes { id } }
       theirs: deliveries(filter: { webhookIds: [$webhook] }) { nodes { id } } }`,
    { webhook: their.webhook },
  )
  for (const list of Object.values(data)) expect(list).toEqual({ nodes: [] })
})

test('ids of another organization find nothing', async () => {
  const { data, errors } = await api.call(
    mine.token,
    `query ($webhook: ID!, $event: ID!, $delivery: ID!) {
       webhook(id: $webhook) { id } event(id: $event) { id } delivery(id: $delivery) { id } }`,
    their,
  )
  expect(errors).toBeUndefined()
  expect(data).toEqual({ webhook: null, event: null, delivery: null })
})

test('node and nodes find nothing of another organization, nor that organization', async () => {
  const ids = [...Object.values(their), theirs.publicOrganizationId]
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
  const { data, errors } = await api.call(mine.token, query, { ids })
  expect(errors).toBeUndefined()
  expect(data.nodes).toEqual(ids.map(() => null))
  for (const id of ids) {
    const { data } = await api.call(mine.token, 'query ($id: ID!) { node(id: $id) { id } }', { id })
    expect(data).toEqual({ node: null })
  }
  const { data: own } = await api.call(theirs.token, query, { ids })
  expect(own.nodes.map(({ id }: { id: string }) => id)).toEqual(ids)
})

test('without the header, an operator finds objects of another organization by their ids only', async () => {
  const operator = await api.tenant(['admin'])
  const ids = Object.values(their)
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } webhooks { nodes { id } } }'
  const { data } = await api.call(operator.token, query, { ids })
  expect(data).toEqual({ nodes: ids.map((id) => ({ id })), webhooks: { nodes: [] } })
  const organization = theirs.publicOrganizationId
  const { data: named } = await api.call(operator.token, query, { ids: [organization] })
  expect(named.nodes).toEqual([{ id: organization }])
})

test('a caller sees the keys of its organization with keys:manage, and otherwise only its own', async () => {
  const query = 'query ($id: ID!) { node(id: $id) { ... on ApiKey { id tokenHint } } }'
  const lesser = await api.tenant(['webhooks:read'])
  const { id } = await api.database.prisma.apiKey.findFirstOrThrow({
    where: { organizationId: lesser.organizationId },
  })
  const own = await api.call(lesser.token, query, { id: publicId('apiKey', id) })
  expect(own.data.node.id).toBe(publicId('apiKey', id))
  await api.database.prisma.apiKey.updateMany({
    where: { id: mine.keyId },
    data: { organizationId: lesser.organizationId },
  })
  try {
    const other = await api.call(lesser.token, query, { id: publicId('apiKey', mine.keyId) })
    expect(other.data.node).toBeNull()
    const manager = await api.call(mine.token, query, { id: publicId('apiKey', id) })
    expect(manager.data.node.id).toBe(publicId('apiKey', id))
  } finally {
    await api.database.prisma.apiKey.updateMany({
      where: { id: mine.keyId },
      data: { organizationId: mine.organizationId },
    })
  }
})

test.each([
  [
    'updateWebhook',
    () => document('webhooks', 'UpdateWebhook'),
    () => ({ id: their.webhook, input: { enabled: false } }),
  ],
  ['deleteWebhook', () => document('webhooks', 'DeleteWebhook'), () => ({ id: their.webhook })],
  [
    'rotateSigningSecret',
    () => document('webhooks', 'RotateSigningSecret'),
    () => ({ id: their.webhook }),
  ],
  ['revealHeaders', () => document('webhooks', 'RevealHeaders'), () => ({ id: their.webhook })],
  ['redeliver', () => document('deliveries', 'Redeliver'), () => ({ ids: [their.delivery] })],
  [
    'cancelDeliveries',
    () => document('bulk-tasks', 'CancelDeliveries'),
    () => ({ input: { ids: [their.delivery] } }),
  ],
])(
  '%s does nothing to another organization, and reads as not found',
  async (name, query, variables) => {
    const { data } = await api.call(mine.token, query(), variables())
    expect(data[name]).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' })
    const { data: untouched } = await api.call(
      theirs.token,
      `query ($webhook: ID!, $delivery: ID!) {
       webhook(id: $webhook) { enabled expiringSigningSecrets { key } } delivery(id: $delivery) { state } }`,
      their,
    )
    expect(untouched).toEqual({
      webhook: { enabled: true, expiringSigningSecrets: [] },
      delivery: { state: 'RETRYING' },
    })
  },
)

test('events reach no webhook of another organization', async () => {
  const { data } = await api.call(mine.token, document('events', 'PublishEvent'), {
    input: { type: JOINED, data: {} },
  })
  expect(data.publishEvent.publishedEvent.deliveryCount).toBe(0)
})
