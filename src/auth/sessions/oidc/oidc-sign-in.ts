import type { OidcRole, OidcSettings } from '../../../config/oidc-settings.ts'
import type { Person } from '../session.ts'
import type { SignInState } from './sign-in-state.ts'

/** Sign-in to the console by OpenID Connect. */
export interface OidcSignIn {
  readonly settings: OidcSettings
  readonly provider: Provider
}

/** The provider of OpenID Connect. */
export interface Provider {
  /** The page of the provider where a person signs in. */
  authorizationUrl(state: SignInState, redirectUri: string): Promise<URL>
  /** Exchanges the code in the callback's URL. Throws the errors of `openid-client`. */
  finish(callback: URL, state: SignInState): Promise<Claims>
  /** The page of the provider that signs out, or null if it has none. */
  signOutUrl(returnTo: string): Promise<URL | null>
}

/** The claims of a person who signed in: those of the ID token and of the provider's user info. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

/**
 * The first role that a person has, or null. A claim matches if it is the value, or a list with the value. The email
 * address counts only if the provider verified it: otherwise people could claim the address of another.
 */
export function roleOf(roles: readonly OidcRole[], claims: Claims): OidcRole | null {
  return (
    roles.find(({ claim, value }) => {
      if (claim === 'email' && claims['email_verified'] !== true) return false
      const given = claims[claim]
      return Array.isArray(given) ? given.includes(value) : given === value
    }) ?? null
  )
}

const MAX_LABEL_LENGTH = 200

/** The person, as the session and the audit log name them. */
export function personOf(claims: Claims): Person {
  const text = (claim: string) => {
    const value = claims[claim]
    return typeof value === 'string' ? plain(value) : ''
  }
  const name = text('name') || text('preferred_username')
  const email = text('email')
  const label = name && email && name !== email ? `${name} <${email}>` : name || email
  return {
    subject: plain(claims.sub),
    label: (label || plain(claims.sub)).slice(0, MAX_LABEL_LENGTH),
  }
}

/** Without control characters, which Postgres or a terminal could not take. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').trim()
}
