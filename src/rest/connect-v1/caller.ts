import type { Context, MiddlewareHandler } from 'hono'
import type { Authenticate } from '../../api-keys/authenticate.ts'
import { type Caller, requireScope, type Scope } from '../../api-keys/scope.ts'

/** What every handler below can rely on: the caller is known. */
export interface CallerEnv {
  Variables: { caller: Caller }
}

/** Lets nobody past without a valid API key. */
export function authenticated(authenticate: Authenticate): MiddlewareHandler<CallerEnv> {
  return async (c, next) => {
    c.set('caller', await authenticate(c.req.header('authorization')))
    await next()
  }
}

/** The uuid of the caller's organization, if their key has the scope. */
export function permit(c: Context<CallerEnv>, scope: Scope): string {
  const caller = c.get('caller')
  requireScope(caller, scope)
  return caller.organizationId
}
