import type { GraphiQLProps } from 'graphiql'
import { getOperationAST } from 'graphql'
import { type Client, createClient } from 'graphql-sse'
import { requestOptions } from '../api/request-options.ts'

interface ExploreFetcher {
  /** Runs an operation for GraphiQL. */
  readonly fetch: GraphiQLProps['fetcher']
  /** Closes the streams of subscriptions. */
  closeStreams(): void
}

/** `path` is that of the graph. `token` returns the token to send, or null for the cookie of the console. */
export function createFetcher(path: string, token: () => string | null): ExploreFetcher {
  const clients = new Set<Client>()
  return {
    fetch({ operationName, ...rest }, { documentAST } = {}) {
      const params = { ...rest, ...(operationName && { operationName }) }
      const options = requestOptions(token())
      const operation = documentAST && getOperationAST(documentAST, operationName)
      if (operation?.operation !== 'subscription') return request(path, params, options)
      const client = createClient({
        url: path,
        retryAttempts: 0,
        fetchFn: fetchStream,
        ...options,
      })
      clients.add(client)
      return client.iterate(params)
    },
    closeStreams() {
      for (const client of clients) client.dispose()
      clients.clear()
    },
  }
}

async function request(
  path: string,
  params: object,
  { headers, credentials }: ReturnType<typeof requestOptions>,
) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, accept: ACCEPT, 'content-type': 'application/json' },
    credentials,
    body: JSON.stringify(params),
  }).catch(() => null)
  if (response === null) return failure('Posthorn is unreachable. Try again.')
  const result = await response.json().catch(() => null)
  return result ?? failure(`Posthorn responded with the status ${response.status}.`)
}

const ACCEPT = 'application/graphql-response+json, application/json'

function failure(message: string) {
  return { errors: [{ message }] }
}

/** The server also sends errors with a status such as 401 as events, but graphql-sse reads events of a success only. */
async function fetchStream(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return isStream ? new Response(response.body, { headers: response.headers }) : response
}
