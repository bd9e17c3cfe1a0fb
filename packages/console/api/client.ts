import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql'
import { mount } from '../mount.ts'
import { portalToken } from '../session/portal.ts'
import { noteOutcome } from './connection.ts'

/**
 * How to call the GraphQL API. `token`: of a portal session. Null: the cookie of the console, which no script can read.
 * `organizationId`: the organization that an operator acts for.
 */
export function requestOptions(token = portalToken(), organizationId = mount.organizationId) {
  const headers: Record<string, string> =
    token === null
      ? {
          'posthorn-console': '1',
          ...(organizationId !== null && { 'posthorn-organization': organizationId }),
        }
      : { authorization: `Bearer ${token}` }
  return { headers, credentials: token === null ? ('same-origin' as const) : ('omit' as const) }
}

/** The client of the public GraphQL API. A page has one session: another one starts with another page. */
export const client = new Client({
  url: '/graphql',
  preferGetMethod: false,
  fetchOptions: () => requestOptions(),
  // Shows cached data at once, and updates it.
  requestPolicy: 'cache-and-network',
  exchanges: [
    mapExchange({ onResult: ({ error }) => noteOutcome(error) }),
    cacheExchange,
    fetchExchange,
  ],
})
