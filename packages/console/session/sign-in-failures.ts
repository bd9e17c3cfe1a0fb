/** Why a sign-in by OpenID Connect failed, and what to do. */
export const FAILURES: Readonly<Record<string, string>> = {
  expired: 'The sign-in took longer than 10 minutes, or this page was opened twice. Sign in again.',
  denied: 'The sign-in was canceled at the provider. Sign in again to continue.',
  no_role:
    'Your account has no role in Posthorn. Ask your Posthorn operator to add one of your groups to POSTHORN_OIDC_ROLES.',
  role_ended:
    'The API key of your role is revoked or has expired. Ask your Posthorn operator to update POSTHORN_OIDC_ROLES.',
  unreachable: 'The provider does not respond. Try again in a minute, or sign in with an API key.',
  provider_failed:
    'The provider has a problem of its own and did not sign you in. Try again in a minute, or sign in with an API key.',
  rejected:
    'The provider rejects the settings of Posthorn. Ask your Posthorn operator to compare POSTHORN_OIDC_CLIENT_ID and POSTHORN_OIDC_CLIENT_SECRET with the provider.',
  clock:
    'The clocks of Posthorn and of the provider differ by more than a minute. Ask your Posthorn operator to synchronize them.',
  limited:
    'There were too many sign-ins from your address. Try again in a minute, or sign in with an API key.',
  failed:
    'The provider’s response was not valid. Sign in again. If this continues, ask your Posthorn operator to read the log of Posthorn.',
}

/** Why the last sign-in at the provider failed, from the code in the page's URL. */
export function oidcFailure(): string | null {
  const code = new URLSearchParams(location.search).get('failed') ?? ''
  return Object.hasOwn(FAILURES, code) ? (FAILURES[code] ?? null) : null
}
