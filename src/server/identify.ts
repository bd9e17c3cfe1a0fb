import { ownerOf } from '../access/owner-of.ts'
import type { Caller } from '../access/scope.ts'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Sql } from '../db/client.ts'
import type { Identify, Identity } from '../graphql/context.ts'
import { ORGANIZATION_HEADER } from '../graphql/organization-header.ts'
import { CROSS_SITE_DETAIL, isCrossSite, sessionCookie } from '../http/session-cookie.ts'
import { DomainError } from '../lib/errors.ts'
import type { AuthenticateSession } from '../sessions/authenticate-session.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { actAsOperator } from './act-as-operator.ts'

export interface IdentifyDeps {
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
  readonly sql: Sql
  readonly publicUrl: string | null
}

/** Identifies the caller of a GraphQL request, and the organization that an operator acts for. */
export function createIdentify(deps: IdentifyDeps): Identify {
  const identities = new WeakMap<Request, Promise<Identity>>()
  const authenticate = createAuthenticateRequest(deps)
  return (request, address) => {
    const identity = identities.get(request) ?? identify(authenticate, deps.sql, request, address)
    identities.set(request, identity)
    return identity
  }
}

type AuthenticateRequest = (request: Request, address: string | undefined) => Promise<Caller>

/** Authenticates by the API key in the `Authorization` header, or by the session cookie of the console. */
function createAuthenticateRequest(deps: IdentifyDeps): AuthenticateRequest {
  const cookie = sessionCookie(deps.publicUrl)
  return async (request, address) => {
    const authorization = request.headers.get('authorization')
    if (authorization !== null || !cookie.isRequested(request)) {
      return await deps.authenticate(authorization, address)
    }
    if (isCrossSite(request, deps.publicUrl)) {
      throw new DomainError('unauthenticated', CROSS_SITE_DETAIL)
    }
    return await deps.authenticateSession(cookie.read(request) ?? '')
  }
}

async function identify(
  authenticate: AuthenticateRequest,
  sql: Sql,
  request: Request,
  address: string | undefined,
): Promise<Identity> {
  try {
    const caller = await authenticate(request, address)
    describeRequest({ caller, owner: ownerOf(caller) })
    const acting = await actAsOperator(sql, caller, request.headers.get(ORGANIZATION_HEADER))
    describeRequest({ caller: acting, owner: ownerOf(acting) })
    return acting
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'unavailable') return error
    throw error
  }
}
