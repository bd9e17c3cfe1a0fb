import { FAILURES } from './sign-in-failures.ts'

/** Leads the browser to the provider, which sends it back to the console. */
export const OIDC_PATH = '/console/session/oidc'

/** Why the last sign-in at the provider failed, from the page's URL. */
export function oidcFailure(): keyof typeof FAILURES | null {
  const given = new URLSearchParams(location.search).get('failed') ?? ''
  return Object.hasOwn(FAILURES, given) ? (given as keyof typeof FAILURES) : null
}
