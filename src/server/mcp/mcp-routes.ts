import { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { problemResponse } from '../../http/problem.ts'
import { requireKnownOrigin } from './known-origin.ts'
import type { createMcpHandle, McpDeps } from './mcp-handler.ts'

export const MCP_PATH = '/mcp'

type McpConfig = Pick<Config, 'mcp' | 'publicUrl' | 'corsOrigins'>

/** The Model Context Protocol over Streamable HTTP, for agents. Mount it at `/` unless POSTHORN_MCP is off. */
export function createMcpRoutes(deps: McpDeps, config: McpConfig): Hono {
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
