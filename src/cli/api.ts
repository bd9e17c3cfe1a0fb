import { USER_AGENT } from '../lib/version.ts'

/** How a command reaches a server. */
export interface ServerAccess {
  /** The base URL, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** An API key, `phk_…`. Empty: none is sent. */
  readonly key: string
  /** With a key of the scope `admin`: the organization to act for. */
  readonly organization?: string | undefined
}

/** A server could not be reached, or did not do what was asked. The message says what to do. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  /** Whether the server may have done what was asked all the same. */
  readonly mayHaveActed: boolean
  /** Whether the same may succeed a little later: the server is busy, restarts or is not reached. */
  readonly isTransient: boolean
  /** The codes of invalid fields, such as `address_not_public`. */
  readonly issues: readonly string[]

  constructor(
    message: string,
    { mayHaveActed = false, isTransient = false, issues = [] as readonly string[] } = {},
  ) {
    super(message)
    this.mayHaveActed = mayHaveActed
    this.isTransient = isTransient
    this.issues = issues
  }
}

interface ServerRequest {
  readonly method: string
  /** The path, such as `/graphql`. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: object
  /** Ends the request and its response. Default: after 10 s. */
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 10_000

/** Sends a request with the API key. Any response is returned; a missing one is a `ServerError`. */
export async function sendRequest(
  { url, key, organization }: ServerAccess,
  { method, path, body, signal = AbortSignal.timeout(TIMEOUT_MS) }: ServerRequest,
): Promise<Response> {
  try {
    return await fetch(url.replace(/\/+$/, '') + path, {
      method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        'user-agent': USER_AGENT,
        ...(organization !== undefined && { 'posthorn-organization': organization }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      redirect: 'manual',
      signal,
    })
  } catch (error) {
    throw explainFetchError(url, error as Error)
  }
}

function explainFetchError(url: string, error: Error): ServerError {
  const cause = error.cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ECONNREFUSED') {
    return new ServerError(
      `Nothing listens at ${url}. Start Posthorn with \`npm start\`, or give its URL with --server.`,
      { isTransient: true },
    )
  }
  const what =
    error.name === 'TimeoutError'
      ? `${url} did not answer within ${TIMEOUT_MS / 1000} s.`
      : `Cannot connect to ${url}: ${cause?.message || error.message}.`
  return new ServerError(what, { mayHaveActed: true, isTransient: true })
}

interface GraphqlResult {
  /** Missing if the operation was not executed, as the specification of GraphQL says. */
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

/** Runs an operation with one root field, and returns its value. An error that it returns is thrown. */
export async function run<Value>(
  access: ServerAccess,
  query: string,
  variables: object = {},
): Promise<Value> {
  const body = { query, variables }
  const response = await sendRequest(access, { method: 'POST', path: '/graphql', body })
  const result = (await response.json().catch(() => null)) as GraphqlResult | null
  if (!result?.data && !result?.errors) throw explainResponse(access.url, response, result)
  const { data, errors: [error] = [] } = result
  if (error) {
    const code = error.extensions?.code ?? ''
    const message = `${error.message}${code === 'UNAUTHENTICATED' ? ` ${GIVE_A_KEY}` : ''}`
    throw new ServerError(message, { mayHaveActed: data !== undefined && !REFUSED.includes(code) })
  }
  const value: unknown = Object.values(data ?? {})[0]
  const { code, message, issues = [] } = Object(value) as Partial<UserError>
  if (code === undefined || message === undefined) return value as Value
  throw new ServerError(message, { issues: issues.map((issue) => issue.code) })
}

/**
 * A mutation as `run` takes it: its call, such as `deleteWebhook(id: $id)`, the types of its variables, and the fields of its
 * success.
 */
export function mutation(call: string, variables: string, fields: string): string {
  const [name = ''] = call.split('(')
  return `mutation (${variables}) { ${call} {
    ... on ${name[0]?.toUpperCase()}${name.slice(1)}Success { ${fields} }
    ... on UserError { code message ... on ValidationError { issues { code } } }
  } }`
}

/** All nodes of a connection, oldest first: lists are newest first. */
export async function allPages<Node>(access: ServerAccess, query: string): Promise<Node[]> {
  const nodes: Node[] = []
  for (let after: string | null = null; ; ) {
    const page: Page<Node> = await run(access, query, { after })
    nodes.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return nodes.toReversed()
    after = page.pageInfo.endCursor
  }
}

interface Page<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** With these codes, the operation had no effect. */
const REFUSED = ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']

const GIVE_A_KEY = 'Set POSTHORN_API_KEY to a valid key, or give --key-file.'

/** Why a response is not what was asked for, from its body in JSON: an RFC 9457 problem, or none. */
export function explainResponse(url: string, response: Response, body: unknown): ServerError {
  const { ok, status, statusText } = response
  if (ok || (status === 404 && body === null)) {
    const message = `${url} does not respond like Posthorn. Check --server.`
    return new ServerError(message, { mayHaveActed: true })
  }
  // A server that starts again, and a proxy in front of it, answer without GraphQL.
  const { detail = '' } = Object(body) as { readonly detail?: unknown }
  const remedy = status === 401 ? GIVE_A_KEY : ''
  const parts = [`${url} answered with ${status} ${statusText}.`, String(detail), remedy]
  const isTransient = [429, 502, 503, 504].includes(status)
  return new ServerError(parts.filter(Boolean).join(' '), { mayHaveActed: true, isTransient })
}

interface UserError {
  readonly code: string
  readonly message: string
  readonly issues?: readonly { readonly code: string }[]
}
