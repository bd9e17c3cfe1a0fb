import { Client, cacheExchange, fetchExchange, mapExchange } from 'urql'
import { answerExchange, preloadExchange } from './preload.ts'
import { noteReachability } from './reachability.ts'
import { describeError } from './request-error.ts'
import { requestOptions } from './request-options.ts'
import { fetchUnlessSilent } from './silence-limit.ts'

interface ClientOptions {
  /** The portal's token, which a renewal changes. Null in the console, whose cookie no script can read. */
  token(): string | null
  /** Called when the session has ended. */
  onSignedOut(reason: string): void
}

/** A client of the public GraphQL API. Each session has its own, with its own cache. */
export function createClient({ token, onSignedOut }: ClientOptions): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: () => requestOptions(token()),
    fetchSubscriptions: true,
    fetch: fetchUnlessSilent,
    // Shows cached data at once, and updates it.
    requestPolicy: 'cache-and-network',
    exchanges: [
      mapExchange({
        onResult({ error }) {
          noteReachability(error !== undefined && describeError(error).isUnreachable)
          const ended = error?.graphQLErrors.find(
            ({ extensions }) => extensions['code'] === 'UNAUTHENTICATED',
          )
          if (ended) onSignedOut(ended.message)
        },
      }),
      preloadExchange,
      cacheExchange,
      answerExchange,
      fetchExchange,
    ],
  })
}
