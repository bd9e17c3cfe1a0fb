import { ORGANIZATION_HEADER } from '../../graphql/context.ts'
import type { Handle } from '../../graphql/cors.ts'
import { GRAPHQL_PATH } from '../../graphql/handler.ts'
import type { GraphqlResult, Send } from '../../mcp/execute.ts'

/** What the graph reads of a request: who calls, for which organization, and what the audit log says about the caller. */
const KEPT_HEADERS = ['authorization', ORGANIZATION_HEADER, 'user-agent', 'x-forwarded-for']

/** Sends the documents of a request to `/mcp` to the graph of this process, with the credential of the request. */
export function sendTo(graph: Handle, request: Request, address: string | undefined): Send {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of KEPT_HEADERS) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const url = new URL(GRAPHQL_PATH, request.url)
  return async (body) => {
    const sent = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await graph(sent, { address })
    return (await response.json()) as GraphqlResult
  }
}
