import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import {
  openSignInState,
  type SignInState,
  sealSignInState,
} from '../../src/auth/sessions/oidc/oidc-sign-in.ts'
import type { Database } from '../../src/db/client.ts'
import { CLIENT, type OidcProvider } from '../oidc-provider/oidc-provider.ts'
import { revokeApiKey } from '../support/api-keys.ts'
import { requirePackages } from '../support/installed-packages.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import {
  type OidcInstallation,
  openOidcBrowser,
  prepareOidc,
  START,
  signInAs,
} from './oidc-browser.ts'

/* Every failure leads to the sign-in page, which has a text for it, and the log has the cause. */
let installation: OidcInstallation
let provider: OidcProvider
let database: Database
let posthorn: PosthornProcess
let environment: Record<string, string>
let url: string
let roleKeyId: string

describe('with an OpenID provider', await requirePackages('test/oidc-provider'), () => {
  beforeAll(async () => {
    const scopes = ['webhooks:read', 'webhooks:write', 'keys:manage']
    installation = await prepareOidc(scopes, ['email=operator@example.com'])
    ;({ provider, database, environment, url, roleKeyId } = installation)
    posthorn = startPosthorn(['start', '--role', 'api'], { environment })
    await logLine(posthorn, { msg: 'ready' })
  })
  afterAll(async () => {
    await posthorn?.[Symbol.asyncDispose]()
    await installation?.[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    const usual = { aheadMs: 0, unreachable: null, knowsPosthorn: true, changeIdToken: null }
    Object.assign(provider, usual)
  })

  const VIEWER = '{ viewer { apiKey { id } } }'
  const openBrowser = () => openOidcBrowser(url, provider)
  const signIn = (choice: string) => signInAs(url, provider, choice)
  const failed = (failure: string) => `/console/sign-in?failed=${failure}`
  const logged = (failure: string) => logLine(posthorn, { failure })
  const linesOf = (failure: string) =>
    logLines(posthorn).filter((line) => line['failure'] === failure)

  /** A sign-in that fails, and its own line in the log, which may arrive after the response. */
  async function signInAndFail(failure: string) {
    const { length } = linesOf(failure)
    const { browser, landed } = await signIn('operator')
    expect(landed).toBe(failed(failure))
    expect([...browser.jar]).toEqual([])
    await until(() => linesOf(failure).length > length, 'the failure is logged')
    return linesOf(failure).at(-1)
  }

  // These come first, because Posthorn keeps what it has read from the provider.
  describe('on the first sign-in', () => {
    test('a provider without discovery is unreachable', async () => {
      provider.unreachable = /^\/[.]well-known\//
      const start = await openBrowser().get(`${url}/console/session/oidc`)
      expect(start.headers.get('location')).toBe(failed('unreachable'))
      const { level, error } = await logged('unreachable')
      expect(level).toBe('warn')
      expect(error.message).toMatch(/fetch failed/)
    })

    test('a provider whose keys cannot be read is unreachable, and the next sign-in succeeds', async () => {
      provider.unreachable = /^\/jwks$/
      const { browser, landed } = await signIn('operator')
      expect(landed).toBe(failed('unreachable'))
      expect(provider.requests).toContain('/jwks')
      expect([...browser.jar]).toEqual([])
      provider.unreachable = null
      expect((await signIn('operator')).landed).toBe('/console')
    })
  })

  test.each([
    ['cancel', 'denied', 'access_denied: The person canceled.'],
    ['fault', 'provider_failed', 'server_error: <script>alert("broken")</script>'],
  ])(
    'the answer %s of the provider leads to the sign-in page with a code of Posthorn, and is logged',
    async (choice, failure, providerError) => {
      const browser = openBrowser()
      const response = await browser.get(await browser.choose(await browser.start(), choice))
      expect(response.status).toBe(302)
      expect(response.headers.get('location')).toBe(failed(failure))
      expect(await response.text()).toBe('')
      expect(await logged(failure)).toMatchObject({ level: 'warn', providerError })
    },
  )

  describe('the time', () => {
    test('a sign-in that took longer than 10 minutes starts again', async () => {
      const browser = openBrowser()
      const callback = await browser.choose(await browser.start(), 'operator')
      const { length } = provider.requests
      // As only Posthorn can.
      const key = Buffer.from(environment['POSTHORN_ENCRYPTION_KEYS'] as string, 'base64')
      const keyring = createKeyring([key])
      const sealed = browser.jar.get('posthorn_oidc') ?? null
      const state = openSignInState(keyring, sealed, Date.now()) as SignInState
      const past = { ...state, expiresAt: Date.now() - 1 }
      browser.jar.set('posthorn_oidc', sealSignInState(keyring, past))
      expect(await browser.finish(callback)).toBe(failed('expired'))
      expect(provider.requests.slice(length)).toEqual([])
      await logLine(posthorn, { level: 'info', failure: 'expired' })
    })

    test('a provider whose clock is far behind names the clock', async () => {
      provider.aheadMs = -2 * 3_600_000
      const line = await signInAndFail('clock')
      expect(line?.['error'].message).toMatch(/timestamp/)
    })
  })

  describe('an ID token', () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const partsOf = (token: string) => token.split('.') as [string, string, string]
    const signedWith = (key: string) => (token: string) => {
      const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${partsOf(token)[1]}`
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
    }
    const algorithm = /unsupported JWS/

    test.each<[string, (token: string) => string, RegExp]>([
      ['signed with the client secret', signedWith(CLIENT.secret), algorithm],
      ['signed with the empty secret', signedWith(''), algorithm],
      [
        'without a signature',
        (token) => `${encode({ alg: 'none' })}.${partsOf(token)[1]}.`,
        algorithm,
      ],
      [
        'of another person with the signature of this one',
        (token) => {
          const [header, payload, signature] = partsOf(token)
          const stranger = encode({ ...decode(payload), groups: ['webhooks'], sub: 'stranger' })
          return `${header}.${stranger}.${signature}`
        },
        /signature verification failed/,
      ],
    ])('%s is refused, though the provider lists its algorithm', async (_, change, message) => {
      provider.changeIdToken = change
      const line = await signInAndFail('failed')
      expect(line?.['error'].message).toMatch(message)
      provider.changeIdToken = null
      expect((await signIn('operator')).landed).toBe('/console')
    })
  })

  describe('signing in by OpenID Connect', () => {
    test('gives a person the rights of the key of their role, until they sign out, and the audit log has their name', async () => {
      const { browser, landed } = await signIn('operator')
      expect(landed).toBe('/console')
      expect([...browser.jar.keys()]).toEqual(['posthorn_session'])
      const create = `mutation { createWebhook(input: {
        url: "https://example.com/a", eventSubscriptions: ["event_attendee.joined_event"] }) { __typename } }`
      expect((await browser.graphql(create)).errors).toBeUndefined()
      const { data } = await browser.graphql(
        '{ auditLog(first: 2) { nodes { action person source apiKeyId } } }',
      )
      const person = 'Person A <operator@example.com>'
      const common = { person, source: 'CONSOLE', apiKeyId: roleKeyId }
      expect(data.auditLog.nodes).toEqual([
        { action: 'webhook.created', ...common },
        { action: 'session.started', ...common },
      ])
      const response = await browser.get(`${url}/console/session`, { method: 'DELETE' })
      const { signOutUrl } = (await response.json()) as { signOutUrl: string }
      expect(signOutUrl).toContain(`${provider.issuer}/session/end?`)
      const back = new URL(signOutUrl).searchParams.get('post_logout_redirect_uri')
      expect(back).toBe(`${url}/console`)
      expect((await browser.get(signOutUrl)).status).toBe(200)
      expect((await browser.graphql(VIEWER)).errors).toHaveLength(1)
    })

    test('sends the provider a state, a nonce and a PKCE challenge, each new', async () => {
      const [first, second] = await Promise.all([openBrowser().start(), openBrowser().start()])
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
      const response = await openBrowser().get(url + START)
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
    const refuse = async (browser: ReturnType<typeof openBrowser>, callback: string) => {
      expect(await browser.finish(callback)).toBe(failed('expired'))
      expect(browser.jar.has('posthorn_session')).toBe(false)
    }

    test('works once', async () => {
      const browser = openBrowser()
      const callback = await browser.choose(await browser.start(), 'operator')
      const thief = openBrowser()
      thief.jar.set('posthorn_oidc', browser.jar.get('posthorn_oidc') as string)
      expect(await browser.finish(callback)).toBe('/console')
      expect(await browser.finish(callback)).toBe(failed('expired'))
      await refuse(thief, callback)
    })

    test('is rejected with the state of another sign-in, without calling the provider', async () => {
      const [victim, attacker] = [openBrowser(), openBrowser()]
      const callback = await attacker.choose(await attacker.start(), 'operator')
      await victim.start()
      const { length } = provider.requests
      expect(await victim.finish(callback)).toBe(failed('failed'))
      expect(provider.requests.slice(length)).toEqual([])
      expect(victim.jar.has('posthorn_session')).toBe(false)
    })

    test('is rejected without the cookie, with an altered one, and because of PKCE with the code of another sign-in', async () => {
      const [first, second] = [openBrowser(), openBrowser()]
      const stolen = new URL(await first.choose(await first.start(), 'operator'))
      const callback = new URL(await second.choose(await second.start(), 'operator'))
      const sealed = second.jar.get('posthorn_oidc') as string
      second.jar.delete('posthorn_oidc')
      await refuse(second, callback.href)
      second.jar.set('posthorn_oidc', `${sealed.slice(0, -4)}AAAA`)
      await refuse(second, callback.href)
      second.jar.set('posthorn_oidc', sealed)
      callback.searchParams.set('code', stolen.searchParams.get('code') as string)
      await refuse(second, callback.href)
    })
  })

  // This comes last: nobody has a role afterwards.
  test('revoking the key of a role ends its sessions, and refuses those who come back from the provider', async () => {
    const { browser: signedIn } = await signIn('operator')
    const browser = openBrowser()
    const callback = await browser.choose(await browser.start(), 'operator')
    expect((await signedIn.graphql('{ viewer { person } }')).data.viewer).toEqual({
      person: 'Person A <operator@example.com>',
    })
    await revokeApiKey(database.prisma, roleKeyId)
    const { errors } = await signedIn.graphql('{ viewer { person } }')
    const message = 'The API key of your role is revoked. Sign in again.'
    expect(errors).toMatchObject([{ message, extensions: { code: 'UNAUTHENTICATED' } }])
    expect(await browser.finish(callback)).toBe(failed('role_ended'))
    expect([...browser.jar]).toEqual([])
    await logLine(posthorn, { failure: 'role_ended', key: roleKeyId })
  })
})
