import { USER_AGENT } from '../lib/version.ts'

/** How a command reaches a server. */
export interface ServerAccess {
  /** The base URL, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** An API key, `phk_…`. */
  readonly key: string
}

/** A server that a command uses could not be reached, or did not do what was asked. The message says what to do. */
export class ServerError extends Error {
  override readonly name: string = 'ServerError'
  /** The code of the GraphQL error, such as `FORBIDDEN`. Null if the server did not answer, or has an outage. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}

/** The server has done nothing of what was asked, so that the command can do it in another way. */
export class NotExecuted extends ServerError {
  override readonly name = 'NotExecuted'
}

export interface ServerRequest {
  readonly method: string
  /** The path, such as `/graphql`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Ends the request and its response. Default: after 10 s. */
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 10_000

/** Sends a request with the API key. Any response is returned; a missing one is a `ServerError`. */
export async function sendRequest(
  { url, key }: ServerAccess,
  { method, path, headers = {}, body, signal = AbortSignal.timeout(TIMEOUT_MS) }: ServerRequest,
): Promise<Response> {
  try {
    return await fetch(url.replace(/\/+$/, '') + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'user-agent': USER_AGENT,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
  } catch (error) {
    throw explainFetchError(url, error as Error)
  }
}

/** One line about a server that could not be reached, or whose response broke off. */
export function explainFetchError(url: string, error: Error): ServerError {
  const cause = error.cause as NodeJS.ErrnoException | undefined
  if (cause?.code === 'ECONNREFUSED') {
    return new NotExecuted(
      `Nothing listens at ${url}. Start Posthorn with \`npm start\`, or give its URL with --server.`,
    )
  }
  if (error.name === 'TimeoutError') {
    return new ServerError(`${url} did not answer within ${TIMEOUT_MS / 1000} s.`)
  }
  return new ServerError(`Cannot connect to ${url}: ${cause?.message || error.message}.`)
}
