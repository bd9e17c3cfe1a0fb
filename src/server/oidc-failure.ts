import type { Context } from 'hono'
import { connectionOf } from '../http/connection.ts'
import { createAuthFailureLimiter } from '../rate-limit/address-limiter.ts'
import { providerErrorOf, type SignInFailure } from '../sessions/oidc/sign-in-failure.ts'
import { type Logger, withoutStack } from '../telemetry/logger.ts'
import { describeRequest } from '../telemetry/request-log.ts'

/** Leads to the sign-in page, which says why, and logs the failure in one line. */
export type Fail = (c: Context, failure: SignInFailure, facts?: FailureFacts) => Response

interface FailureFacts {
  readonly error?: unknown
  readonly person?: string
  readonly key?: string
}

/** Counts the failures of each address. Further ones are not logged, so that nobody can fill the log. */
export function createFail(logger: Logger): Fail {
  const failures = createAuthFailureLimiter()
  return (c, failure, { error, ...facts } = {}) => {
    const { address } = connectionOf(c)
    if (address !== undefined && failures.count(address) > 0) return rejectAsLimited(c)
    const providerError = error === undefined ? undefined : providerErrorOf(error)
    const cause = logger.isLevelEnabled('debug') ? error : withoutStack(error)
    const level = failure === 'expired' && error === undefined ? 'info' : 'warn'
    logger[level](
      { failure, ...facts, providerError, error: cause },
      (error === undefined && TEXTS[failure]) || 'a sign-in by OpenID Connect failed',
    )
    return toSignInPage(c, failure)
  }
}

const TEXTS: { readonly [failure in SignInFailure]?: string } = {
  expired:
    'a sign-in by OpenID Connect took too long, was used before, or came back without its cookie',
  no_role: 'a person without a role of POSTHORN_OIDC_ROLES was refused',
  role_ended: 'a role of POSTHORN_OIDC_ROLES names an API key that is not valid',
}

/** Leads to the sign-in page, without a line in the log. */
export function rejectAsLimited(c: Context): Response {
  describeRequest({ limit: 'failed_keys' })
  return toSignInPage(c, 'limited')
}

function toSignInPage(c: Context, failure: SignInFailure): Response {
  return c.redirect(`/console/sign-in?failed=${failure}`)
}
