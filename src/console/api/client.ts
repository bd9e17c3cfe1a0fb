import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql'
import { place } from '../place.ts'

interface ClientOptions {
  /** What the portal authenticates with. The console has a cookie that no script can read. */
  readonly token: string | null
  /** Called when the session is over. */
  onSignedOut(reason: string): void
}

/** A client of the public GraphQL API. Its cache belongs to one session. */
export function createClient({ token, onSignedOut }: ClientOptions): Client {
  const headers = {
    'posthorn-console': '1',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(place.organizationId !== null && { 'posthorn-organization': place.organizationId }),
  }
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers, credentials: token === null ? 'same-origin' : 'omit' },
    fetchSubscriptions: true,
    // What was seen before is shown at once, and then as it is now.
    requestPolicy: 'cache-and-network',
    exchanges: [
      mapExchange({
        onResult({ error }) {
          const ended = error?.graphQLErrors.find(
            ({ extensions }) => extensions['code'] === 'UNAUTHENTICATED',
          )
          if (ended) onSignedOut(ended.message)
        },
      }),
      cacheExchange,
      fetchExchange,
    ],
  })
}
