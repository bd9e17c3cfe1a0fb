import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
} from '@apollo/client'
import { SetContextLink } from '@apollo/client/link/context'
import { ErrorLink } from '@apollo/client/link/error'
import { relayStylePagination } from '@apollo/client/utilities'
import { OperationTypeNode, print } from 'graphql'
import { from, mergeMap, Observable } from 'rxjs'
import type { Session } from '../../shared/session.ts'
import { subscribeWithSse } from '../../shared/sse.ts'

export function createClient(session: Session): ApolloClient {
  const requests = ApolloLink.from([
    renewal(session),
    new SetContextLink(() => ({ headers: { authorization: `Bearer ${session.token}` } })),
    new HttpLink({ uri: session.url }),
  ])
  return new ApolloClient({
    clientAwareness: { name: 'posthorn-example', version: '1.0.0' },
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
      typePolicies: { Query: { fields: { webhooks: relayStylePagination() } } },
    }),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      streams(session),
      requests,
    ),
  })
}

/** Renews an expired session, and sends the request again, once. */
const renewal = (session: Session) =>
  new ErrorLink(({ error, operation, forward }) => {
    const hasEnded =
      CombinedGraphQLErrors.is(error) &&
      error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')
    // The second request does not pass this link again.
    if (hasEnded) return from(session.renew()).pipe(mergeMap(() => forward(operation)))
  })

const streams = (session: Session) =>
  new ApolloLink(
    ({ query, variables, getContext }) =>
      new Observable((sink) =>
        subscribeWithSse(
          session,
          { query: print(query), variables },
          sink,
          getContext()['connected'],
        ),
      ),
  )
