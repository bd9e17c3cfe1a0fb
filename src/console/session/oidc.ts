/** The host of the provider of OpenID Connect, which the server writes into the page. Empty: API keys only. */
export const oidcHost =
  document.querySelector<HTMLMetaElement>('meta[name="posthorn-sign-in"]')?.content ?? ''

/** Leads the browser to the provider, which sends it back to the console. */
export const OIDC_PATH = '/console/session/oidc'

const FAILURES = [
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

/** Why the last sign-in at the provider failed, from the page's URL. */
export function oidcFailure(): (typeof FAILURES)[number] | null {
  const given = new URLSearchParams(location.search).get('failed')
  return FAILURES.find((failure) => failure === given) ?? null
}
