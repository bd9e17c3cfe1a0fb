import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type Tenant, useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

const run = (operation: string, variables?: object, by: Tenant = tenant) =>
  by.run('api-keys', operation, variables)

describe('createApiKey', () => {
  test('returns the token, which works immediately', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const input = { scopes: ['webhooks:read', 'webhooks:read'], name: 'Console', expiresAt }
    const { __typename, createdApiKey } = await run('CreateApiKey', { input })
    expect(__typename).toBe('CreateApiKeySuccess')
    const { token, apiKey } = createdApiKey
    expect(apiKey).toMatchObject({ name: 'Console', scopes: ['webhooks:read'], expiresAt })
    const viewer = await api.call(token, '{ viewer { scopes organization { id } } }')
    expect(viewer.data.viewer).toEqual({
      scopes: ['webhooks:read'],
      organization: { id: tenant.publicOrganizationId },
    })
  })

  test.each([
    ['no scope', { scopes: [] }, ['scopes'], 'required'],
    ['an unknown scope', { scopes: ['webhook:read'] }, ['scopes'], 'unknown_scope'],
    ['an expiry in the past', { expiresAt: '2020-01-31T12:00:00Z' }, ['expiresAt'], 'in_the_past'],
    ['an empty name', { name: ' ' }, ['name'], 'too_small'],
  ])('%s is rejected', async (_what, given, path, code) => {
    const input = { scopes: ['webhooks:read'], ...given }
    const rejected = { __typename: 'ValidationError', issues: [{ path, code }] }
    expect(await run('CreateApiKey', { input })).toMatchObject(rejected)
  })

  test('a caller cannot grant a scope that its key lacks', async () => {
    const lesser = await api.tenant(['keys:manage', 'webhooks:read'])
    const input = { scopes: ['webhooks:read', 'secrets:read', 'admin'] }
    expect(await run('CreateApiKey', { input }, lesser)).toMatchObject({
      __typename: 'ValidationError',
      code: 'invalid',
      issues: [
        { path: ['scopes', '1'], code: 'scope_not_held' },
        { path: ['scopes', '2'], code: 'scope_not_held' },
      ],
    })
    expect((await run('ApiKeys', {}, lesser)).nodes).toHaveLength(1)
  })
})

test('the last use of a key is recorded at most once a minute', async () => {
  const { keyId, call } = await api.tenant()
  const lastUse = async () =>
    (await api.database.prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt
  expect(await lastUse()).toBeNull()
  await call('{ viewer { scopes } }')
  await until(async () => (await lastUse()) !== null, 'the use is recorded')
  const first = await lastUse()
  await call('{ viewer { scopes } }')
  expect(await lastUse()).toEqual(first)
})

test('later requests with a revoked key are rejected, and revoking it again changes nothing', async () => {
  const input = { scopes: ['webhooks:read'] }
  const { token, apiKey } = (await run('CreateApiKey', { input })).createdApiKey
  const revoke = async () => (await run('RevokeApiKey', { id: apiKey.id })).apiKey.revokedAt
  const revokedAt = await revoke()
  expect(Date.parse(revokedAt)).toBeLessThanOrEqual(Date.now())
  const { status, errors } = await api.call(token, '{ viewer { scopes } }')
  expect(status).toBe(401)
  expect(errors).toMatchObject([{ message: 'The API key is revoked.' }])
  expect(await revoke()).toBe(revokedAt)
})
