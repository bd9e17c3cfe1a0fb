import { mount } from '../mount.ts'

/**
 * How to call the GraphQL API. `token`: an API key, or the token of a portal session. Null: the cookie of the console,
 * which no script can read. `organizationId`: the organization that an operator acts for.
 */
export function requestOptions(token: string | null, organizationId = mount.organizationId) {
  const headers: Record<string, string> =
    token === null
      ? {
          'posthorn-console': '1',
          ...(organizationId !== null && { 'posthorn-organization': organizationId }),
        }
      : { authorization: `Bearer ${token}` }
  return { headers, credentials: token === null ? ('same-origin' as const) : ('omit' as const) }
}
