import { mount } from '../mount.ts'

/**
 * How to call the GraphQL API. `token`: an API key, or the token of a portal session. Null: the cookie of the console,
 * which no script can read.
 */
export function requestOptions(token: string | null) {
  const headers: Record<string, string> =
    token === null
      ? { 'posthorn-console': '1', ...organization() }
      : { authorization: `Bearer ${token}` }
  return { headers, credentials: token === null ? ('same-origin' as const) : ('omit' as const) }
}

/** The organization that an operator acts for. */
function organization() {
  return mount.organizationId !== null && { 'posthorn-organization': mount.organizationId }
}
