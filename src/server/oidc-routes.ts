import { type Context, Hono } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { requestActor } from '../access/actor.ts'
import type { OidcSettings } from '../config/oidc-settings.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { connectionOf } from '../http/connection.ts'
import { sessionCookie } from '../http/session-cookie.ts'
import { DomainError } from '../lib/errors.ts'
import type { Provider } from '../sessions/oidc/oidc-sign-in.ts'
import { personOf, roleOf } from '../sessions/oidc/role-of.ts'
import { failureOf, providerErrorOf, type SignInFailure } from '../sessions/oidc/sign-in-failure.ts'
import {
  newSignInState,
  openSignInState,
  SIGN_IN_MS,
  sealSignInState,
} from '../sessions/oidc/sign-in-state.ts'
import { endSession, startSession } from '../sessions/session.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface OidcDeps {
  readonly sql: Sql
  readonly keyring: Keyring
  readonly settings: OidcSettings
  readonly provider: Provider
  readonly publicUrl: string
  readonly logger: Logger
  readonly now?: () => number
}

export const OIDC_PATH = '/console/session/oidc'

const COOKIE = 'posthorn_oidc'

/** The routes that lead a browser to the provider and take it back. Mount: `server.route(OIDC_PATH, createOidcRoutes(deps))`. */
export function createOidcRoutes(deps: OidcDeps): Hono {
  const { keyring, provider, publicUrl, logger, now = Date.now } = deps
  const cookie = {
    path: OIDC_PATH,
    httpOnly: true,
    secure: publicUrl.startsWith('https:'),
    // The provider's redirect comes from another site, so `Strict` would withhold the cookie.
    sameSite: 'Lax',
  } as const
  const app = new Hono()
  app.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    c.header('referrer-policy', 'no-referrer')
  })
  app.get('/', async (c) => {
    const state = newSignInState(now())
    try {
      const url = await provider.authorizationUrl(state, `${publicUrl}${OIDC_PATH}/callback`)
      setCookie(c, COOKIE, sealSignInState(keyring, state), {
        ...cookie,
        maxAge: SIGN_IN_MS / 1_000,
      })
      return c.redirect(url.href)
    } catch (error) {
      return fail(c, logFailure(logger, error))
    }
  })
  app.get('/callback', async (c) => {
    const state = openSignInState(keyring, getCookie(c, COOKIE) ?? null, now())
    deleteCookie(c, COOKIE, cookie)
    if (state === null) {
      logger.info(
        { failure: 'expired' },
        'a sign-in by OpenID Connect took too long, or came back without its cookie',
      )
      return fail(c, 'expired')
    }
    try {
      return await finishSignIn(c, deps, state)
    } catch (error) {
      return fail(c, logFailure(logger, error))
    }
  })
  return app
}

async function finishSignIn(
  c: Context,
  { sql, settings, provider, publicUrl, logger }: OidcDeps,
  state: Parameters<Provider['finish']>[1],
): Promise<Response> {
  // Behind a proxy, the request's own URL has another origin than the redirect URI.
  const callback = new URL(`${publicUrl}${OIDC_PATH}/callback`)
  callback.search = new URL(c.req.url).search
  const claims = await provider.finish(callback, state)
  const person = personOf(claims)
  const role = roleOf(settings.roles, claims)
  if (role === null) {
    logger.warn(
      { failure: 'no_role', person: person.label },
      'a person without a role of POSTHORN_OIDC_ROLES was refused',
    )
    return fail(c, 'no_role')
  }
  const { address } = connectionOf(c)
  const actor = requestActor('console', null, { headers: c.req.raw.headers, address })
  const keyId = parseId('apiKey', role.keyId)
  const session = keyId && (await startSession(sql, keyId, actor, person).catch(nullIfEnded))
  if (!session) {
    logger.warn(
      { failure: 'role_ended', key: role.keyId },
      'a role of POSTHORN_OIDC_ROLES names an API key that is not valid',
    )
    return fail(c, 'role_ended')
  }
  const browser = sessionCookie(publicUrl)
  const previous = browser.read(c.req.raw)
  if (previous !== null) await endSession(sql, previous, actor)
  c.header('set-cookie', browser.set(session.token, session.expiresAt), { append: true })
  return c.redirect('/console')
}

function nullIfEnded(error: unknown): null {
  if (error instanceof DomainError && error.code === 'unauthenticated') return null
  throw error
}

function fail(c: Context, failure: SignInFailure): Response {
  return c.redirect(`/console/sign-in?failed=${failure}`)
}

function logFailure(logger: Logger, error: unknown): SignInFailure {
  const failure = failureOf(error)
  const providerError = providerErrorOf(error)
  logger.warn({ failure, providerError, error }, 'a sign-in by OpenID Connect failed')
  return failure
}
