import { type ServerAccess, ServerError, sendRequest } from '../../send-request.ts'
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
export class ApiError extends ServerError {
  override readonly name = 'ApiError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The server sends a comment every 12 seconds. A stream without any is broken. */
const SILENCE_MS = 40_000

export function createGraphqlApi(access: ServerAccess): GraphqlApi {
  async function post(body: object, accept: string, signal?: AbortSignal): Promise<Response> {
    const response = await sendRequest(access, {
      ...{ method: 'POST', path: '/graphql', headers: { accept }, body },
      ...(signal && { signal }),
    })
    const type = response.headers.get('content-type') ?? ''
    if (response.status >= 500 && !type.includes('json')) {
      throw new ServerError(`${access.url} answered ${response.status} ${response.statusText}.`)
    }
    return response
  }

  return {
    async call<Data>(query: string, variables: object): Promise<Data> {
      const response = await post({ query, variables }, 'application/json')
      return dataOf(await response.json().catch(() => null), access.url)
    },

    async *subscribe<Data>({ query, variables, signal, onOpen }: Subscription) {
      const silence = new AbortController()
      const body = { query, variables }
      const timer = setTimeout(() => silence.abort(), SILENCE_MS)
      try {
        const closed = AbortSignal.any([signal, silence.signal])
        const response = await post(body, 'text/event-stream', closed)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
          dataOf<Data>(await response.json().catch(() => null), access.url)
        }
        let isOpen = false
        for await (const event of readEvents(response.body, () => timer.refresh())) {
          // A rejected subscription is an event, too.
          const data = event === null ? null : dataOf<Data>(event, access.url)
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
