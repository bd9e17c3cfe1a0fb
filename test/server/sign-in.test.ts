import { describe, expect, test } from 'vitest'
import { createSignInLink } from '../../src/auth/sessions/session.ts'
import { publicId } from '../../src/db/ids.ts'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { createApiKey, revokeApiKey } from '../support/api-keys.ts'
import { startTestApp, useTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { openBrowser, VIEWER } from './browser.ts'

const posthorn = await useTestApp({ role: 'api' })
const another = await useTestApp({ role: 'api', database: posthorn.database })

const DAY_S = 86_400
const { url } = posthorn.app
const { pool, prisma } = posthorn.database

async function spareKey(expiresAt: Date | null = null) {
  const { organizationId } = posthorn.tenant
  const input = { organizationId, scopes: ['webhooks:read'], expiresAt }
  const { key, token } = await createApiKey(prisma, input)
  return { id: publicId('apiKey', key.id), uuid: key.id, token }
}

const signInAgain = expect.objectContaining({
  message: expect.stringContaining('Sign in again.'),
  extensions: expect.objectContaining({ code: 'UNAUTHENTICATED' }),
})

describe('signing in with an API key', () => {
  test('sets a cookie for at most 7 days that scripts cannot read and other sites cannot send', async () => {
    const browser = openBrowser(url)
    const response = await browser.signIn({ token: posthorn.tenant.token })
    expect(response.status).toBe(204)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const [, seconds] =
      /^posthorn_session=[\w-]{43}; Max-Age=(\d+); Path=\/; HttpOnly; SameSite=Strict$/.exec(
        response.headers.get('set-cookie') ?? '',
      ) ?? []
    expect(Number(seconds)).toBeGreaterThan(7 * DAY_S - 60)
    expect(Number(seconds)).toBeLessThanOrEqual(7 * DAY_S)
    const { data } = await browser.graphql(VIEWER)
    expect(data).toEqual({
      viewer: { apiKey: { id: publicId('apiKey', posthorn.tenant.keyId) } },
    })
  })

  test('stores only a hash of the token', async () => {
    const browser = openBrowser(url)
    await browser.signIn({ token: posthorn.tenant.token })
    const token = browser.cookie?.split('=')[1] as string
    const { rows } = await pool.query('select s::text as line from posthorn.sessions as s')
    expect(rows.length).toBeGreaterThan(0)
    for (const { line } of rows) {
      expect(line).not.toContain(token)
      expect(line).not.toContain(Buffer.from(token).toString('hex'))
    }
  })

  test('fails with an invalid or a revoked key', async () => {
    const { id, token } = await spareKey()
    await revokeApiKey(prisma, id)
    for (const [rejected, detail] of [
      ['phk_no', 'malformed'],
      ['', 'malformed'],
      [token, 'revoked'],
    ]) {
      const response = await openBrowser(url).signIn({ token: rejected })
      expect(response.status).toBe(401)
      expect(response.headers.get('set-cookie')).toBeNull()
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(await response.json()).toMatchObject({
        detail: expect.stringContaining(detail as string),
      })
    }
  })

  test('accepts only a small JSON object with one proof', async () => {
    const post = (body: string, type = 'application/json') =>
      fetch(`${url}/console/session`, { method: 'POST', headers: { 'content-type': type }, body })
    for (const proof of [{}, { token: 'a', link: 'b' }, { token: 1 }]) {
      expect((await post(JSON.stringify(proof))).status).toBe(422)
    }
    expect((await post('{"token":')).status).toBe(400)
    expect((await post(JSON.stringify({ token: 'a' }), 'text/plain')).status).toBe(415)
    expect((await post(JSON.stringify({ token: 'a'.repeat(8_192) }))).status).toBe(413)
    const other = await fetch(`${url}/console/session`)
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'DELETE, POST'])
  })

  test('limits the rate of failed sign-ins of an address', async () => {
    await using fresh = await startTestApp({ role: 'api', database: posthorn.database })
    const browser = openBrowser(fresh.app.url)
    let rejection = await browser.signIn({ token: 'phk_no' })
    for (let tries = 0; rejection.status === 401 && tries < 40; tries++) {
      rejection = await browser.signIn({ token: 'phk_no' })
    }
    expect(rejection.status).toBe(429)
    expect(Number(rejection.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser.signIn({ token: posthorn.tenant.token })).status).toBe(204)
  })
})

test('with https as the public URL, the cookie is sent over TLS only, and to this host only', async () => {
  const environment = { POSTHORN_PUBLIC_URL: 'https://webhooks.example.com' }
  const { database } = posthorn
  await using secure = await startTestApp({ role: 'api', database, environment })
  const browser = openBrowser(secure.app.url)
  const response = await browser.signIn({ token: posthorn.tenant.token })
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-posthorn_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect((await browser.graphql(VIEWER)).errors).toBeUndefined()
  // A page of another subdomain can set a cookie without the prefix.
  const read = (cookie: string) => openBrowser(secure.app.url, cookie).graphql(VIEWER)
  const own = browser.cookie as string
  expect((await read(own.replace('__Host-', ''))).errors).toHaveLength(1)
  expect((await read(`posthorn_session=tossed; ${own}`)).errors).toBeUndefined()
})

describe('a sign-in link', () => {
  test('signs in once, also of many concurrent uses in two processes', async () => {
    const link = await createSignInLink(pool, posthorn.tenant.keyId)
    const browsers = Array.from({ length: 10 }, (_, i) =>
      openBrowser(i % 2 ? url : another.app.url),
    )
    const responses = await Promise.all(browsers.map((browser) => browser.signIn({ link })))
    const winner = responses.findIndex(({ status }) => status === 204)
    const answer = await browsers[winner]?.graphql(VIEWER)
    expect(answer).toMatchObject({ data: { viewer: expect.anything() } })
    for (const again of responses.toSpliced(winner, 1)) {
      expect(again.status).toBe(401)
      expect(again.headers.get('set-cookie')).toBeNull()
      expect(await again.json()).toMatchObject({ detail: expect.stringContaining('used already') })
    }
  })

  test('is rejected after an hour, once its key is revoked, and if it is invented', async () => {
    const old = await createSignInLink(pool, posthorn.tenant.keyId)
    await pool.query(`update posthorn.sign_in_links set expires_at = now() where used_at is null`)
    const { id, uuid } = await spareKey()
    const orphan = await createSignInLink(pool, uuid)
    await revokeApiKey(prisma, id)
    for (const link of [old, orphan, 'x', 'a'.repeat(43), '\0']) {
      expect((await openBrowser(url).signIn({ link })).status).toBe(401)
    }
  })
})

describe('a session ends', () => {
  test('when it signs out, in every process at once; signing out again is harmless', async () => {
    const browser = openBrowser(url)
    await browser.signIn({ token: posthorn.tenant.token })
    const stolen = openBrowser(another.app.url, browser.cookie)
    expect((await stolen.graphql(VIEWER)).errors).toBeUndefined()
    const response = await browser.signOut()
    expect(response.status).toBe(204)
    expect(response.headers.get('set-cookie')).toMatch(/^posthorn_session=;.*Max-Age=0;/)
    expect((await stolen.graphql(VIEWER)).errors).toEqual([signInAgain])
    expect((await browser.signOut()).status).toBe(204)
    expect((await browser.graphql(VIEWER)).errors).toEqual([signInAgain])
  })

  test('when another session starts in the same browser', async () => {
    const browser = openBrowser(url)
    await browser.signIn({ token: posthorn.tenant.token })
    const before = openBrowser(url, browser.cookie)
    await browser.signIn({ token: posthorn.tenant.token })
    expect((await browser.graphql(VIEWER)).errors).toBeUndefined()
    expect((await before.graphql(VIEWER)).errors).toEqual([signInAgain])
  })

  test('when it expires, and is then deleted', async () => {
    const browser = openBrowser(url)
    const { uuid, token } = await spareKey()
    await browser.signIn({ token })
    const expire = 'update posthorn.sessions set expires_at = now() where api_key_id = $1'
    await pool.query(expire, [uuid])
    expect((await browser.graphql(VIEWER)).errors).toMatchObject([
      { message: 'Your session has expired. Sign in again.' },
    ])
    const sessions = () => countRows(pool, 'posthorn.sessions where api_key_id = $1', [uuid])
    expect(await sessions()).toBe(1)
    await deleteOldRows(pool, 'sessions')
    expect(await sessions()).toBe(0)
  })

  test('when its key is revoked, in every process immediately', async () => {
    const { id, token } = await spareKey()
    const browser = openBrowser(url)
    await browser.signIn({ token })
    await revokeApiKey(prisma, id)
    const elsewhere = openBrowser(another.app.url, browser.cookie)
    for (const client of [browser, elsewhere]) {
      expect((await client.graphql(VIEWER)).errors).toMatchObject([
        { message: 'The API key that you signed in with is revoked. Sign in again.' },
      ])
    }
  })
})

describe('the audit log', () => {
  /** The entries of a key, oldest first. */
  async function entriesOf(keyId: string) {
    const query = `query ($keyId: ID!) { auditLog(filter: { apiKeyIds: [$keyId] }, first: 100) {
      nodes { action subjectId apiKeyId source address forwardedFor userAgent before after } } }`
    return (await posthorn.graphql(query, { keyId })).auditLog.nodes.toReversed()
  }

  test('records who signed in and out, and from where', async () => {
    const { id, token } = await spareKey()
    const browser = openBrowser(url)
    const clientHeaders = { 'user-agent': 'Harvest/1.0', 'x-forwarded-for': '203.0.113.7' }
    const at = Date.now()
    await browser.request('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...clientHeaders },
      body: JSON.stringify({ token }),
    })
    await browser.request('/console/session', { method: 'DELETE', headers: clientHeaders })
    const common = {
      ...{ subjectId: id, apiKeyId: id, source: 'CONSOLE', before: null },
      ...{ forwardedFor: '203.0.113.7', userAgent: 'Harvest/1.0' },
      address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/),
    }
    const entries = await entriesOf(id)
    const { expiresAt } = entries[0]?.after ?? {}
    expect(entries).toEqual([
      { ...common, action: 'session.started', after: { expiresAt } },
      { ...common, action: 'session.ended', after: { expiresAt } },
    ])
    const lifetimeMs = Date.parse(expiresAt) - at
    expect(lifetimeMs).toBeGreaterThan(7 * DAY_S * 1_000 - 60_000)
    expect(lifetimeMs).toBeLessThan(7 * DAY_S * 1_000 + 60_000)
    expect(JSON.stringify(entries)).not.toContain(token)
  })

  test('records sign-in links, and sessions that another session replaces', async () => {
    const { id, uuid, token } = await spareKey()
    const browser = openBrowser(url)
    await browser.signIn({ link: await createSignInLink(pool, uuid) })
    await browser.signIn({ token })
    const actions = (await entriesOf(id)).map(({ action }: { action: string }) => action)
    expect(actions).toEqual(['session.started', 'session.started', 'session.ended'])
  })
})
