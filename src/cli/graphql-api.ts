import { readEvents } from './read-events.ts'
import { NotExecuted, type ServerAccess, ServerError, sendRequest } from './send-request.ts'

/** A client of the GraphQL API, for operations with one root field. Errors have a message that says what to do. */
export interface GraphqlApi {
  /**
   * Runs an operation and returns the value of its root field. A `UserError` is thrown as `UserError`; an operation that
   * the server refused to execute, as `NotExecuted`.
   */
  run<Value>(document: string, variables?: object, organization?: string): Promise<Value>
  /** Yields the value of the root field of each event. */
  subscribe<Value>(subscription: Subscription): AsyncGenerator<Value>
}

export interface Subscription {
  readonly query: string
  readonly variables: object
  readonly signal: AbortSignal
  /** Called once the server sends every later event. */
  readonly onOpen: () => void
}

/** An error that the mutation returned as data, such as invalid input. Its code is `invalid`, `not_found` or `conflict`. */
export class UserError extends ServerError {
  override readonly name = 'UserError'
}

/** With these codes, the operation had no effect. */
const REFUSED = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']

/** The server sends a comment every 12 seconds. A stream without any is broken. */
const SILENCE_MS = 40_000

export function createGraphqlApi(access: ServerAccess): GraphqlApi {
  return {
    async run<Value>(query: string, variables: object = {}, organization?: string) {
      try {
        const headers = organization === undefined ? {} : { 'posthorn-organization': organization }
        const response = await post(access, { query, variables }, headers)
        const value = rootFieldOf(await readResult(access.url, response))
        if (isUserError(value)) throw new UserError(value.message, value.code)
        return value as Value
      } catch (error) {
        // A query has no effect, also if its answer is lost.
        const hasNone = query.trimStart().startsWith('query') && error instanceof ServerError
        throw hasNone ? new NotExecuted(error.message, error.code) : error
      }
    },

    async *subscribe<Value>({ query, variables, signal, onOpen }: Subscription) {
      const silence = new AbortController()
      const timer = setTimeout(() => silence.abort(), SILENCE_MS)
      try {
        const closed = AbortSignal.any([signal, silence.signal])
        const headers = { accept: 'text/event-stream' }
        const response = await post(access, { query, variables }, headers, closed)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
          rootFieldOf(await readResult(access.url, response))
        }
        let isOpen = false
        for await (const event of readEvents(response.body, () => timer.refresh())) {
          // A rejected subscription is an event, too.
          const value = event === null ? null : rootFieldOf(event as Result)
          if (!isOpen) onOpen()
          isOpen = true
          if (event !== null) yield value as Value
        }
      } finally {
        clearTimeout(timer)
        silence.abort()
      }
    },
  }
}

function post(
  access: ServerAccess,
  body: { readonly query: string; readonly variables: object },
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const request = { method: 'POST', path: '/graphql', headers, body }
  return sendRequest(access, { ...request, ...(signal && { signal }) })
}

function rootFieldOf({ data, errors: [error] = [] }: Result): unknown {
  if (error) {
    const code = error.extensions?.code ?? ''
    const isRefused = data === undefined || REFUSED.includes(code)
    throw new (isRefused ? NotExecuted : ServerError)(error.message, code)
  }
  return Object.values(data ?? {})[0]
}

interface Result {
  /** Missing if the operation was not executed, as the specification of GraphQL says. */
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

async function readResult(url: string, response: Response): Promise<Result> {
  const body: unknown = await response.json().catch(() => null)
  const result = Object(body) as Result & { readonly detail?: unknown }
  if (result.data !== undefined || Array.isArray(result.errors)) return result
  // A server that starts again, and a proxy in front of it, answer without GraphQL.
  const detail = typeof result.detail === 'string' ? result.detail : ''
  if (response.ok || response.status === 404) {
    throw new ServerError(`${url} does not respond like Posthorn. Check --server.`, 'NOT_POSTHORN')
  }
  throw new ServerError(
    `${url} answered with ${response.status} ${response.statusText}. ${detail}`.trim(),
  )
}

function isUserError(value: unknown): value is { code: string; message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && 'code' in value
}
