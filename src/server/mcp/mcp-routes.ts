import { Hono } from 'hono'
import type { Config } from '../../config/config.ts'
import { problemResponse } from '../../http/problem.ts'
import { requireKnownOrigin } from './known-origin.ts'
import type { McpDeps } from './mcp-handler.ts'
import { createBearerChallenge, METADATA_PATH, resourceMetadata } from './resource-metadata.ts'

export const MCP_PATH = '/mcp'

type McpConfig = Pick<Config, 'mcp' | 'publicUrl' | 'corsOrigins'>

/** The Model Context Protocol over Streamable HTTP, for agents. Mount it at `/` unless POSTHORN_MCP is off. */
export function createMcpRoutes(deps: McpDeps, config: McpConfig): Hono {
  const routes = new Hono()
  const metadata = deps.oidc && resourceMetadata(deps.oidc.settings, config.publicUrl)
  const challenge = createBearerChallenge(metadata && config.publicUrl)
  // Loaded with the first request, because most processes serve none.
  const handler = lazy(async () => {
    const { createMcpHandle } = await import('./mcp-handler.ts')
    return createMcpHandle(deps, config)
  })
  routes.all(MCP_PATH, async (c) => {
    try {
      requireKnownOrigin(c.req.raw, config)
      const handle = await handler()
      return await handle(c)
    } catch (error) {
      return challenge(problemResponse(error, c.req.raw, deps), c.req.raw)
    }
  })
  if (metadata) routes.get(METADATA_PATH, (c) => c.json(metadata))
  return routes
}

function lazy<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let created: Promise<Value> | null = null
  return () => {
    created ??= create()
    return created
  }
}
