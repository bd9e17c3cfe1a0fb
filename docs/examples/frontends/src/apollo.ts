import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
} from '@apollo/client'
import { SetContextLink } from '@apollo/client/link/context'
import { ErrorLink } from '@apollo/client/link/error'
import { OperationTypeNode, print } from 'graphql'
import { createClient as createStreamClient } from 'graphql-sse'
import { Observable } from 'rxjs'

let token: Promise<string> | null = null

/** `requestToken` asks your server for a frontend session. */
export function createClient(url: string, requestToken: () => Promise<string>): ApolloClient {
  return new ApolloClient({
    cache: new InMemoryCache({
      possibleTypes: {
        UserError: [
          'ConflictError',
          'EditConflictError',
          'EndpointVerificationError',
          'NotFoundError',
          'ValidationError',
        ],
      },
    }),
    link: ApolloLink.from([
      new ErrorLink(({ error, operation, forward }) => {
        if (!hasEnded(error) || operation.getContext()['isRetry']) return
        token = null
        operation.setContext({ isRetry: true })
        return forward(operation)
      }),
      new SetContextLink(async ({ headers }) => {
        token ??= requestToken()
        return { headers: { ...headers, authorization: `Bearer ${await token}` } }
      }),
      ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        createStreamLink(url),
        new HttpLink({ uri: url }),
      ),
    ]),
  })
}

function hasEnded(error: unknown): boolean {
  // graphql-sse has only the status of a stream that did not begin.
  if (!CombinedGraphQLErrors.is(error))
    return (error as { response?: Response }).response?.status === 401
  return error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')
}

/** Subscriptions as event streams. `HttpLink` asks for multipart responses, which Posthorn rejects with 406. */
function createStreamLink(url: string): ApolloLink {
  return new ApolloLink(
    ({ query, variables, getContext }) =>
      new Observable((observer) =>
        createStreamClient({ url, headers: getContext()['headers'], retryAttempts: 0 }).subscribe(
          { query: print(query), variables },
          {
            next: (result) => observer.next(result as ApolloLink.Result),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  )
}
