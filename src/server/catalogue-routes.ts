import { Hono } from 'hono'
import { etag } from 'hono/etag'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Config } from '../config/config.ts'
import type { Sql } from '../db/client.ts'
import type { EventGraph } from '../event-stream/graph/follow-schema.ts'
import { followCatalogue } from '../event-types/follow-catalogue.ts'
import { connectionOf } from '../http/connection.ts'
import { problemResponse } from '../http/problem.ts'
import { openApiDocument, printOpenApiDocument } from '../rest/connect-v1/openapi.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { answerText } from './static-files.ts'

interface CatalogueDeps {
  readonly authenticate: Authenticate
  readonly sql: Sql
  /** The graph of the event types. */
  readonly eventGraph: () => Promise<EventGraph>
  readonly logger: Logger
  readonly outages: OutageLog
}

type CatalogueConfig = Pick<Config, 'headerPrefix' | 'publicUrl'>

/** The documents that follow the catalogue: an event type that is added, changed or archived shows within a second. */
export function createCatalogueRoutes(deps: CatalogueDeps, config: CatalogueConfig): Hono {
  const routes = new Hono()
  routes.onError((error, c) => problemResponse(error, c.req.raw, deps))
  addOpenApi(routes, deps, config)
  addEventGraph(routes, deps)
  return routes
}

/**
 * With an API key, `/openapi.json` describes each event type of the catalogue; without a key, deliveries in general.
 */
function addOpenApi(
  routes: Hono,
  { authenticate, sql }: CatalogueDeps,
  { headerPrefix, publicUrl }: CatalogueConfig,
): void {
  // Without a public URL, a relative one, which works behind any proxy.
  const serverUrl = publicUrl ?? '/'
  let general: string | undefined
  const whole = followCatalogue(sql, (types) =>
    printOpenApiDocument(serverUrl, headerPrefix, types),
  )
  routes.get('/openapi.json', etag(), async (c) => {
    const authorization = c.req.header('authorization')
    if (authorization !== undefined) await authenticate(authorization, connectionOf(c).address)
    general ??= JSON.stringify(openApiDocument(serverUrl, headerPrefix))
    const text = authorization === undefined ? general : await whole()
    return answerText(c, text, 'application/json', { vary: 'authorization' })
  })
}

/** The definition of `/graphql/events`, for tools that do not use introspection. */
function addEventGraph(routes: Hono, { authenticate, eventGraph }: CatalogueDeps): void {
  routes.get('/schema-events.graphql', etag(), async (c) => {
    await authenticate(c.req.header('authorization') ?? null, connectionOf(c).address)
    const text = await (await eventGraph()).text()
    return answerText(c, text, 'text/plain; charset=utf-8', { vary: 'authorization' })
  })
}
