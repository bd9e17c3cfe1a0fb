import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { DomainError } from '../../lib/errors.ts'
import type { Claims } from './oidc-sign-in.ts'

/** The tolerated difference between the clocks of the provider and of this machine. */
const CLOCK_TOLERANCE_S = 60
const TIMEOUT_MS = 5_000

/** With a secret that Posthorn shares with the provider (HS256), anyone who has it could issue tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Verifies access tokens that are JWTs. `keysUrl` finds the keys of the provider on the first use. */
export function createVerifyAccessToken(issuer: string, keysUrl: () => Promise<URL>) {
  let keys: Promise<JWTVerifyGetKey> | null = null
  const findKeys = () => {
    keys ??= keysUrl()
      .then((url) => createRemoteJWKSet(url, { timeoutDuration: TIMEOUT_MS }))
      .catch((error: unknown) => {
        keys = null
        throw error
      })
    return keys
  }
  return async (token: string, audience: string): Promise<Claims> => {
    const find = await findKeys().catch(unavailable)
    try {
      const { payload } = await jwtVerify(token, find, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp', 'sub'],
      })
      return payload as Claims
    } catch (error) {
      throw isAboutToken(error) ? unauthenticated(error) : unavailable(error)
    }
  }
}

/** Any other error is one of the provider, or of the way to it. */
function isAboutToken(error: unknown): error is errors.JOSEError {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC'
}

function unauthenticated(error: errors.JOSEError): DomainError {
  return new DomainError(
    'unauthenticated',
    `The access token is not valid: ${REASONS[error.code] ?? 'it is not one of the provider'}. Get a new one for this server.`,
  )
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'its issuer, audience or times do not fit',
}

function unavailable(cause: unknown): never {
  throw new DomainError(
    'unavailable',
    'The provider of OpenID Connect did not answer, so the access token could not be verified. Try again.',
    { cause },
  )
}
