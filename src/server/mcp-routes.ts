import { type Context, Hono } from 'hono'
import { Quota } from '../auth/access/rate-limit.ts'
import { ownerOf } from '../auth/access/scope.ts'
import type { Config } from '../config/config.ts'
import { isLoopbackHttp } from '../config/oidc-settings.ts'
import { ORGANIZATION_HEADER } from '../graphql/context.ts'
import { GRAPHQL_PATH, type Handle } from '../graphql/handler.ts'
import { connectionOf } from '../http/connection.ts'
import { problemResponse } from '../http/problem.ts'
import { readBody } from '../http/read-body.ts'
import { DomainError } from '../lib/errors.ts'
import { VERSION } from '../lib/version.ts'
import { createGraphqlHandler, createIdentify, type GraphqlDeps } from './graphql-handler.ts'

export const MCP_PATH = '/mcp'

type McpConfig = Pick<Config, 'mcp' | 'publicUrl' | 'corsOrigins'>

/** The largest body of a request. An error of the SDK repeats names of it, and must not exceed the size of an answer. */
const MAX_BODY_BYTES = 16 * 1024

/**
 * The Model Context Protocol over Streamable HTTP, for agents. Mount it at `/` unless POSTHORN_MCP is off. Each request
 * stands alone, as in revision 2026-07-28, and older clients get no session either.
 */
export function createMcpRoutes(deps: GraphqlDeps, config: McpConfig): Hono {
  const identify = createIdentify(deps)
  const graph = createGraphqlHandler({ ...deps, corsOrigins: [], trustedDocuments: null })

  async function handle(c: Context): Promise<Response> {
    const request = c.req.raw
    requireKnownOrigin(request, config)
    const { address, inFlight } = connectionOf(c)
    const caller = await identify(request, address)
    if (caller.session || caller.consoleSessionId) {
      throw new DomainError('unauthenticated', 'An agent needs an API key, not a session.')
    }
    const quota = new Quota(deps.rateLimiter)
    quota.spend(caller, 'requests', 1)
    inFlight?.admit(ownerOf(caller))
    // Loaded with the first request, because most processes serve none.
    const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../../packages/mcp/mcp-server.ts'),
    ])
    const options = {
      version: VERSION,
      canChange: config.mcp === 'write',
      scopes: caller.scopes,
      send: sendTo(graph, request, address),
      onFault: (error: unknown) => deps.logger.error({ error }, 'a tool of /mcp failed'),
    }
    const handler = createMcpHandler(() => createMcpServer(options), {
      onerror: (error) => deps.logger.debug({ error }, 'a request to /mcp was rejected'),
    })
    const response = await handler.fetch(await withBody(request, inFlight))
    for (const [name, value] of Object.entries(quota.headers())) response.headers.set(name, value)
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  }

  return new Hono().all(MCP_PATH, (c) =>
    handle(c).catch((error) => problemResponse(error, c.req.raw, deps)),
  )
}

/**
 * Throws `forbidden` for a request of a page that is not known. A page whose name leads to this machine (DNS rebinding) has
 * the same host as the request, so only loopback names count without a setting.
 */
function requireKnownOrigin(
  { headers, url }: Request,
  { publicUrl, corsOrigins }: McpConfig,
): void {
  const origin = headers.get('origin')
  if (origin === null || origin === publicUrl || corsOrigins.includes(origin)) return
  const page = URL.parse(origin)
  if (page && isLoopbackHttp(page) && page.host === new URL(url).host) return
  throw new DomainError(
    'forbidden',
    'The request comes from a page whose origin is not known. Add the origin to POSTHORN_CORS_ORIGINS, or call /mcp from a program, which sends no Origin.',
  )
}

async function withBody(
  request: Request,
  inFlight: ReturnType<typeof connectionOf>['inFlight'],
): Promise<Request> {
  const { url, method, headers, signal } = request
  if (method !== 'POST') return new Request(url, { method, headers, signal })
  const body = (await readBody(request, MAX_BODY_BYTES, inFlight)) as Uint8Array<ArrayBuffer>
  // Each message counts against the rate limit of the key.
  if (/^\s*\[/.test(Buffer.from(body).toString())) {
    throw new DomainError('malformed', 'Send one message in each request: there are no batches.')
  }
  return new Request(url, { method, headers, signal, body })
}

/** What the graph reads of a request: who calls, for which organization, and what the audit log says about the caller. */
const KEPT_HEADERS = ['authorization', ORGANIZATION_HEADER, 'user-agent', 'x-forwarded-for']

/** Sends the documents of a request to `/mcp` to the graph of this process, with the credential of the request. */
function sendTo(graph: Handle, request: Request, address: string | undefined) {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of KEPT_HEADERS) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const url = new URL(GRAPHQL_PATH, request.url)
  return async (body: object) => {
    const sent = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await graph(sent, { address })
    return await response.json()
  }
}
