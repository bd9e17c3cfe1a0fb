import { authExchange } from '@urql/exchange-auth'
import { cacheExchange } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import { Client, fetchExchange, subscriptionExchange } from 'urql'
import type { Session } from '../../shared/session.ts'
import { subscribeWithSse } from '../../shared/sse.ts'
import { Attempts } from './documents.ts'
import type { AttemptRecordedSubscription } from './generated/graphql.ts'

export function createClient(session: Session): Client {
  return new Client({
    url: session.url,
    preferGetMethod: false,
    exchanges: [cache(), renewal(session), fetchExchange, streams(session)],
  })
}

/** Renews an expired session, and sends the request again, once. */
const renewal = (session: Session) =>
  authExchange(async ({ appendHeaders }) => ({
    addAuthToOperation: (operation) =>
      appendHeaders(operation, { authorization: `Bearer ${session.token}` }),
    didAuthError: ({ graphQLErrors }) =>
      graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED'),
    refreshAuth: () => session.renew().catch(() => {}),
  }))

const streams = (session: Session) =>
  subscriptionExchange({
    forwardSubscription: ({ query = '', variables }, { context }) => ({
      subscribe: (sink) => ({
        unsubscribe: subscribeWithSse(session, { query, variables }, sink, context['connected']),
      }),
    }),
  })

const cache = () =>
  cacheExchange({
    // For fragments on an interface.
    possibleTypes: {
      UserError: [
        'ConflictError',
        'EditConflictError',
        'EndpointVerificationError',
        'NotFoundError',
        'ValidationError',
      ],
    },
    // Without ids of their own: parts of their webhook, and an event.
    keys: {
      WebhookHealth: () => null,
      WebhookBacklog: () => null,
      WebhookHealthChange: () => null,
    },
    resolvers: { Query: { webhooks: relayPagination() } },
    updates: {
      Mutation: {
        createWebhook(_result, _variables, cached) {
          for (const { fieldName, fieldKey } of cached.inspectFields('Query')) {
            if (fieldName === 'webhooks') cached.invalidate('Query', fieldKey)
          }
        },
      },
      Subscription: {
        attemptRecorded({ attemptRecorded: attempt }: AttemptRecordedSubscription, _, cached) {
          cached.updateQuery({ query: Attempts }, (data) => {
            // A resumed stream sends some attempts again.
            if (!data || !attempt || data.attempts.nodes.some(({ id }) => id === attempt.id)) {
              return data
            }
            return {
              ...data,
              attempts: { ...data.attempts, nodes: [attempt, ...data.attempts.nodes] },
            }
          })
        },
      },
    },
  })
