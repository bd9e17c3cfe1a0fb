import type { Context, MiddlewareHandler } from 'hono'
import { type Actor, requestActor } from '../../access/actor.ts'
import { createQuota, type Quota } from '../../access/quota.ts'
import { type Caller, requireScope, type Scope } from '../../access/scope.ts'
import type { Authenticate } from '../../api-keys/authenticate.ts'
import { connectionOf } from '../../http/connection.ts'
import { DomainError } from '../../lib/errors.ts'
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts'

/** What every handler below can rely on: the caller is known. */
export interface CallerEnv {
  Variables: { caller: Caller; quota: Quota }
}

/** Lets nobody past without a valid API key, nor with one that asks too often. */
export function authenticated(authenticate: Authenticate): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const caller = await authenticate(c.req.header('authorization'), connectionOf(c).address)
    if (caller.portal) throw noPortalKeys()
    c.set('caller', caller)
    c.get('quota').spend(caller, 'requests', 1)
    await next()
  }
}

function noPortalKeys(): DomainError {
  return new DomainError(
    'forbidden',
    'This is the token of a portal session, which is for the portal (GraphQL) only. Use an API key.',
  )
}

/** Tells callers, whatever the answer is, what is left of their limits. */
export function tellLimits(limiter: RateLimiter): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const quota = createQuota(limiter)
    c.set('quota', quota)
    await next()
    for (const [name, value] of quota.headers()) c.header(name, value)
  }
}

/** Whoever calls, for the audit log. */
export function actorOf(c: Context<CallerEnv>): Actor {
  const asked = { headers: c.req.raw.headers, address: connectionOf(c).address }
  return requestActor('rest', c.get('caller').keyId, asked)
}

/** The uuid of the caller's organization, if their key has the scope. */
export function permit(c: Context<CallerEnv>, scope: Scope): string {
  const caller = c.get('caller')
  requireScope(caller, scope)
  return caller.organizationId
}
