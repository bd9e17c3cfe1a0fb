import { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { isLoopbackHttp } from '../../config/oidc-settings.ts'
import { problemResponse } from '../../http/problem.ts'
import { DomainError } from '../../lib/errors.ts'
import type { GraphqlDeps } from '../graphql-handler.ts'
import type { createMcpHandle } from './mcp-handler.ts'

const MCP_PATH = '/mcp'

type McpConfig = Pick<Config, 'mcp' | 'publicUrl' | 'corsOrigins'>

/** The Model Context Protocol over Streamable HTTP, for agents. Mount it at `/` unless POSTHORN_MCP is off. */
export function createMcpRoutes(deps: GraphqlDeps, config: McpConfig): Hono {
  const routes = new Hono()
  // Loaded with the first request, because most processes serve none.
  let handle: ReturnType<typeof createMcpHandle> | null = null
  routes.all(MCP_PATH, async (c) => {
    try {
      requireKnownOrigin(c.req.raw, config)
      handle ??= (await import('./mcp-handler.ts')).createMcpHandle(deps, config)
      return await handle(c)
    } catch (error) {
      return problemResponse(error, c.req.raw, deps)
    }
  })
  return routes
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
