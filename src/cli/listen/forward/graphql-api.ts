import { explainFetchError } from '../../connect-api.ts'
import { readEvents } from './read-events.ts'

/** A client of the GraphQL API. */
export interface GraphqlApi {
  /** Throws an `ApiError` for what the server rejects, and any other error if it cannot be reached. */
  call<Data>(query: string, variables: object): Promise<Data>
  /** Yields the data of each event. `onOpen` is called once the server sends every later event. */
  subscribe<Data>(subscription: Subscription): AsyncGenerator<Data>
}

export interface Subscription {
  readonly query: string
  readonly variables: object
  readonly signal: AbortSignal
  readonly onOpen: () => void
}

/** The server answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const TIMEOUT_MS = 10_000

/** The server sends a comment every 12 seconds. A stream without any is broken. */
const SILENCE_MS = 40_000

export function createGraphqlApi(server: string, key: string): GraphqlApi {
  async function post(body: object, accept: string, signal: AbortSignal): Promise<Response> {
    const response = await fetch(`${server.replace(/\/+$/, '')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    const type = response.headers.get('content-type') ?? ''
    if (response.status >= 500 && !type.includes('json')) {
      throw new Error(`${server} answered ${response.status} ${response.statusText}.`)
    }
    return response
  }

  return {
    async call<Data>(query: string, variables: object): Promise<Data> {
      let response: Response
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS)
        response = await post({ query, variables }, 'application/json', signal)
      } catch (error) {
        throw new Error(explainFetchError(server, error), { cause: error })
      }
      return dataOf(await response.json().catch(() => null), server)
    },

    async *subscribe<Data>({ query, variables, signal, onOpen }: Subscription) {
      const silence = new AbortController()
      const body = { query, variables }
      const timer = setTimeout(() => silence.abort(), SILENCE_MS)
      try {
        const closed = AbortSignal.any([signal, silence.signal])
        const response = await post(body, 'text/event-stream', closed)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
          dataOf<Data>(await response.json().catch(() => null), server)
        }
        let isOpen = false
        for await (const event of readEvents(response.body, () => timer.refresh())) {
          // A rejected subscription is an event, too.
          const data = event === null ? null : dataOf<Data>(event, server)
          if (!isOpen) onOpen()
          isOpen = true
          if (data !== null) yield data
        }
      } finally {
        clearTimeout(timer)
        silence.abort()
      }
    },
  }
}

interface Result {
  readonly data?: unknown
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

function dataOf<Data>(result: unknown, server: string): Data {
  const { data, errors } = (result ?? {}) as Result
  const [error] = errors ?? []
  if (error) throw new ApiError(error.extensions?.code ?? '', error.message)
  if (typeof data === 'object' && data !== null) return data as Data
  throw new ApiError('', `${server} does not respond like Posthorn. Check --server.`)
}
