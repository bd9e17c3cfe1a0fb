import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT, type OidcProvider } from '../oidc-provider/oidc-provider.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { requirePackages } from '../support/installed-packages.ts'
import {
  type OidcInstallation,
  openOidcBrowser,
  prepareOidc,
  START,
  signInAs,
} from './oidc-browser.ts'

let installation: OidcInstallation
let provider: OidcProvider
let posthorn: TestApp
let url: string
let roleKeyId: string

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  beforeAll(async () => {
    const scopes = ['webhooks:read', 'webhooks:write', 'keys:manage']
    installation = await prepareOidc(scopes, ['email=operator@example.com'])
    ;({ provider, url, roleKeyId } = installation)
    const { database } = installation
    const environment = { ...installation.environment, POSTHORN_LOG_LEVEL: 'silent' }
    posthorn = await startTestApp({ role: 'api', database, environment })
  })
  afterAll(async () => {
    await posthorn?.[Symbol.asyncDispose]()
    await installation?.[Symbol.asyncDispose]()
  })

  const openPersonalBrowser = () => openOidcBrowser(url, provider)
  const signIn = (person: string) => signInAs(url, provider, person)

  const VIEWER = '{ viewer { apiKey { id } } }'

  describe('signing in by OpenID Connect', () => {
    test('gives a person the rights of the key of their role', async () => {
      const { browser, landed } = await signIn('operator')
      expect(landed).toBe('/console')
      const { data } = await browser.graphql(VIEWER)
      expect(data).toEqual({ viewer: { apiKey: { id: roleKeyId } } })
      expect([...browser.jar.keys()]).toEqual(['posthorn_session'])
    })

    test('sends the provider a state, a nonce and a PKCE challenge, each new', async () => {
      const [first, second] = await Promise.all([
        openPersonalBrowser().start(),
        openPersonalBrowser().start(),
      ])
      const sent = new URL(first).searchParams
      expect(Object.fromEntries(sent)).toMatchObject({
        client_id: CLIENT.id,
        redirect_uri: `${url}${START}/callback`,
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge_method: 'S256',
      })
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(sent.get(name)).toMatch(/^[\w-]{43}$/)
        expect(sent.get(name)).not.toBe(new URL(second).searchParams.get(name))
      }
    })

    test('keeps its secrets in an encrypted cookie that scripts cannot read', async () => {
      const response = await openPersonalBrowser().get(url + START)
      const [cookie] = response.headers.getSetCookie()
      expect(cookie).toMatch(/^posthorn_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
      const sealed = Buffer.from(/=([\w-]+)/.exec(cookie as string)?.[1] ?? '', 'base64url')
      expect(sealed.toString('latin1')).not.toContain('codeVerifier')
      expect(response.headers.get('cache-control')).toBe('no-store')
    })

    test.each([
      ['nobody has a role for them', 'stranger'],
      ['the provider did not verify the email address of their role', 'unverified'],
    ])('refuses people if %s', async (_, person) => {
      const { browser, landed } = await signIn(person)
      expect(landed).toBe('/console/sign-in?failed=no_role')
      expect(browser.jar.size).toBe(0)
    })
  })

  describe('a callback', () => {
    test('works once', async () => {
      const browser = openPersonalBrowser()
      const callback = await browser.choose(await browser.start(), 'operator')
      const cookie = browser.jar.get('posthorn_oidc') as string
      expect(await browser.finish(callback)).toBe('/console')
      expect(await browser.finish(callback)).toBe('/console/sign-in?failed=expired')
      const thief = openPersonalBrowser()
      thief.jar.set('posthorn_oidc', cookie)
      expect(await thief.finish(callback)).toBe('/console/sign-in?failed=expired')
      expect(thief.jar.has('posthorn_session')).toBe(false)
    })

    test('is rejected with the state of another sign-in, without calling the provider', async () => {
      const [victim, attacker] = [openPersonalBrowser(), openPersonalBrowser()]
      const callback = await attacker.choose(await attacker.start(), 'operator')
      await victim.start()
      const { length } = provider.requests
      expect(await victim.finish(callback)).toBe('/console/sign-in?failed=failed')
      expect(provider.requests.slice(length)).toEqual([])
      expect(victim.jar.has('posthorn_session')).toBe(false)
    })

    test('is rejected without the cookie, and with an altered one', async () => {
      for (const alter of [() => null, (sealed: string) => `${sealed.slice(0, -4)}AAAA`]) {
        const browser = openPersonalBrowser()
        const callback = await browser.choose(await browser.start(), 'operator')
        const sealed = alter(browser.jar.get('posthorn_oidc') as string)
        browser.jar.delete('posthorn_oidc')
        if (sealed !== null) browser.jar.set('posthorn_oidc', sealed)
        expect(await browser.finish(callback)).toBe('/console/sign-in?failed=expired')
      }
    })

    test('is rejected with the code of another sign-in, because of PKCE', async () => {
      const [first, second] = [openPersonalBrowser(), openPersonalBrowser()]
      const stolen = new URL(await first.choose(await first.start(), 'operator'))
      const callback = new URL(await second.choose(await second.start(), 'operator'))
      callback.searchParams.set('code', stolen.searchParams.get('code') as string)
      expect(await second.finish(callback.href)).toBe('/console/sign-in?failed=expired')
      expect(second.jar.has('posthorn_session')).toBe(false)
    })
  })

  describe('while the provider is down', () => {
    test('a sign-in says so, API keys work, and the next sign-in succeeds', async () => {
      const browser = openPersonalBrowser()
      const callback = await browser.choose(await browser.start(), 'operator')
      await provider.stop()
      try {
        expect(await browser.finish(callback)).toBe('/console/sign-in?failed=unreachable')
        expect((await posthorn.rest('GET', '/webhooks')).status).toBe(200)
      } finally {
        await provider.start()
      }
      expect((await signIn('operator')).landed).toBe('/console')
    })
  })

  describe('the audit log', () => {
    test('names the person, with the console as the source', async () => {
      const { browser } = await signIn('operator')
      const created = await browser.graphql(`mutation {
      createWebhook(input: { url: "https://example.com/a", eventSubscriptions: ["event_attendee.joined_event"] }) { __typename }
    }`)
      expect(created.errors).toBeUndefined()
      const { data } = await browser.graphql(
        '{ auditLog(first: 2) { nodes { action person source apiKeyId } } }',
      )
      const common = {
        person: 'Person A <operator@example.com>',
        source: 'CONSOLE',
        apiKeyId: roleKeyId,
      }
      expect(data.auditLog.nodes).toEqual([
        { action: 'webhook.created', ...common },
        { action: 'session.started', ...common },
      ])
    })

    test('has no person for a change with an API key', async () => {
      await posthorn.rest('POST', '/webhooks', {
        url: 'https://example.com/b',
        event_subscriptions: ['event_attendee.joined_event'],
      })
      const { auditLog } = await posthorn.graphql(
        '{ auditLog(first: 1) { nodes { person source } } }',
      )
      expect(auditLog.nodes).toEqual([{ person: null, source: 'REST' }])
    })
  })

  describe('signing out', () => {
    test('ends the session, and leads to the page where the provider signs out', async () => {
      const { browser } = await signIn('operator')
      const response = await browser.get(`${url}/console/session`, { method: 'DELETE' })
      const { signOutUrl } = (await response.json()) as { signOutUrl: string }
      expect(signOutUrl).toContain(`${provider.issuer}/session/end?`)
      expect(new URL(signOutUrl).searchParams.get('post_logout_redirect_uri')).toBe(
        `${url}/console`,
      )
      expect((await browser.get(signOutUrl)).status).toBe(200)
      expect((await browser.graphql(VIEWER)).errors).toHaveLength(1)
    })

    test('from a session of an API key leads nowhere', async () => {
      const browser = openPersonalBrowser()
      await browser.get(`${url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: posthorn.tenant.token }),
      })
      expect(browser.jar.has('posthorn_session')).toBe(true)
      const response = await browser.get(`${url}/console/session`, { method: 'DELETE' })
      expect(response.status).toBe(204)
    })
  })
})
