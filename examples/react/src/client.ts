import { authExchange } from '@urql/exchange-auth'
import { createClient as createStreamClient } from 'graphql-sse'
import { Client, fetchExchange, subscriptionExchange } from 'urql'
import { limitSilence } from './silence-limit.ts'

/** Asks your server. The token is in memory only: a reloaded page asks again. */
async function openSession(): Promise<{ readonly url: string; readonly token: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/session', { method: 'POST', headers })
  if (!response.ok) throw new Error('Sign in first.')
  return await response.json()
}

export async function createClient(): Promise<Client> {
  let session = await openSession()
  const authorization = () => ({ authorization: `Bearer ${session.token}` })
  const streams = createStreamClient({
    url: session.url,
    headers: authorization,
    retryAttempts: 0,
    fetchFn: limitSilence,
  })
  return new Client({
    url: session.url,
    preferGetMethod: false,
    exchanges: [
      // Opens another session when this one has ended, and sends the request again, once.
      authExchange(async ({ appendHeaders }) => ({
        addAuthToOperation: (operation) => appendHeaders(operation, authorization()),
        didAuthError: ({ graphQLErrors, networkError }) =>
          graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED') ||
          (networkError as { response?: Response } | undefined)?.response?.status === 401,
        async refreshAuth() {
          session = await openSession().catch(() => session)
        },
      })),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }, { context }) => ({
          subscribe: (sink) => ({
            unsubscribe: streams.subscribe({ query, variables }, sink, {
              connected: context['connected'],
            }),
          }),
        }),
      }),
    ],
  })
}
