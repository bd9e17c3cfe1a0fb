import { randomBytes } from 'node:crypto'
import type { OidcRole, OidcSettings } from '../../../config/oidc-settings.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Person } from '../session.ts'

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

/** One sign-in on its way to the provider and back. */
export interface SignInState {
  /** Ties the callback to the browser that started the sign-in. */
  readonly state: string
  /** Ties the ID token to this sign-in. */
  readonly nonce: string
  /** The secret of PKCE. */
  readonly codeVerifier: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** How long a person may take at the provider. */
export const SIGN_IN_MS = 10 * 60_000

const PURPOSE = 'oidc-sign-in'

export function newSignInState(now: number): SignInState {
  const random = () => randomBytes(32).toString('base64url')
  return { state: random(), nonce: random(), codeVerifier: random(), expiresAt: now + SIGN_IN_MS }
}

/** Encrypts the state for a cookie, so that any process can finish the sign-in. */
export function sealSignInState(keyring: Keyring, state: SignInState): string {
  const plaintext = Buffer.from(JSON.stringify(state))
  return Buffer.from(keyring.encrypt(plaintext, PURPOSE)).toString('base64url')
}

/** Null for an altered, expired or missing cookie. */
export function openSignInState(
  keyring: Keyring,
  sealed: string | null,
  now: number,
): SignInState | null {
  if (sealed === null) return null
  try {
    const plaintext = keyring.decrypt(Buffer.from(sealed, 'base64url'), PURPOSE)
    const state = JSON.parse(plaintext.toString()) as SignInState
    return state.expiresAt > now ? state : null
  } catch {
    return null
  }
}

/** Why a sign-in failed. The sign-in page has a text for each. */
export const SIGN_IN_FAILURES = [
  'expired',
  'denied',
  'no_role',
  'role_ended',
  'unreachable',
  'provider_failed',
  'rejected',
  'clock',
  'limited',
  'failed',
] as const

export type SignInFailure = (typeof SIGN_IN_FAILURES)[number]

/** By the codes of OAuth, of OpenID Connect, and of `openid-client`. */
const FAILURE_OF_CODE: ReadonlyMap<unknown, SignInFailure> = new Map([
  ['access_denied', 'denied'],
  ['invalid_grant', 'expired'],
  ['server_error', 'provider_failed'],
  ['temporarily_unavailable', 'provider_failed'],
  ['invalid_client', 'rejected'],
  ['invalid_request', 'rejected'],
  ['invalid_scope', 'rejected'],
  ['unauthorized_client', 'rejected'],
  ['unsupported_response_type', 'rejected'],
  ['OAUTH_WWW_AUTHENTICATE_CHALLENGE', 'rejected'],
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'clock'],
  ['OAUTH_TIMEOUT', 'unreachable'],
])

/** The failure of a sign-in that threw an error. */
export function failureOf(error: unknown): SignInFailure {
  // `fetch` throws a TypeError if it gets no answer.
  if (error instanceof TypeError) return 'unreachable'
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const known = FAILURE_OF_CODE.get(oauthErrorOf(error).error) ?? FAILURE_OF_CODE.get(code)
  if (known) return known
  return cause instanceof Response && cause.status >= 500 ? 'provider_failed' : 'failed'
}

const MAX_ANSWER_LENGTH = 300

/** The error in the answer of the provider, for the log. Undefined if the provider did not name one. */
export function providerErrorOf(error: unknown): string | undefined {
  const { error: code, error_description: description } = oauthErrorOf(error)
  if (code === undefined) return undefined
  return (description ? `${code}: ${description}` : code).slice(0, MAX_ANSWER_LENGTH)
}

interface OauthError {
  readonly error?: string
  readonly error_description?: string
}

/** `openid-client` keeps the error beside its message, or among the challenges of the header `www-authenticate`. */
function oauthErrorOf(error: unknown): OauthError {
  const { error: code, cause } = error as OauthError & { readonly cause?: unknown }
  if (code !== undefined) return error as OauthError
  const [challenge] = (Array.isArray(cause) ? cause : []) as { parameters?: OauthError }[]
  return challenge?.parameters ?? {}
}
