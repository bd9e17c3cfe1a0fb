import type { Context, Hono } from 'hono'
import { type Actor, requestActor } from '../auth/access/actor.ts'
import { createFailureCount } from '../auth/access/rate-limit.ts'
import type { Authenticate } from '../auth/api-keys/authenticate.ts'
import {
  endSession,
  exchangeSignInLink,
  type StartedSession,
  startSession,
} from '../auth/sessions/session.ts'
import type { Sql } from '../db/client.ts'
import { connectionOf } from '../http/connection.ts'
import { createRoutes, type FaultLogs, methodNotAllowed } from '../http/problem.ts'
import { readJsonObject } from '../http/read-body.ts'
import { CROSS_SITE_DETAIL, isCrossSite, sessionCookie } from '../http/session-cookie.ts'
import { DomainError, invalid } from '../lib/errors.ts'
import { acceptCaller } from './rest/caller.ts'

interface SessionDeps extends FaultLogs {
  readonly sql: Sql
  readonly authenticate: Authenticate
  readonly publicUrl: string | null
  /** The page of the provider that signs out people who signed in by OpenID Connect. Default: none. */
  readonly signOutUrl?: (() => Promise<string | null>) | undefined
}

/** Small, because strangers send them: those of all connections together fit into the memory. */
const MAX_BODY_BYTES = 8 * 1024

export const SESSION_PATH = '/console/session'

/** The routes to sign in to the console and to sign out. Mount: `server.route(SESSION_PATH, createSessionRoutes(deps))`. */
export function createSessionRoutes(deps: SessionDeps): Hono {
  const { sql, publicUrl } = deps
  const cookie = sessionCookie(publicUrl)
  const signIn = createSignIn(deps)
  const app = createRoutes(deps)
  app.use(async (c, next) => {
    if (isCrossSite(c.req.raw, publicUrl)) throw new DomainError('forbidden', CROSS_SITE_DETAIL)
    await next()
  })
  app.post('/', async (c) => {
    const actor = actorOf(c)
    const body = await readJsonObject(c.req.raw, undefined, MAX_BODY_BYTES)
    const { token, expiresAt } = await signIn(body, actor)
    // Signing in again ends the previous session of the browser.
    const previous = cookie.read(c.req.raw)
    if (previous !== null) await endSession(sql, previous, actor)
    return c.body(null, 204, { 'set-cookie': cookie.set(token, expiresAt) })
  })
  app.delete('/', async (c) => {
    const token = cookie.read(c.req.raw)
    const isPerson = token !== null && (await endSession(sql, token, actorOf(c)))
    const headers = { 'set-cookie': cookie.clear() }
    const signOutUrl = isPerson ? await deps.signOutUrl?.() : null
    return signOutUrl ? c.json({ signOutUrl }, 200, headers) : c.body(null, 204, headers)
  })
  app.all('/', (c) => {
    throw methodNotAllowed(c.req.method, ['POST', 'DELETE'])
  })
  return app
}

/** The API key and the person are not known yet. The audit entry takes them from the session. */
const actorOf = (c: Context) => requestActor('console', null, null, connectionOf(c))

/** Exchanges an API key or a sign-in link for a session. */
function createSignIn({ sql, authenticate }: SessionDeps) {
  const counted = createFailureCount('an invalid sign-in link')
  return async (body: Record<string, unknown>, actor: Actor): Promise<StartedSession> => {
    const { token, link } = body
    const address = actor.address ?? undefined
    if (typeof token === 'string' && link === undefined) {
      // A pasted token may contain spaces and line breaks.
      const caller = await authenticate(`Bearer ${token.replaceAll(/\s/g, '') || '-'}`, address)
      acceptCaller(caller)
      return await startSession(sql, caller.keyId, actor, null)
    }
    if (typeof link === 'string' && token === undefined) {
      return await exchangeSignInLink(sql, link, actor).catch((error: unknown) => {
        throw counted(error, address)
      })
    }
    const detail = 'Send one string: token (an API key) or link (the token of a sign-in link).'
    throw invalid([{ path: [], code: 'required', detail }])
  }
}
