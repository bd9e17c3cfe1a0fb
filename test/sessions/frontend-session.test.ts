import { beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/access/scope.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { subscribe } from '../graphql/support/live.ts'
import { openBrowser } from '../server/browser.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'

let url: string
let webhookId: string

const posthorn = await useTestApp({ role: 'api' })

beforeAll(async () => {
  url = posthorn.app.url
  webhookId = await addWebhook()
})

const prisma = () => posthorn.database.prisma
const key = () => posthorn.tenant.token

async function call(
  token: string,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields of its own query.
): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  return await response.json()
}

async function addWebhook(): Promise<string> {
  const input = { url: 'https://example.com/hook', eventSubscriptions: [JOINED] }
  const { data } = await call(key(), document('webhooks', 'CreateWebhook'), { input })
  return data.createWebhook.webhook.id
}

async function run(operation: string, variables: object, token = key(), headers = {}) {
  const text = document('frontend-sessions', operation)
  const { data, errors } = await call(token, text, variables, headers)
  expect(errors).toBeUndefined()
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields of its own query.
  return Object.values(data)[0] as any
}

interface Session {
  readonly id: string
  readonly token: string
  readonly expiresAt: string
}

async function start(input: object = {}, token = key(), headers = {}): Promise<Session> {
  const wanted = { scopes: ['webhooks:read'], ...input }
  const answer = await run('CreateFrontendSession', { input: wanted }, token, headers)
  expect(answer).toMatchObject({ __typename: 'CreateFrontendSessionSuccess' })
  return { token: answer.token, ...answer.frontendSession }
}

const update = (id: string, data: object) =>
  prisma().apiKey.update({ where: { id: parseId('apiKey', id) as string }, data })

const secondsUntil = (time: string) => (new Date(time).getTime() - Date.now()) / 1_000

const VIEWER = `{ viewer { organization { id } apiKey { id } scopes
  session { kind webhookId expiresAt } } }`

const ENDED = (state: string) => [
  { message: `The frontend session is ${state}.`, extensions: { code: 'UNAUTHENTICATED' } },
]

describe('a frontend session', () => {
  test('is a token that acts for its organization with its scopes and its webhook', async () => {
    const { id, token, expiresAt } = await start({ webhookId, ttlSeconds: 120 })
    expect(token).toMatch(/^phs_\w{49}$/)
    expect(secondsUntil(expiresAt)).toBeGreaterThan(60)
    expect(secondsUntil(expiresAt)).toBeLessThanOrEqual(120)
    expect((await call(token, VIEWER)).data).toEqual({
      viewer: {
        organization: { id: posthorn.tenant.publicOrganizationId },
        apiKey: { id },
        scopes: ['webhooks:read'],
        session: { kind: 'FRONTEND', webhookId, expiresAt },
      },
    })
    const { data } = await call(key(), VIEWER)
    expect(data.viewer.session).toBeNull()
  })

  test('is audited and stored without its token', async () => {
    const { id, token } = await start({ webhookId, name: ' user 4711 ' })
    const entry = await prisma().auditEntry.findFirstOrThrow({ where: { subjectId: id } })
    const after = { name: 'user 4711', scopes: ['webhooks:read'], webhookId }
    expect(entry).toMatchObject({ action: 'frontend_session.created', after })
    expect(entry.apiKeyId).toBe(posthorn.tenant.keyId)
    const uuid = parseId('apiKey', id) as string
    const where = { id: uuid }
    const stored = await prisma().apiKey.findUniqueOrThrow({ where, omit: { revision: true } })
    expect(JSON.stringify([entry, stored])).not.toContain(token)
  })

  test('appears as the author of its changes', async () => {
    const { id, token } = await start({ webhookId, scopes: ['webhooks:write'] })
    const change = { id: webhookId, input: { description: `By ${id}` } }
    await call(token, document('webhooks', 'UpdateWebhook'), change)
    const entry = await prisma().auditEntry.findFirstOrThrow({
      where: { action: 'webhook.updated' },
      orderBy: { id: 'desc' },
    })
    expect(publicId('apiKey', entry.apiKeyId as string)).toBe(id)
  })
})

describe('a frontend session is not created', () => {
  test.each([
    ['with an empty name', { name: ' ' }, 'name must not be empty'],
    ['with a long name', { name: 'x'.repeat(201) }, 'at most 200 characters'],
    ['with NUL in its name', { name: 'a\0b' }, 'NUL'],
  ])('%s', async (_, input, message) => {
    const operator = await createTenant(prisma(), ['admin'])
    const wanted = { scopes: ['webhooks:read'], ...input }
    expect(await run('CreateFrontendSession', { input: wanted }, operator.token)).toMatchObject({
      __typename: 'ValidationError',
      message: expect.stringContaining(message),
    })
  })
})

describe('the token of a frontend session', () => {
  test('is rejected over REST and by the sign-in of the console, with the reason', async () => {
    const { token } = await start()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/connect/v1/webhooks`, { headers })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('frontend session')
    const signIn = await openBrowser(url).signIn({ token })
    expect(signIn.status).toBe(403)
    expect(signIn.headers.get('set-cookie')).toBeNull()
  })

  test('can neither read nor create keys or sessions', async () => {
    const scopes = SCOPES.filter((scope) => scope !== 'admin' && scope !== 'keys:manage')
    const { token } = await start({ scopes })
    for (const query of [
      '{ apiKeys { nodes { id } } }',
      'mutation { createApiKey(input: { scopes: ["webhooks:read"] }) { __typename } }',
      'mutation { createFrontendSession(input: { scopes: ["webhooks:read"] }) { __typename } }',
    ]) {
      expect((await call(token, query)).errors).toMatchObject([
        { extensions: { code: 'FORBIDDEN' } },
      ])
    }
  })
})

describe('a frontend session ends', () => {
  test('at once when it is revoked, with its streams in every process', async () => {
    const { database } = posthorn
    await using second = await startTestApp({ role: 'api', database })
    const { id, token } = await start({ scopes: ['deliveries:read'] })
    using stream = await subscribe(second.app.url, token, 'subscription { attemptRecorded { id } }')
    expect(stream.end).toBeNull()
    const { data } = await call(key(), document('api-keys', 'RevokeApiKey'), { id })
    expect(data.revokeApiKey.__typename).toBe('RevokeApiKeySuccess')
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('revoked'))
    expect(await stream.result(1)).toMatchObject({
      errors: [
        {
          message: 'The frontend session was revoked.',
          extensions: { code: 'UNAUTHENTICATED' },
        },
      ],
    })
  })

  test('when it expires, with its streams', async () => {
    const { id, token } = await start({ scopes: ['deliveries:read'], ttlSeconds: 60 })
    using stream = await subscribe(url, token, 'subscription { attemptRecorded { id } }')
    await update(id, { expiresAt: new Date() })
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('expired'))
    expect(await stream.result(1)).toMatchObject({
      errors: [{ message: 'The frontend session has expired.' }],
    })
  })
})
