import { describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../src/access/scope.ts'
import { mintToken } from '../../src/api-keys/token.ts'
import { publicId } from '../../src/db/ids.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { NEW_WEBHOOK, problem, UNKNOWN_ID, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()

const OPERATIONS: [scope: Scope, method: string, path: string, body?: object][] = [
  ['webhooks:write', 'POST', '/webhooks', NEW_WEBHOOK],
  ['webhooks:read', 'GET', '/webhooks'],
  ['webhooks:read', 'GET', '/webhooks/{id}'],
  ['webhooks:write', 'PUT', '/webhooks/{id}', { enabled: false }],
  ['webhooks:write', 'DELETE', '/webhooks/{id}'],
  ['secrets:read', 'GET', '/webhooks/{id}/secret'],
  ['secrets:rotate', 'POST', '/webhooks/{id}/secret/rotate'],
]

async function keyWith(scopes: readonly Scope[], expiry: { expiresAt?: Date } = {}) {
  const { organizationId } = api.tenant
  return await createApiKey(api.database.prisma, { organizationId, scopes, ...expiry })
}

describe('401: every management request needs Authorization: Bearer <API_KEY>', () => {
  test.each(OPERATIONS)('(%s) %s %s without a key', async (_scope, method, path, body) => {
    const response = await api.call(method, path.replace('{id}', UNKNOWN_ID), { token: null, body })
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="posthorn"')
    const { detail } = await problem(response, 401)
    expect(detail).toContain('Authorization: Bearer <API key>')
  })

  test.each([
    ['another scheme', 'Basic cGhrOnNlY3JldA=='],
    ['no token', 'Bearer'],
    ['no token but spaces', 'Bearer   '],
  ])('%s is not reported as an invalid token', async (_what, authorization) => {
    const response = await api.call('GET', '/webhooks', { token: null, headers: { authorization } })
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="posthorn"')
    await problem(response, 401)
  })

  async function expectInvalidToken(token: string, reason: string) {
    const response = await api.call('GET', '/webhooks', { token })
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="posthorn", error="invalid_token", error_description="${reason}"`,
    )
    const { detail } = await problem(response, 401)
    expect(detail).toBe(reason)
    expect(detail).not.toContain(token)
  }

  test.each([
    ['malformed', 'phk_nonsense'],
    ['unknown', mintToken()],
  ])('a key that is %s', async (what, token) => {
    await expectInvalidToken(token, `The API key is ${what}.`)
  })

  test('an expired key', async () => {
    const { key, token } = await keyWith(['webhooks:read'], {
      expiresAt: new Date(Date.now() + 60_000),
    })
    expect((await api.call('GET', '/webhooks', { token })).status).toBe(200)
    await api.database.prisma.apiKey.update({
      where: { id: key.id },
      data: { expiresAt: new Date(Date.now() - 1) },
    })
    await expectInvalidToken(token, 'The API key is expired.')
  })

  test('a revoked key, immediately', async () => {
    const { key, token } = await keyWith(['webhooks:read'])
    expect((await api.call('GET', '/webhooks', { token })).status).toBe(200)
    await revokeApiKey(api.database.prisma, publicId('apiKey', key.id))
    await expectInvalidToken(token, 'The API key is revoked.')
  })

  test('takes precedence over errors of the body and the method', async () => {
    const broken = { token: null, body: '{', headers: { 'content-type': 'text/plain' } }
    await problem(await api.call('POST', '/webhooks', broken), 401)
    await problem(await api.call('PATCH', '/webhooks', broken), 401)
  })

  test('the scheme is not case-sensitive', async () => {
    const authorization = `bEARER ${api.tenant.token}`
    const response = await api.call('GET', '/webhooks', { token: null, headers: { authorization } })
    expect(response.status).toBe(200)
  })
})

describe('403: the key lacks the scope', () => {
  test.each(OPERATIONS)(
    '%s is required and sufficient for %s %s',
    async (scope, method, path, body) => {
      const { id } = await api.create()
      const [without, granted] = [
        await keyWith(SCOPES.filter((other) => other !== scope && other !== 'admin')),
        await keyWith([scope]),
      ]
      const call = (token: string) => api.call(method, path.replace('{id}', id), { token, body })
      const count = await api.countWebhooks()
      const response = await call(without.token)
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer realm="posthorn", error="insufficient_scope"',
      )
      const { detail } = await problem(response, 403)
      expect(detail).toContain(scope)
      expect(await api.countWebhooks()).toBe(count)

      expect((await call(granted.token)).ok).toBe(true)
    },
  )

  test('the scope admin includes all of them', async () => {
    const { token } = await keyWith(['admin'])
    const response = await api.call('POST', '/webhooks', { token, body: NEW_WEBHOOK })
    expect(response.status).toBe(201)
  })
})
