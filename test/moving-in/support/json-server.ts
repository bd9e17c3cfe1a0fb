import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer: a status, headers, and a body that is sent as JSON unless it is a text. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface JsonServer extends AsyncDisposable {
  readonly url: string
  /** The paths that were asked for, with their queries. */
  readonly asked: string[]
  /** Answers before the API does. Null: the API answers. */
  interfere: (path: string) => Answer | null
}

/** A server that answers GET requests with a token as `answer` says, and others with 401. */
export async function startJsonServer(
  token: string,
  answer: (path: string, query: URLSearchParams) => Answer,
): Promise<JsonServer> {
  const asked: string[] = []
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    asked.push(request.url ?? '')
    const isKnown = request.headers.authorization === `Bearer ${token}`
    const given = isKnown ? (api.interfere(pathname) ?? answer(pathname, searchParams)) : UNKNOWN
    const { status = 200, headers = {}, body = {} } = given
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const api: JsonServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    interfere: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return api
}

const UNKNOWN: Answer = { status: 401, body: { code: 'authentication_failed', detail: 'Unknown' } }
export const NOT_FOUND: Answer = { status: 404, body: { code: 'not_found', detail: 'Not found' } }
