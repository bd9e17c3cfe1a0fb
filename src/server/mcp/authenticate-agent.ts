import type { Caller } from '../../access/scope.ts'
import { type Authenticate, findCallerOfKey } from '../../api-keys/authenticate.ts'
import type { Sql } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { DomainError, rateLimited } from '../../lib/errors.ts'
import { createAuthFailureLimiter } from '../../rate-limit/auth-failure-limiter.ts'
import type { OidcSignIn } from '../../sessions/oidc/oidc-sign-in.ts'
import { personOf, roleOf } from '../../sessions/oidc/role-of.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { resourceOf } from './resource-metadata.ts'

interface AgentDeps {
  readonly authenticate: Authenticate
  readonly sql: Sql
  readonly oidc: OidcSignIn | null
  readonly publicUrl: string | null
}

/** Authenticates an API key or, with OpenID Connect, an access token of the provider. */
export function createAuthenticateAgent(deps: AgentDeps): Authenticate {
  const { authenticate, oidc, publicUrl } = deps
  if (oidc === null || publicUrl === null) return authenticate
  const failures = createAuthFailureLimiter()
  return async (authorization, address) => {
    const token = JWT.exec(authorization ?? '')?.[1]
    if (token === undefined) return await authenticate(authorization, address)
    try {
      return await callerOf(token, oidc, resourceOf(publicUrl), deps.sql)
    } catch (error) {
      const isFailure = error instanceof DomainError && error.code === 'unauthenticated'
      const waitSeconds = isFailure && address !== undefined ? failures.count(address) : 0
      if (waitSeconds === 0) throw error
      describeRequest({ limit: 'failed_keys' })
      throw rateLimited(
        `This address sent too many requests with invalid access tokens. Try again in ${waitSeconds} seconds.`,
        waitSeconds,
      )
    }
  }
}

/** Three parts of base64url. An API key has no dot. */
const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i

async function callerOf(
  token: string,
  { settings, provider }: OidcSignIn,
  audience: string,
  sql: Sql,
): Promise<Caller> {
  const claims = await provider.verifyAccessToken(token, audience)
  const role = roleOf(settings.roles, claims)
  if (role === null) {
    throw new DomainError(
      'forbidden',
      'The access token has no role of POSTHORN_OIDC_ROLES. Ask the Posthorn operator for one.',
    )
  }
  const caller = await findCallerOfKey(sql, parseId('apiKey', role.keyId))
  return { ...caller, person: personOf(claims).label }
}
