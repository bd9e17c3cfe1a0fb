import type { Context, Hono, MiddlewareHandler } from 'hono'
import { type Actor, requestActor } from '../../auth/access/actor.ts'
import type { RateLimiter } from '../../auth/access/rate-limit.ts'
import { Quota } from '../../auth/access/rate-limit.ts'
import { type Caller, ownerOf, requireScope, type Scope } from '../../auth/access/scope.ts'
import type { Authenticate } from '../../auth/api-keys/authenticate.ts'
import { connectionOf } from '../../http/connection.ts'
import { createRoutes, type FaultLogs, HttpRejection } from '../../http/problem.ts'
import { DomainError } from '../../lib/errors.ts'
import { describeRequest } from '../../telemetry/request-log.ts'

/** What each REST API needs. */
export interface RestDeps extends FaultLogs {
  readonly authenticate: Authenticate
  readonly rateLimiter: RateLimiter
}

/** The context variables of every handler: `quota` is set first, `caller` after authentication. */
export interface CallerEnv {
  Variables: { caller: Caller; quota: Quota }
}

/**
 * Rejects requests without a valid API key (401), with the token of a session (403), over the rate limit, or without
 * room for them (429, 503).
 */
export function requireApiKey(authenticate: Authenticate): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    const { address, inFlight } = connectionOf(c)
    const caller = await authenticate(c.req.header('authorization'), address)
    acceptCaller(caller)
    c.get('quota').spend(caller, 'requests', 1)
    c.set('caller', caller)
    inFlight?.admit(ownerOf(caller))
    await next()
  }
}

/** Throws `forbidden` for the token of a session. */
export function acceptCaller(caller: Caller): void {
  describeRequest({ caller, owner: ownerOf(caller) })
  const { session } = caller
  if (!session) return
  throw new DomainError(
    'forbidden',
    `The token of a ${session.kind} session is valid for GraphQL only. Use an API key.`,
  )
}

/** Routes whose responses, including errors, have the rate-limit headers. */
export function createRestRoutes(deps: RestDeps): Hono<CallerEnv> {
  const routes = createRoutes<CallerEnv>(deps)
  routes.use(async (c, next) => {
    const quota = new Quota(deps.rateLimiter)
    c.set('quota', quota)
    await next()
    for (const [name, value] of Object.entries(quota.headers())) c.header(name, value)
  })
  return routes
}

/** The caller, for the audit log. */
export function actorOf(c: Context<CallerEnv>): Actor {
  const { keyId, person } = c.get('caller')
  return requestActor('rest', keyId, person, connectionOf(c))
}

/** Returns the uuid of the caller's organization. Throws `forbidden` if the key lacks the scope. */
export function authorize(c: Context<CallerEnv>, scope: Scope): string {
  const caller = c.get('caller')
  requireScope(caller, scope)
  return caller.organizationId
}

/**
 * The value of the header `Idempotency-Key`, or `null` if there is none. Not unquoted: the draft requires quotes, but
 * most callers send none. https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header
 */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null
  if (/^[!-~]{1,255}$/.test(header)) return header
  const detail = 'The header Idempotency-Key must consist of 1 to 255 visible ASCII characters.'
  throw new HttpRejection('malformed', detail, {
    errors: [{ header: 'Idempotency-Key', code: 'invalid_idempotency_key', detail }],
  })
}
