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
