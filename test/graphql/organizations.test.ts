import { beforeAll, describe, expect, test } from 'vitest'
import { mintId, publicId } from '../../src/db/ids.ts'
import { JOINED } from '../support/factories.ts'
import { readAnswer, request, type Tenant, useApi } from './support/api.ts'
import { document } from './support/document.ts'
import { addWebhook } from './support/rows.ts'

const api = await useApi()
let operator: Tenant
let tenant: Tenant

beforeAll(async () => {
  operator = await api.tenant(['admin'])
  tenant = await api.tenant()
})

function call(operation: string, variables: Record<string, unknown> = {}) {
  return api.call(operator.token, document('organizations', operation), variables)
}

/** Calls with the header that names an organization. */
async function callFor(organization: string, token: string, query: string, variables = {}) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'posthorn-organization': organization,
  }
  return await readAnswer(await api.handle(request(token, { query, variables }, { headers })))
}

test('organizations are found by a part of their name', async () => {
  for (const name of ['Harbour 100%', 'Harbour 1000']) {
    await call('CreateOrganization', { input: { name } })
  }
  const namesWith = async (search: string) => {
    const { data } = await call('Organizations', { filter: { search } })
    return data.organizations.nodes.map(({ name }: { name: string }) => name)
  }
  expect(await namesWith('hArBoUr')).toEqual(['Harbour 1000', 'Harbour 100%'])
  expect(await namesWith('100%')).toEqual(['Harbour 100%'])
  expect(await namesWith('no such name')).toEqual([])
})

test('an organization is created, found by its id and renamed', async () => {
  const { data } = await call('CreateOrganization', { input: { name: ' Harvest Fair ' } })
  const { id, name } = data.createOrganization.organization
  expect(name).toBe('Harvest Fair')
  await call('UpdateOrganization', { id, input: { name: 'Spring Fair' } })
  const { data: found } = await call('Organization', { id })
  expect(found.organization).toEqual({ id, name: 'Spring Fair' })
  for (const other of ['nonsense', mintId('organization'), mintId('webhook')]) {
    expect((await call('Organization', { id: other })).data).toEqual({ organization: null })
  }
})

test('of two operators who rename an organization, the second learns of the first with ifRevision', async () => {
  const { data } = await call('CreateOrganization', { input: { name: 'First' } })
  const { id } = data.createOrganization.organization
  const rename = async (input: object) =>
    (await call('UpdateOrganization', { id, input })).data.updateOrganization
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
  expect(await rename({ name: 'Mine', ifRevision: 9 })).toMatchObject({
    __typename: 'ValidationError',
    issues: [{ path: ['ifRevision'], code: 'unknown_revision' }],
  })
  expect((await rename({ name: 'Mine' })).organization.name).toBe('Mine')
})

test.each(['', ' ', 'x'.repeat(201)])('the name %j is rejected', async (name) => {
  const { data } = await call('CreateOrganization', { input: { name } })
  const rejection = { __typename: 'ValidationError', issues: [{ path: ['name'] }] }
  expect(data.createOrganization).toMatchObject(rejection)
  const id = tenant.publicOrganizationId
  const { data: renamed } = await call('UpdateOrganization', { id, input: { name } })
  expect(renamed.updateOrganization).toMatchObject(rejection)
})

describe('with the header posthorn-organization', () => {
  test('an operator reads and changes only objects of that organization', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const own = await addWebhook(api, operator.organizationId)
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
    const created = await callFor(
      publicOrganizationId,
      operator.token,
      document('webhooks', 'CreateWebhook'),
      { input: { url: 'https://example.com', eventSubscriptions: [JOINED] } },
    )
    const { data: theirs } = await api.call(tenant.token, '{ webhooks { nodes { id } } }')
    expect(theirs.webhooks.nodes).toContainEqual({
      id: created.data.createWebhook.webhook.id,
    })
  })

  test('an operator without it finds objects of another organization by their ids only', async () => {
    const { id } = await addWebhook(api, tenant.organizationId)
    const ids = [id, publicId('apiKey', tenant.keyId), tenant.publicOrganizationId]
    const { token } = await api.tenant(['admin'])
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } webhooks { nodes { id } } }'
    const { data } = await api.call(token, query, { ids })
    expect(data).toEqual({ nodes: ids.map((id) => ({ id })), webhooks: { nodes: [] } })
  })

  test('an operator creates the first key of a new organization', async () => {
    const { data } = await call('CreateOrganization', { input: { name: 'New' } })
    const { id } = data.createOrganization.organization
    const { data: created } = await callFor(
      id,
      operator.token,
      document('api-keys', 'CreateApiKey'),
      {
        input: { scopes: ['keys:manage', 'webhooks:read'] },
      },
    )
    const { token } = created.createApiKey.createdApiKey
    const viewer = await api.call(token, '{ viewer { organization { id } } }')
    expect(viewer.data.viewer.organization).toEqual({ id })
  })

  test('requests with any other key are rejected, whichever organization they name', async () => {
    for (const organization of [
      operator.publicOrganizationId,
      tenant.publicOrganizationId,
      'nonsense',
    ]) {
      const query = '{ viewer { organization { id } } webhooks { nodes { id } } }'
      const { errors } = await callFor(organization, tenant.token, query)
      expect(errors?.[0]).toMatchObject({
        message: 'The header posthorn-organization needs an API key with the scope admin. Omit it.',
        extensions: { code: 'FORBIDDEN' },
      })
    }
    const { data } = await callFor(
      operator.publicOrganizationId,
      tenant.token,
      '{ webhooks { nodes { id } } }',
    )
    expect(data).toBeUndefined()
  })

  test.each(['', 'nonsense', mintId('organization'), mintId('webhook')])(
    '%j is rejected, as it is not the id of an organization',
    async (organization) => {
      const query = '{ webhooks { nodes { id } } }'
      const { data, errors } = await callFor(organization, operator.token, query)
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        {
          message: expect.stringContaining('does not name an organization'),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ])
    },
  )

  test('without a key it changes nothing', async () => {
    const headers = {
      'content-type': 'application/json',
      'posthorn-organization': tenant.publicOrganizationId,
    }
    const body = { query: '{ webhooks { nodes { id } } }' }
    const answer = await readAnswer(await api.handle(request(null, body, { headers })))
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })
})
