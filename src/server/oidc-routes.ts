import type { Context, Hono } from 'hono'
import { requestActor } from '../auth/access/actor.ts'
import { createAddressLimiter } from '../auth/access/rate-limit.ts'
import type { Keyring } from '../auth/encryption/keyring.ts'
import {
  type Claims,
  failureOf,
  newSignInState,
  openSignInState,
  type Provider,
  personOf,
  providerErrorOf,
  roleOf,
  SIGN_IN_MS,
  type SignInFailure,
  type SignInState,
  sealSignInState,
} from '../auth/sessions/oidc/oidc-sign-in.ts'
import { endSession, startSession } from '../auth/sessions/session.ts'
import type { OidcSettings } from '../config/oidc-settings.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { connectionOf } from '../http/connection.ts'
import { createRoutes, type FaultLogs } from '../http/problem.ts'
import { hostCookie, sessionCookie } from '../http/session-cookie.ts'
import { DomainError } from '../lib/errors.ts'
import { type Logger, withoutStack } from '../telemetry/logger.ts'
import { describeRequest } from '../telemetry/request-log.ts'

interface OidcDeps extends FaultLogs {
  readonly sql: Sql
  readonly keyring: Keyring
  readonly settings: OidcSettings
  readonly provider: Provider
  readonly publicUrl: string
  readonly now?: () => number
}

export const OIDC_PATH = '/console/session/oidc'

/**
 * Requests of one address in a burst, and per minute: a sign-in has two. Each can make Posthorn call the provider once, and
 * have a line in the log if it fails.
 */
export const MAX_SIGN_IN_REQUESTS = 120

/** The routes that lead a browser to the provider and take it back. Mount: `server.route(OIDC_PATH, createOidcRoutes(deps))`. */
export function createOidcRoutes(deps: OidcDeps): Hono {
  const { keyring, provider, publicUrl, logger, now = Date.now } = deps
  // The provider's redirect comes from another site, so `Strict` would withhold the cookie.
  const cookie = hostCookie(publicUrl, 'posthorn_oidc', 'Lax')
  const countRequest = createAddressLimiter(MAX_SIGN_IN_REQUESTS)
  const app = createRoutes(deps)
  app.use(async (c, next) => {
    const { address } = connectionOf(c)
    const isLimited = address !== undefined && countRequest(address) > 0
    if (isLimited) describeRequest({ limit: 'failed_keys' })
    const answer = isLimited ? toSignInPage(c, 'limited') : await next()
    c.header('referrer-policy', 'no-referrer')
    return answer
  })
  app.get('/', async (c) => {
    const state = newSignInState(now())
    try {
      const url = await provider.authorizationUrl(state, `${publicUrl}${OIDC_PATH}/callback`)
      c.header('set-cookie', cookie.set(sealSignInState(keyring, state), SIGN_IN_MS / 1_000))
      return c.redirect(url.href)
    } catch (error) {
      return fail(logger, c, failureOf(error), { error })
    }
  })
  app.get('/callback', async (c) => {
    const state = openSignInState(keyring, cookie.read(c.req.raw), now())
    c.header('set-cookie', cookie.clear())
    if (state === null) return fail(logger, c, 'expired')
    return await finishSignIn(c, deps, state)
  })
  return app
}

async function finishSignIn(
  c: Context,
  { sql, settings, provider, publicUrl, logger }: OidcDeps,
  state: SignInState,
): Promise<Response> {
  // Behind a proxy, the request's own URL has another origin than the redirect URI.
  const callback = new URL(`${publicUrl}${OIDC_PATH}/callback`)
  callback.search = new URL(c.req.url).search
  let claims: Claims
  try {
    claims = await provider.finish(callback, state)
  } catch (error) {
    return fail(logger, c, failureOf(error), { error })
  }
  const person = personOf(claims)
  const role = roleOf(settings.roles, claims)
  if (role === null) return fail(logger, c, 'no_role', { person: person.label })
  const actor = requestActor('console', null, person.label, connectionOf(c))
  const keyId = parseId('apiKey', role.keyId)
  const session = keyId && (await startSession(sql, keyId, actor, person).catch(nullIfEnded))
  if (!session) return fail(logger, c, 'role_ended', { key: role.keyId })
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

interface FailureFacts {
  readonly error?: unknown
  readonly person?: string
  readonly key?: string
}

/** Leads to the sign-in page, which says why, and logs the failure in one line. */
function fail(
  logger: Logger,
  c: Context,
  failure: SignInFailure,
  { error, ...facts }: FailureFacts = {},
): Response {
  const providerError = error === undefined ? undefined : providerErrorOf(error)
  const cause = logger.isLevelEnabled('debug') ? error : withoutStack(error)
  const level = failure === 'expired' && error === undefined ? 'info' : 'warn'
  logger[level](
    { failure, ...facts, providerError, error: cause },
    'a sign-in by OpenID Connect failed',
  )
  return toSignInPage(c, failure)
}

function toSignInPage(c: Context, failure: SignInFailure): Response {
  return c.redirect(`/console/sign-in?failed=${failure}`)
}
