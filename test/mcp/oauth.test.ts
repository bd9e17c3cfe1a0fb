import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { publicId } from '../../src/db/ids.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant } from '../support/factories.ts'
import { connectAgent } from './agent.ts'
import { type Issuer, startIssuer } from './issuer.ts'

const PUBLIC_URL = 'https://webhooks.example.com'
const METADATA = '/.well-known/oauth-protected-resource/mcp'

let issuer: Issuer
let database: Database
let posthorn: TestApp
let endedKeyId: string

beforeAll(async () => {
  issuer = await startIssuer()
  database = await createTestDatabase()
  const { organizationId } = await createTenant(database.prisma)
  const scopes = ['webhooks:read', 'deliveries:read', 'events:read'] as const
  const reading = await createApiKey(database.prisma, { organizationId, scopes })
  const writing = await createApiKey(database.prisma, {
    organizationId,
    scopes: [...scopes, 'webhooks:write', 'deliveries:write'],
  })
  const ended = await createApiKey(database.prisma, { organizationId, scopes })
  endedKeyId = ended.key.id
  const role = (group: string, id: string) => `groups=${group}:${publicId('apiKey', id)}`
  posthorn = await startTestApp({
    database,
    environment: {
      POSTHORN_MCP: 'write',
      POSTHORN_PUBLIC_URL: PUBLIC_URL,
      POSTHORN_OIDC_ISSUER: issuer.url,
      POSTHORN_OIDC_CLIENT_ID: 'posthorn',
      POSTHORN_OIDC_ROLES: [
        role('support', reading.key.id),
        role('operators', writing.key.id),
        role('former', ended.key.id),
      ].join(','),
    },
  })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const aud = `${PUBLIC_URL}/mcp`

test('the metadata of the resource name the provider', async () => {
  const response = await fetch(posthorn.app.url + METADATA)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toEqual({
    resource: aud,
    resource_name: 'Posthorn',
    authorization_servers: [issuer.url],
    scopes_supported: ['openid', 'email', 'profile'],
    bearer_methods_supported: ['header'],
  })
})

test('a request without a token is told where the metadata are', async () => {
  const response = await send(null)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer realm="posthorn", resource_metadata="${PUBLIC_URL}${METADATA}"`,
  )
})

test('a token has the tools of its role', async () => {
  const token = await issuer.token({ aud, groups: ['support'], name: 'Ada' })
  await using agent = await connectAgent(posthorn.app.url, token)
  expect(await agent.call('list_webhooks')).toMatchObject({ total: 0 })
  const names = await agent.toolNames()
  expect(names).toContain('find_events')
  expect(names).not.toContain('redeliver')
  const other = await issuer.token({ aud: ['https://other.example', aud], groups: ['operators'] })
  await using operator = await connectAgent(posthorn.app.url, other)
  expect(await operator.toolNames()).toContain('redeliver')
})

test('an API key still works, and a wrong one is told where the metadata are', async () => {
  await using agent = await connectAgent(posthorn.app.url, posthorn.tenant.token)
  expect(await agent.call('list_webhooks')).toMatchObject({ total: 0 })
  const response = await send('phk_wrong')
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
})

describe('a token gets 401', () => {
  const expired = Math.floor(Date.now() / 1_000) - 120
  test.each([
    [
      'for another audience',
      () => issuer.token({ aud: 'https://other.example', groups: ['support'] }),
    ],
    [
      'for the sign-in of the console',
      () => issuer.token({ aud: 'posthorn', groups: ['support'] }),
    ],
    ['without an audience', () => issuer.token({ groups: ['support'] })],
    ['that has expired', () => issuer.token({ aud, groups: ['support'], exp: expired })],
    [
      'of another issuer',
      () => issuer.token({ aud, groups: ['support'], iss: 'https://other.example' }),
    ],
    ['that another key signed', () => issuer.forged({ aud, groups: ['support'] })],
    ['without a signature', async () => unsigned(await issuer.token({ aud, groups: ['support'] }))],
    ['that is signed with a shared secret', async () => `${header('HS256')}.${payload()}.c2ln`],
  ])('%s', async (_, mint) => {
    const response = await send(await mint())
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain(`resource_metadata="${PUBLIC_URL}`)
    expect((await response.json()).detail).toMatch(/access token is not valid/)
  })

  test('of a role whose key was revoked', async () => {
    const token = await issuer.token({ aud, groups: ['former'] })
    expect((await send(token)).status).toBe(200)
    await revokeApiKey(database.prisma, publicId('apiKey', endedKeyId))
    expect((await send(token)).status).toBe(401)
  })
})

test('a token without a role gets 403', async () => {
  const response = await send(await issuer.token({ aud, groups: ['strangers'] }))
  expect(response.status).toBe(403)
  expect((await response.json()).detail).toContain('POSTHORN_OIDC_ROLES')
})

test('a token is for /mcp only', async () => {
  const token = await issuer.token({ aud, groups: ['operators'] })
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"query":"{ viewer { scopes } }"}',
  })
  expect(response.status).toBe(401)
})

test('while the provider does not answer, a token gets 503 and a key works', async () => {
  await using fresh = await startTestApp({
    environment: {
      POSTHORN_MCP: 'read',
      POSTHORN_PUBLIC_URL: PUBLIC_URL,
      POSTHORN_OIDC_ISSUER: issuer.url,
      POSTHORN_OIDC_CLIENT_ID: 'posthorn',
      POSTHORN_OIDC_ROLES: `groups=support:${publicId('apiKey', posthorn.tenant.keyId)}`,
    },
  })
  issuer.isUp = false
  const token = await issuer.token({ aud, groups: ['support'] })
  expect((await send(token, fresh.app.url)).status).toBe(503)
  expect((await send(fresh.tenant.token, fresh.app.url)).status).toBe(200)
  issuer.isUp = true
})

function send(token: string | null, url = posthorn.app.url): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  })
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = (alg: string) => encode({ alg, kid: 'key-1' })
const payload = () =>
  encode({ iss: issuer.url, aud, sub: 'ada', exp: 4_000_000_000, groups: ['support'] })

/** The token with the algorithm `none`. */
function unsigned(token: string): string {
  return `${header('none')}.${token.split('.')[1]}.AA`
}
