import { describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { JOINED } from '../support/factories.ts'
import { useApi } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const operator = await api.tenant(['admin'])
const tenant = await api.tenant()

const run = (operation: string, variables?: object) =>
  operator.run('organizations', operation, variables)
const create = async (name: string) =>
  (await run('CreateOrganization', { input: { name } })).organization

/** Calls with the header that names an organization. */
const callFor = (organization: string, token: string, query: string, variables = {}) =>
  api.send(token, { query, variables }, { 'posthorn-organization': organization })

test('organizations are found by a part of their name', async () => {
  for (const name of ['Harbour 100%', 'Harbour 1000']) await create(name)
  const namesWith = async (search: string) => {
    const { nodes } = await run('Organizations', { filter: { search } })
    return nodes.map(({ name }: { name: string }) => name)
  }
  expect(await namesWith('hArBoUr')).toEqual(['Harbour 1000', 'Harbour 100%'])
  expect(await namesWith('100%')).toEqual(['Harbour 100%'])
  expect(await namesWith('no such name')).toEqual([])
})

test('of two operators who rename an organization, the second learns of the first with ifRevision', async () => {
  const { id } = await create('First')
  const rename = (input: object) => run('UpdateOrganization', { id, input })
  const renamed = await rename({ name: 'Theirs', ifRevision: 1 })
  expect(renamed.organization).toMatchObject({ id, name: 'Theirs', revision: 2 })
  expect(await rename({ name: 'Mine', ifRevision: 1 })).toMatchObject({
    __typename: 'EditConflictError',
    code: 'conflict',
    revision: 2,
    changedBy: expect.stringMatching(/^key_/),
  })
  const unchanged = await rename({ name: 'Theirs', ifRevision: 1 })
  expect(unchanged.organization).toMatchObject({ id, name: 'Theirs', revision: 2 })
  expect((await rename({ name: 'Mine' })).organization.name).toBe('Mine')
})

test.each(['', ' ', 'x'.repeat(201)])('the name %j is rejected', async (name) => {
  const rejection = { __typename: 'ValidationError', issues: [{ path: ['name'] }] }
  expect(await run('CreateOrganization', { input: { name } })).toMatchObject(rejection)
  const id = tenant.publicOrganizationId
  expect(await run('UpdateOrganization', { id, input: { name } })).toMatchObject(rejection)
})

describe('with the header posthorn-organization', () => {
  test('an operator reads and changes only objects of that organization', async () => {
    const { id } = await tenant.addWebhook()
    const own = await operator.addWebhook()
    const { publicOrganizationId } = tenant
    const { data, errors } = await callFor(
      publicOrganizationId,
      operator.token,
      `query ($own: ID!) { viewer { organization { id } apiKey { scopes } } webhooks { nodes { id } }
       webhook(id: $own) { id } }`,
      { own: own.id },
    )
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      viewer: { organization: { id: publicOrganizationId }, apiKey: { scopes: ['admin'] } },
      webhooks: { nodes: [{ id }] },
      webhook: null,
    })
    const createWebhook = document('webhooks', 'CreateWebhook')
    const input = { url: 'https://example.com', eventSubscriptions: [JOINED] }
    const created = await callFor(publicOrganizationId, operator.token, createWebhook, { input })
    const theirs = await tenant.ask('{ webhooks { nodes { id } } }')
    expect(theirs.webhooks.nodes).toContainEqual({ id: created.data.createWebhook.webhook.id })
  })

  test('an operator without it finds objects of another organization by their ids only', async () => {
    const { id } = await tenant.addWebhook()
    const ids = [id, publicId('apiKey', tenant.keyId), tenant.publicOrganizationId]
    const { token } = await api.tenant(['admin'])
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } webhooks { nodes { id } } }'
    const { data } = await api.call(token, query, { ids })
    expect(data).toEqual({ nodes: ids.map((id) => ({ id })), webhooks: { nodes: [] } })
  })

  test('requests with any other key are rejected, whichever organization they name', async () => {
    const [own, others] = [tenant.publicOrganizationId, operator.publicOrganizationId]
    for (const organization of [others, own, 'nonsense']) {
      const query = '{ viewer { organization { id } } webhooks { nodes { id } } }'
      const { data, errors } = await callFor(organization, tenant.token, query)
      expect(data).toBeUndefined()
      expect(errors?.[0]).toMatchObject({
        message: 'The header posthorn-organization needs an API key with the scope admin. Omit it.',
        extensions: { code: 'FORBIDDEN' },
      })
    }
  })
})
