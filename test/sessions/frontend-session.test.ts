import { describe, expect, test } from 'vitest'
import { parseId, publicId } from '../../src/db/ids.ts'
import { document } from '../graphql/support/document.ts'
import { subscribe } from '../graphql/support/live.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { openBrowser } from '../server/browser.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { createTenant } from '../support/factories.ts'
import { postGraphql } from '../support/post-graphql.ts'

const posthorn = await useTestApp({ role: 'api' })
const { url } = posthorn.app
const webhookId = await createWebhook(posthorn, 'https://example.com/hook')

const prisma = () => posthorn.database.prisma
const key = () => posthorn.tenant.token

const call = (token: string, query: string, variables: object = {}, headers = {}) =>
  postGraphql(url, token, query, variables, headers)

async function create(input: object, token = key()) {
  const text = document('frontend-sessions', 'CreateFrontendSession')
  const wanted = { scopes: ['webhooks:read'], ...input }
  const { data, errors } = await call(token, text, { input: wanted })
  expect(errors).toBeUndefined()
  return data.createFrontendSession
}

async function start(input: object = {}) {
  const answer = await create(input)
  expect(answer).toMatchObject({ __typename: 'CreateFrontendSessionSuccess' })
  return { token: answer.token, ...answer.frontendSession }
}

const update = (id: string, data: object) =>
  prisma().apiKey.update({ where: { id: parseId('apiKey', id) as string }, data })

const secondsUntil = (time: string) => (new Date(time).getTime() - Date.now()) / 1_000

const VIEWER = `{ viewer { organization { id } apiKey { id } scopes
  session { kind webhookId expiresAt } } }`

const ENDED = (how: string) => [
  { message: `The frontend session ${how}.`, extensions: { code: 'UNAUTHENTICATED' } },
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
    const where = { id: parseId('apiKey', id) as string }
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
    expect(await create(input, operator.token)).toMatchObject({
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
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('is revoked'))
    expect(await stream.result(1)).toMatchObject({ errors: ENDED('was revoked') })
  })

  test('when it expires, with its streams', async () => {
    const { id, token } = await start({ scopes: ['deliveries:read'], ttlSeconds: 60 })
    using stream = await subscribe(url, token, 'subscription { attemptRecorded { id } }')
    await update(id, { expiresAt: new Date() })
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('is expired'))
    expect(await stream.result(1)).toMatchObject({ errors: ENDED('has expired') })
  })
})
