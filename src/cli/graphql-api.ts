import { NotExecuted, type ServerAccess, ServerError, sendRequest } from './send-request.ts'

/** A client of the GraphQL API. Errors have a message that says what to do. */
export interface GraphqlApi {
  /**
   * Runs an operation with one root field and returns the value of this field. A `UserError` is thrown as `UserError`; an
   * operation that the server refused to execute, as `NotExecuted`.
   */
  run<Value>(document: string, variables?: object, organization?: string): Promise<Value>
}

/** An error that the mutation returned as data, such as invalid input. */
export class UserError extends ServerError {
  override readonly name = 'UserError'
  /** `invalid`, `not_found` or `conflict`. */
  readonly code: string

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message)
    this.code = code
  }
}

/** With these codes, the operation had no effect. */
const REFUSED = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']

export function createGraphqlApi(access: ServerAccess): GraphqlApi {
  return {
    async run<Value>(query: string, variables: object = {}, organization?: string) {
      try {
        const value = await readRootField(access, { query, variables }, organization)
        if (isUserError(value)) throw new UserError(value)
        return value as Value
      } catch (error) {
        // A query has no effect, also if its answer is lost.
        const hasNone = query.startsWith('query') && error instanceof ServerError
        throw hasNone && !(error instanceof NotExecuted) ? new NotExecuted(error.message) : error
      }
    },
  }
}

async function readRootField(
  access: ServerAccess,
  body: { readonly query: string; readonly variables: object },
  organization: string | undefined,
): Promise<unknown> {
  const headers = organization === undefined ? {} : { 'posthorn-organization': organization }
  const response = await sendRequest(access, { method: 'POST', path: '/graphql', headers, body })
  const { data, errors = [] } = await readResult(access.url, response)
  const [error] = errors
  if (error) {
    const code = error.extensions?.code ?? ''
    const isRefused = data === undefined || REFUSED.includes(code)
    throw isRefused ? new NotExecuted(error.message, code) : new ServerError(error.message)
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
  throw new ServerError(
    response.ok || response.status === 404
      ? `${url} does not respond like Posthorn. Check --server.`
      : `${url} answered with ${response.status} ${response.statusText}. ${detail}`.trim(),
  )
}

function isUserError(value: unknown): value is { code: string; message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && 'code' in value
}
