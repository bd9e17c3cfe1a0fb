import { describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { useApi, useTenant } from './support/api.ts'
import { document } from './support/document.ts'

const api = await useApi()
const tenant = useTenant(api)

function call(operation: string, variables: Record<string, unknown> = {}, token = tenant.token) {
  return api.call(token, document('api-keys', operation), variables)
}

describe('apiKeys', () => {
  test('are listed newest first, in pages, without tokens', async () => {
    await call('CreateApiKey', { input: { scopes: ['webhooks:read'], name: 'Second' } })
    const { data, errors } = await call('ApiKeys', { first: 1 })
    expect(errors).toBeUndefined()
    expect(data.apiKeys.nodes).toMatchObject([{ name: 'Second', scopes: ['webhooks:read'] }])
    const { endCursor: after } = data.apiKeys.pageInfo
    const { data: rest } = await call('ApiKeys', { after })
    expect(rest.apiKeys.nodes).toMatchObject([{ id: publicId('apiKey', tenant.keyId) }])
    expect(JSON.stringify([data, rest])).not.toMatch(/phk_\w{10}/)
    expect(api.statements.list).toEqual(['authenticate', 'select api_keys'])
  })
})

describe('createApiKey', () => {
  test('returns the token, which works immediately', async () => {
    const input = { scopes: ['webhooks:read', 'webhooks:read'], name: 'Console' }
    const { data, errors } = await call('CreateApiKey', { input })
    expect(errors).toBeUndefined()
    expect(data.createApiKey).toMatchObject({
      __typename: 'CreateApiKeySuccess',
      createdApiKey: { apiKey: { name: 'Console', scopes: ['webhooks:read'], expiresAt: null } },
    })
    const { token } = data.createApiKey.createdApiKey
    const viewer = await api.call(token, '{ viewer { scopes organization { id } } }')
    expect(viewer.data.viewer).toEqual({
      scopes: ['webhooks:read'],
      organization: { id: tenant.publicOrganizationId },
    })
  })

  test('stores the expiry, and needs no name', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { data } = await call('CreateApiKey', { input: { scopes: ['events:read'], expiresAt } })
    expect(data.createApiKey.createdApiKey.apiKey).toMatchObject({ expiresAt, name: null })
  })

  test.each([
    ['no scope', { scopes: [] }, ['scopes'], 'required'],
    ['an unknown scope', { scopes: ['webhook:read'] }, ['scopes'], 'unknown_scope'],
    [
      'an expiry in the past',
      { scopes: ['webhooks:read'], expiresAt: '2020-01-31T12:00:00Z' },
      ['expiresAt'],
      'in_the_past',
    ],
    ['an empty name', { scopes: ['webhooks:read'], name: ' ' }, ['name'], 'too_small'],
  ])('%s is rejected', async (_what, input, path, code) => {
    const { data, errors } = await call('CreateApiKey', { input })
    expect(errors).toBeUndefined()
    expect(data.createApiKey).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path, code }],
    })
  })

  test('a caller cannot grant a scope that its key lacks', async () => {
    const lesser = await api.tenant(['keys:manage', 'webhooks:read'])
    const input = { scopes: ['webhooks:read', 'secrets:read', 'admin'] }
    const { data } = await call('CreateApiKey', { input }, lesser.token)
    expect(data.createApiKey).toMatchObject({
      __typename: 'ValidationError',
      code: 'invalid',
      issues: [
        { path: ['scopes', '1'], code: 'scope_not_held' },
        { path: ['scopes', '2'], code: 'scope_not_held' },
      ],
    })
    const { data: list } = await call('ApiKeys', {}, lesser.token)
    expect(list.apiKeys.nodes).toHaveLength(1)
  })

  test('only an operator can create operator keys', async () => {
    const operator = await api.tenant(['admin'])
    const input = { scopes: ['admin', 'webhooks:read'] }
    const { data: rejected } = await call('CreateApiKey', { input })
    expect(rejected.createApiKey.__typename).toBe('ValidationError')
    const { data } = await call('CreateApiKey', { input }, operator.token)
    expect(data.createApiKey.createdApiKey.apiKey.scopes).toEqual(['admin', 'webhooks:read'])
  })
})

describe('revokeApiKey', () => {
  test('later requests with the key are rejected, and revoking it again changes nothing', async () => {
    const { data: created } = await call('CreateApiKey', { input: { scopes: ['webhooks:read'] } })
    const { token, apiKey } = created.createApiKey.createdApiKey
    const { data } = await call('RevokeApiKey', { id: apiKey.id })
    const { revokedAt } = data.revokeApiKey.apiKey
    expect(Date.parse(revokedAt)).toBeLessThanOrEqual(Date.now())
    const { status, errors } = await api.call(token, '{ viewer { scopes } }')
    expect(status).toBe(401)
    expect(errors).toMatchObject([{ message: 'The API key is revoked.' }])
    const { data: again } = await call('RevokeApiKey', { id: apiKey.id })
    expect(again.revokeApiKey.apiKey.revokedAt).toBe(revokedAt)
  })
})
