import { readFileSync } from 'node:fs'
import type { Hono, MiddlewareHandler } from 'hono'
import { etag } from 'hono/etag'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/client.ts'
import type { EventStreams } from '../event-stream/event-streams.ts'
import { followGraph } from '../event-stream/graph/follow-schema.ts'
import { GRAPHQL_PATH } from '../graphql/handler.ts'
import { connectionOf, trustProxies } from '../http/connection.ts'
import { limitInFlight } from '../http/in-flight.ts'
import { noWebSocketsProblem } from '../http/problem.ts'
import { CONNECT_V1_PATH, type ConnectV1Deps, createConnectV1 } from '../rest/connect-v1/routes.ts'
import { createEventsV1, EVENTS_V1_PATH } from '../rest/events-v1/routes.ts'
import type { OidcSignIn } from '../sessions/oidc/oidc-sign-in.ts'
import { createCatalogueRoutes } from './catalogue-routes.ts'
import { createConsoleFiles } from './console-files.ts'
import { createDocsFiles, hasDocs } from './docs-files.ts'
import { graphiqlPage } from './graphiql-page.ts'
import {
  createEventsHandler,
  createGraphqlHandler,
  EVENTS_PATH,
  type GraphqlDeps,
} from './graphql-handler.ts'
import { createMailLinkRoutes } from './mail-link-routes.ts'
import { createMcpRoutes } from './mcp-routes.ts'
import { createOidcRoutes, OIDC_PATH } from './oidc-routes.ts'
import { createSessionRoutes, SESSION_PATH } from './session-routes.ts'
import { answerText } from './static-text.ts'

export interface ApiDeps
  extends ConnectV1Deps,
    Pick<GraphqlDeps, 'authenticateSession' | 'webhooks' | 'publishEvents' | 'live' | 'memory'> {
  readonly database: Database
  readonly eventStreams: EventStreams
  /** Null without POSTHORN_OIDC_ISSUER. */
  readonly oidc: OidcSignIn | null
}

/** The file beside `package.json`, in a clone and in the published package. For tools that do not use introspection. */
export function readSchema(): string {
  return readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
}

/** Adds the routes of the API and the console: GraphQL, REST, sign-in and the files of the console. */
export function addApiRoutes(routes: Hono, deps: ApiDeps, config: Config): void {
  const { database, memory, authenticate, logger, outages } = deps
  const { publicUrl, graphqlTrustedDocuments } = config
  // With trusted documents, no other document could run.
  const graphiql = graphqlTrustedDocuments === null
  const graphqlDeps = {
    ...deps,
    prisma: database.prisma,
    sql: database.pool,
    retentionMs: config.retentionMs,
    publicUrl,
    sendsEmail: config.emailFrom !== null,
    corsOrigins: config.corsOrigins,
    trustedDocuments: graphqlTrustedDocuments,
  }
  const graphql = createGraphqlHandler(graphqlDeps)
  const eventGraph = followGraph(database.pool, memory)
  const events = createEventsHandler(graphqlDeps, eventGraph)
  routes.use(trustProxies(config.trustedProxies), limitInFlight(config), rejectWebSockets)
  if (graphiql) routes.on('GET', [GRAPHQL_PATH, EVENTS_PATH], graphiqlPage())
  routes.all(GRAPHQL_PATH, (context) => graphql(context.req.raw, connectionOf(context)))
  routes.all(EVENTS_PATH, (context) => events(context.req.raw, connectionOf(context)))
  let schema: string | undefined
  routes.get('/schema.graphql', etag(), (context) => {
    schema ??= readSchema()
    return answerText(context, schema, 'text/plain; charset=utf-8')
  })
  routes.route('/', createCatalogueRoutes({ ...deps, sql: database.pool, eventGraph }, config))
  routes.route(CONNECT_V1_PATH, createConnectV1(deps))
  routes.route(EVENTS_V1_PATH, createEventsV1(deps))
  const { prisma, keyring } = deps.webhooks
  if (config.mcp !== 'off') routes.route('/', createMcpRoutes(graphqlDeps, config))
  routes.route('/', createMailLinkRoutes({ prisma, keyring }))
  if (deps.oidc && publicUrl !== null) {
    const sql = database.pool
    routes.route(
      OIDC_PATH,
      createOidcRoutes({ ...deps.oidc, sql, keyring, publicUrl, logger, outages }),
    )
  }
  routes.route(
    SESSION_PATH,
    createSessionRoutes({
      sql: database.pool,
      authenticate,
      publicUrl,
      logger,
      outages,
      signOutUrl: async () => {
        const url = await deps.oidc?.provider.signOutUrl(`${publicUrl}/console`).catch(() => null)
        return url?.href ?? null
      },
    }),
  )
  routes.route('/', createDocsFiles())
  routes.route(
    '/',
    createConsoleFiles({
      portalOrigins: config.portalOrigins,
      graphiql,
      docs: hasDocs,
      signInHost: deps.oidc ? new URL(deps.oidc.settings.issuer).host : '',
    }),
  )
}

/** Rejects the handshakes of WebSockets, which many GraphQL clients use for subscriptions. */
export const rejectWebSockets: MiddlewareHandler = async (context, next) => {
  // Any other upgrade is ignored (RFC 9110, section 7.8): Java's HTTP client asks for `h2c` with each first request.
  const isWebSocket = /\bwebsocket\b/i.test(context.req.header('upgrade') ?? '')
  return isWebSocket ? noWebSocketsProblem() : await next()
}
