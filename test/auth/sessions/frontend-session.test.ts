import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/auth/api-keys/api-key-settings.ts'
import { findEnded } from '../../../src/auth/api-keys/authenticate.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { deleteOldRows } from '../../../src/run/maintenance.ts'
import { document } from '../../graphql/support/document.ts'
import { subscribe } from '../../graphql/support/live.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { openBrowser } from '../../server/browser.ts'
import { createApiKey, revokeApiKey } from '../../support/api-keys.ts'
import { startTestApp, useTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { callerWith, postGraphql } from '../../support/post-graphql.ts'

const posthorn = await useTestApp({ role: 'api' })
const { url } = posthorn.app
const webhookId = await createWebhook(posthorn, 'https://example.com/hook')

const { prisma } = posthorn.database

const call = (token: string, query: string, variables: object = {}, headers = {}) =>
  postGraphql(url, token, query, variables, headers)

async function create(input: object, token = posthorn.tenant.token, headers = {}) {
  const mutation = document('portal-sessions', 'CreatePortalSession')
  const { data, errors } = await call(token, mutation, { input }, headers)
  expect(errors).toBeUndefined()
  return data.createPortalSession
}

/** Creates a valid session, and reads the token from its URL. */
async function start(input: object = {}, token = posthorn.tenant.token, headers = {}) {
  const { portalSession } = await create({ scopes: ['webhooks:read'], ...input }, token, headers)
  const { searchParams } = new URL(portalSession.url.replace('#', '?'))
  return { ...portalSession, token: searchParams.get('token') as string, searchParams }
}

const KINDS = ['portal', 'frontend'] as const

async function createFrontend(given: object) {
  const input = { scopes: ['webhooks:read'], ...given }
  const mutation = document('frontend-sessions', 'CreateFrontendSession')
  return (await posthorn.graphql(mutation, { input })).createFrontendSession
}

/** Creates a valid frontend session. */
async function startFrontend(input: object = {}) {
  const { token, frontendSession } = await createFrontend(input)
  return { ...frontendSession, token }
}

const startOf = { portal: start, frontend: startFrontend }

const VIEWER = `{ viewer {
  organization { id } apiKey { id } scopes session { kind webhookId expiresAt } } }`

const ENDED = (how: string, kind = 'portal') => [
  { message: `The ${kind} session ${how}.`, extensions: { code: 'UNAUTHENTICATED' } },
]

async function expireIn(hours: number, id: string): Promise<void> {
  const expiresAt = new Date(Date.now() + hours * 3_600_000)
  await prisma.apiKey.update({ where: { id }, data: { expiresAt } })
}

const ended = (apiKeyId: string) =>
  findEnded(posthorn.database.pool, [{ apiKeyId, sessionId: null }])

describe('a portal session', () => {
  test('is a URL with the token in the fragment, which browsers never send', async () => {
    const theme = {
      primaryColor: '#7048e8',
      fontFamily: '"Figtree", sans-serif',
      fontUrl: 'https://app.example.com/figtree.woff2',
      radius: 4,
      backgroundColor: '#14161b',
      foregroundColor: '#eeeeee',
      padding: 24,
      density: 'COMPACT',
      showHeader: true,
      logoUrl: 'https://cdn.example.com/a b.svg?x=1&y=2#z'.replace(' ', '%20'),
      colorScheme: 'DARK',
    }
    const session = await start({ theme, pages: ['WEBHOOKS', 'EVENT_TYPES'] })
    expect(session.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/portal#token=phs_/)
    expect(session.url.startsWith(`${url}/portal#`)).toBe(true)
    expect(Object.fromEntries(session.searchParams)).toEqual({
      ...theme,
      token: expect.stringMatching(/^phs_\w{49}$/),
      pages: 'webhooks event-types',
      ...{ radius: '4', padding: '24', density: 'compact', showHeader: 'true' },
      colorScheme: 'dark',
    })
    const { searchParams } = await start({ theme: { radius: 0 }, locale: 'pt-BR' })
    expect(Object.fromEntries(searchParams)).toMatchObject({ radius: '0', locale: 'pt-BR' })
    expect(searchParams.size).toBe(3)
    expect((await start({ locale: 'auto' })).searchParams.size).toBe(1)
  })

  test('has the public URL if one is configured, as the OpenAPI document has', async () => {
    const read = async (at: string) => (await fetch(`${at}/openapi.json`)).json()
    expect(await read(url)).toMatchObject({ servers: [{ url: '/' }] })
    const environment = { POSTHORN_PUBLIC_URL: 'https://webhooks.example.com' }
    await using other = await startTestApp({ role: 'api', environment })
    const servers = [{ url: environment.POSTHORN_PUBLIC_URL }]
    expect(await read(other.app.url)).toMatchObject({ servers })
    const mutation = document('portal-sessions', 'CreatePortalSession')
    const { createPortalSession } = await other.graphql(mutation, {
      input: { scopes: ['webhooks:read'] },
    })
    const { url: portal } = createPortalSession.portalSession
    expect(portal).toMatch(/^https:\/\/webhooks\.example\.com\/portal#/)
  })

  test('acts for its organization with its scopes, and reports itself as a portal session', async () => {
    const { id, token, expiresAt } = await start({ webhookId, ttlSeconds: 120 })
    expect((await call(token, VIEWER)).data).toEqual({
      viewer: {
        organization: { id: posthorn.tenant.publicOrganizationId },
        apiKey: { id },
        scopes: ['webhooks:read'],
        session: { kind: 'PORTAL', webhookId, expiresAt },
      },
    })
    const lastsMs = new Date(expiresAt).getTime() - Date.now()
    expect(lastsMs).toBeGreaterThan(60_000)
    expect(lastsMs).toBeLessThanOrEqual(120_000)
    const hourLeft = new Date((await start()).expiresAt).getTime() - Date.now()
    expect(hourLeft).toBeGreaterThan(3_000_000)
    expect(hourLeft).toBeLessThanOrEqual(3_600_000)
    const { data } = await call((await start()).token, VIEWER)
    expect(data.viewer.session.webhookId).toBeNull()
    const ordinary = await call(posthorn.tenant.token, VIEWER)
    expect(ordinary.data.viewer.session).toBeNull()
  })

  test('has no higher rate limits than the key that created it', async () => {
    const { organizationId } = posthorn.tenant
    const scopes = ['keys:manage', 'webhooks:read']
    const limits = { requestsPerSecond: 7, eventsPerSecond: 60_000, deliveriesPerSecond: 9 }
    const { token } = await createApiKey(prisma, { organizationId, scopes, ...limits })
    const { id } = await start({}, token)
    const uuid = parseId('apiKey', id) as string
    expect(await prisma.apiKey.findUnique({ where: { id: uuid } })).toMatchObject(limits)
  })

  test('can be created by an operator for another organization', async () => {
    const operator = await createTenant(prisma, ['admin'])
    const header = { 'posthorn-organization': posthorn.tenant.publicOrganizationId }
    const { token } = await start({ webhookId }, operator.token, header)
    const { data } = await call(token, VIEWER)
    expect(data.viewer.organization.id).toBe(posthorn.tenant.publicOrganizationId)
    const forbidden = [{ extensions: { code: 'FORBIDDEN' } }]
    expect((await call(token, VIEWER, {}, header)).errors).toMatchObject(forbidden)
  })
})

describe('a portal session is not created', () => {
  test.each([
    ['without a scope', { scopes: [] }, 'scopes must have 1 to 50 of the scopes'],
    ['with an unknown scope', { scopes: ['webhooks:reed'] }, 'Did you mean'],
    ['with admin', { scopes: ['admin'] }, 'it gives access to every organization'],
    ['with keys:manage', { scopes: ['keys:manage'] }, 'could create keys that outlive'],
    ['for less than a minute', { ttlSeconds: 59 }, 'from 60 to 86,400'],
    ['for more than a day', { ttlSeconds: 86_401 }, 'from 60 to 86,400'],
    ['with a malformed color', { theme: { primaryColor: 'red' } }, 'as #rrggbb'],
    ['with a font that has a rule', { theme: { fontFamily: 'x; color: red' } }, 'CSS font-family'],
    [
      'with a font over HTTP',
      { theme: { fontFamily: 'x', fontUrl: 'http://a.b/x' } },
      'https:// URL',
    ],
    ['with a file of no font', { theme: { fontUrl: 'https://a.b/x' } }, 'required with fontUrl'],
    ['with a negative radius', { theme: { radius: -1 } }, 'from 0 to 16'],
    ['with much padding', { theme: { padding: 65 } }, 'from 0 to 64'],
    ['with the name of a language', { locale: 'Deutsch!' }, 'such as de or pt-BR'],
    ['without a page', { pages: [] }, 'at least one page'],
    ['with a script as logo', { theme: { logoUrl: 'javascript:alert(1)' } }, 'https:// URL'],
  ])('%s', async (_, input, message) => {
    const operator = await createTenant(prisma, ['admin'])
    const answer = await create({ scopes: ['webhooks:read'], ...input }, operator.token)
    expect(answer.__typename).toBe('ValidationError')
    expect(answer.message).toContain(message)
  })

  test('with a scope that the caller’s key lacks, or for one webhook with that to publish to all', async () => {
    const lesser = await createTenant(prisma, ['keys:manage', 'webhooks:read'])
    const answer = await create({ scopes: ['webhooks:read', 'secrets:read'] }, lesser.token)
    expect(answer.issues).toMatchObject([{ code: 'scope_not_held', path: ['scopes', '1'] }])
    const scopes = ['events:publish']
    const wider = await create({ scopes, webhookId })
    expect(wider.issues).toMatchObject([{ code: 'scope_not_for_sessions' }])
    expect((await create({ scopes })).__typename).toMatch(/Success$/)
  })

  test('for the webhook of another organization, a deleted webhook, or an id of another kind', async () => {
    const stranger = callerWith(url, (await createTenant(prisma)).token)
    const theirs = await createWebhook(stranger, 'https://example.com/hook')
    const deleted = await createWebhook(posthorn, 'https://example.com/hook')
    await posthorn.rest('DELETE', `/webhooks/${deleted}`)
    for (const id of [theirs, deleted, 'wh_x', publicId('apiKey', posthorn.tenant.keyId)]) {
      const answer = await create({ scopes: ['webhooks:read'], webhookId: id })
      expect(answer).toMatchObject({ __typename: 'NotFoundError' })
    }
  })
})

describe('the token of a session', () => {
  test.each(KINDS)('of a %s session is rejected over REST and does not sign in', async (kind) => {
    const { token } = await startOf[kind]()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/connect/v1/webhooks`, { headers })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain(`${kind} session`)
    const signIn = await openBrowser(url).signIn({ token })
    expect(signIn.status).toBe(403)
    expect(signIn.headers.get('set-cookie')).toBeNull()
  })

  test.each(KINDS)('of a %s session is neither in the audit log nor stored', async (kind) => {
    const { id, token } = await startOf[kind]({ webhookId })
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { subjectId: id } })
    const after = { scopes: ['webhooks:read'], webhookId, expiresAt: expect.any(String) }
    const { keyId: apiKeyId } = posthorn.tenant
    expect(entry).toMatchObject({ action: `${kind}_session.created`, apiKeyId, after })
    const where = { id: parseId('apiKey', id) as string }
    const stored = await prisma.apiKey.findUniqueOrThrow({ where })
    expect(JSON.stringify([entry, stored])).not.toContain(token)
  })

  test('never has the scope that manages keys and sessions', async () => {
    const { organizationId } = posthorn.tenant
    for (const sessionKind of KINDS) {
      const token = { tokenHint: 'phs_', tokenHash: Buffer.alloc(32, 7), expiresAt: new Date() }
      const scopes = ['keys:manage']
      const data = { organizationId, sessionKind, scopes, ...token, ...DEFAULT_LIMITS }
      await expect(prisma.apiKey.create({ data })).rejects.toThrow('sessions_manage_nothing')
    }
  })

  test('is in no list of keys', async () => {
    const { id } = await start()
    const { data } = await call(posthorn.tenant.token, '{ apiKeys(first: 100) { nodes { id } } }')
    expect(JSON.stringify(data)).toContain(publicId('apiKey', posthorn.tenant.keyId))
    expect(JSON.stringify(data)).not.toContain(id)
  })
})

describe('a portal session ends', () => {
  test('at once, with its streams, when the key that created it is revoked, but not another key', async () => {
    const owned = { ...posthorn.tenant, scopes: ['keys:manage', 'webhooks:read'] }
    const creator = await createApiKey(prisma, owned)
    const other = await createApiKey(prisma, owned)
    const { token, id } = await start({}, creator.token)
    const uuid = parseId('apiKey', id) as string
    await revokeApiKey(prisma, publicId('apiKey', other.key.id))
    expect((await call(token, VIEWER)).errors).toBeUndefined()
    expect(await ended(uuid)).toEqual([null])
    await revokeApiKey(prisma, publicId('apiKey', creator.key.id))
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('is revoked'))
    expect(await ended(uuid)).toEqual(['revoked'])
  })

  test('with its streams when the key that created it expires, and shows this time as its own expiry', async () => {
    const scopes = ['keys:manage', 'webhooks:read', 'deliveries:read']
    const expiresAt = new Date(Date.now() + 90_000)
    const creator = await createApiKey(prisma, { ...posthorn.tenant, scopes, expiresAt })
    const session = await start({ scopes: ['webhooks:read', 'deliveries:read'] }, creator.token)
    expect(session.expiresAt).toBe(expiresAt.toISOString())
    const shorter = await start({ ttlSeconds: 60 }, creator.token)
    expect(new Date(shorter.expiresAt).getTime()).toBeLessThan(expiresAt.getTime())
    const uuid = parseId('apiKey', session.id) as string
    expect((await call(session.token, VIEWER)).errors).toBeUndefined()
    expect(await ended(uuid)).toEqual([null])

    using stream = await subscribe(url, session.token, 'subscription { attemptRecorded { id } }')
    expect(stream.end).toBeNull()
    await expireIn(0, uuid)
    expect((await call(session.token, VIEWER)).errors).toMatchObject(ENDED('is expired'))
    expect(await stream.result(1)).toMatchObject({ errors: ENDED('has expired') })
    expect(await ended(uuid)).toEqual(['expired'])
  })

  test('when it expires, and is deleted a day later', async () => {
    const { id, token } = await start()
    const uuid = parseId('apiKey', id) as string
    const { keyId } = await createTenant(prisma)
    await expireIn(-25, keyId)
    await expireIn(-23, uuid)
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('is expired'))
    await deleteOldRows(posthorn.database.pool, 'sessions')
    expect(await prisma.apiKey.count({ where: { id: uuid } })).toBe(1)
    await expireIn(-25, uuid)
    await deleteOldRows(posthorn.database.pool, 'sessions')
    expect(await prisma.apiKey.count({ where: { id: uuid } })).toBe(0)
    // API keys stay.
    expect(await prisma.apiKey.count({ where: { id: keyId } })).toBe(1)
  })
})

describe('a frontend session', () => {
  test('is a token that acts for its organization, in the audit log with its name', async () => {
    const { id, token, expiresAt } = await startFrontend({ webhookId, name: ' user 4711 ' })
    expect(token).toMatch(/^phs_\w{49}$/)
    expect((await call(token, VIEWER)).data.viewer).toMatchObject({
      organization: { id: posthorn.tenant.publicOrganizationId },
      apiKey: { id },
      session: { kind: 'FRONTEND', webhookId, expiresAt },
    })
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { subjectId: id } })
    expect(entry).toMatchObject({ after: { name: 'user 4711' } })
  })

  test.each([
    [' ', 'name must not be empty'],
    ['x'.repeat(201), 'at most 200 characters'],
    ['a\0b', 'NUL'],
  ])('is not created with the name %j', async (name, message) => {
    expect((await createFrontend({ name })).message).toContain(message)
  })

  test('ends with its streams in every process when it is revoked', async () => {
    await using second = await startTestApp({ role: 'api', database: posthorn.database })
    const { id, token } = await startFrontend({ scopes: ['deliveries:read'] })
    const query = 'subscription { attemptRecorded { id } }'
    using stream = await subscribe(second.app.url, token, query)
    expect(stream.end).toBeNull()
    await call(posthorn.tenant.token, document('api-keys', 'RevokeApiKey'), { id })
    expect((await call(token, VIEWER)).errors).toMatchObject(ENDED('is revoked', 'frontend'))
    expect(await stream.result(1)).toMatchObject({ errors: ENDED('was revoked', 'frontend') })
  })
})
