import { describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../../src/auth/access/scope.ts'
import { mintToken } from '../../../src/auth/api-keys/authenticate.ts'
import { publicId } from '../../../src/db/ids.ts'
import { createApiKey, revokeApiKey } from '../../support/api-keys.ts'
import { createTenant } from '../../support/factories.ts'
import { json, NEW_WEBHOOK, problem, UNKNOWN_ID, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()
const otherTenant = await createTenant(api.database.prisma)

const OPERATIONS: [scope: Scope, method: string, path: string, body?: object][] = [
  ['webhooks:write', 'POST', '/webhooks', NEW_WEBHOOK],
  ['webhooks:read', 'GET', '/webhooks'],
  ['webhooks:read', 'GET', '/webhooks/{id}'],
  ['webhooks:write', 'PUT', '/webhooks/{id}', { enabled: false }],
  ['webhooks:write', 'PUT', '/webhooks/{id}', {}],
  ['webhooks:write', 'DELETE', '/webhooks/{id}'],
  ['secrets:read', 'GET', '/webhooks/{id}/secret'],
  ['secrets:rotate', 'POST', '/webhooks/{id}/secret/rotate'],
]

async function keyWith(scopes: readonly Scope[], expiry: { expiresAt?: Date } = {}) {
  const { organizationId } = api.tenant
  return await createApiKey(api.database.prisma, { organizationId, scopes, ...expiry })
}

const challengeOf = (response: Response) => response.headers.get('www-authenticate')

test.each(OPERATIONS)(
  '%s is required and sufficient for %s %s: 401 without a key, 403 without the scope',
  async (scope, method, path, body) => {
    const { id } = await api.create()
    const call = (token: string | null) =>
      api.call(method, path.replace('{id}', id), { token, body })
    const without = await keyWith(SCOPES.filter((one) => one !== scope && one !== 'admin'))
    const count = await api.countWebhooks()
    const keyless = await call(null)
    expect(challengeOf(keyless)).toBe('Bearer realm="posthorn"')
    expect((await problem(keyless, 401)).detail).toContain('Authorization: Bearer <API key>')
    const forbidden = await call(without.token)
    expect(challengeOf(forbidden)).toBe('Bearer realm="posthorn", error="insufficient_scope"')
    expect((await problem(forbidden, 403)).detail).toContain(scope)
    expect(await api.countWebhooks()).toBe(count)
    expect((await call((await keyWith([scope])).token)).ok).toBe(true)
  },
)

test('the scope admin includes all of them', async () => {
  const { token } = await keyWith(['admin'])
  const response = await api.call('POST', '/webhooks', { token, body: NEW_WEBHOOK })
  expect(response.status).toBe(201)
})

describe('401', () => {
  test.each([
    ['another scheme', 'Basic cGhrOnNlY3JldA=='],
    ['no token', 'Bearer'],
  ])('%s is not reported as an invalid token', async (_what, authorization) => {
    const response = await api.call('GET', '/webhooks', { token: null, headers: { authorization } })
    expect(challengeOf(response)).toBe('Bearer realm="posthorn"')
    await problem(response, 401)
  })

  async function expectInvalidToken(token: string, reason: string) {
    const response = await api.call('GET', '/webhooks', { token })
    expect(challengeOf(response)).toBe(
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

  test.each(['expired', 'revoked'])('a key that is %s, immediately', async (how) => {
    const expiresAt = new Date(Date.now() + 60_000)
    const { key, token } = await keyWith(['webhooks:read'], { expiresAt })
    expect((await api.call('GET', '/webhooks', { token })).status).toBe(200)
    const { prisma } = api.database
    if (how === 'revoked') await revokeApiKey(prisma, publicId('apiKey', key.id))
    else await prisma.apiKey.update({ where: { id: key.id }, data: { expiresAt: new Date() } })
    await expectInvalidToken(token, `The API key is ${how}.`)
  })

  test('takes precedence over errors of the body and the method', async () => {
    const broken = { token: null, body: '{', headers: { 'content-type': 'text/plain' } }
    await problem(await api.call('POST', '/webhooks', broken), 401)
    await problem(await api.call('PATCH', '/webhooks', broken), 401)
  })
})

const OF_A_WEBHOOK: typeof OPERATIONS = [
  ...OPERATIONS.filter(([, , path]) => path.includes('{id}')),
  ['webhooks:write', 'PUT', '/webhooks/{id}', { enabeld: true }],
  ['webhooks:write', 'PUT', '/webhooks/{id}', { url: 'http://receiver.example' }],
]

test.each(OF_A_WEBHOOK)(
  "404: another organization's webhook is indistinguishable from an unknown one: %s %s %s %j",
  async (_scope, method, path, body) => {
    const webhook = await api.create()
    const secretPath = `/webhooks/${webhook.id}/secret`
    const secret = await json(await api.call('GET', secretPath))
    const call = (id: string) =>
      api.call(method, path.replace('{id}', id), { token: otherTenant.token, body })
    const theirs = await problem(await call(webhook.id), 404)
    const unknown = await problem(await call(UNKNOWN_ID), 404)
    expect(JSON.stringify(theirs).replaceAll(webhook.id, '')).toBe(
      JSON.stringify(unknown).replaceAll(UNKNOWN_ID, ''),
    )
    expect(await json(await api.call('GET', `/webhooks/${webhook.id}`))).toEqual(webhook)
    expect(await json(await api.call('GET', secretPath))).toEqual(secret)
  },
)

test('no header selects another organization, even for an operator', async () => {
  await api.create()
  const operator = await createTenant(api.database.prisma, ['admin'])
  const headers = { 'posthorn-organization': api.tenant.publicOrganizationId }
  const response = await api.call('GET', '/webhooks', { token: operator.token, headers })
  expect(await json(response)).toEqual([])
})
