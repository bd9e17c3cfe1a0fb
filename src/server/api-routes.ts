import { readFileSync } from 'node:fs'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import type { OidcSignIn } from '../auth/sessions/oidc/oidc-sign-in.ts'
import type { EventGraph } from '../bodies/event-graph/event-schema.ts'
import type { Config } from '../config/config.ts'
import { heapShare } from '../config/settings.ts'
import type { Database } from '../db/client.ts'
import { followCatalogue } from '../event-types/follow-catalogue.ts'
import { GRAPHQL_PATH } from '../graphql/handler.ts'
import { connectionOf, createEntrance, type DirectHandler, enter } from '../http/connection.ts'
import { problemResponse } from '../http/problem.ts'
import { followGraph } from '../streams/event-stream/follow-graph.ts'
import { createConsoleFiles } from './console-files.ts'
import { createDocsFiles, hasDocs } from './docs-files.ts'
import { graphiqlPage } from './graphiql-page.ts'
import { createGraphqlHandler, EVENTS_PATH, type GraphqlDeps } from './graphql-handler.ts'
import { createMailLinkRoutes } from './mail-link-routes.ts'
import { createMcpRoutes } from './mcp-routes.ts'
import { createOidcRoutes, OIDC_PATH } from './oidc-routes.ts'
import {
  CONNECT_V1_PATH,
  openApiDocument,
  printOpenApiDocument,
} from './rest/connect-v1/openapi.ts'
import { type ConnectV1Deps, createConnectV1 } from './rest/connect-v1/routes.ts'
import { createEventsV1, EVENTS_V1_PATH } from './rest/events-v1.ts'
import { createPublish, PUBLISH_PATH } from './rest/publish-v1.ts'
import { createSessionRoutes, SESSION_PATH } from './session-routes.ts'
import { answerText } from './static-files.ts'

interface ApiDeps
  extends ConnectV1Deps,
    Pick<GraphqlDeps, 'authenticateSession' | 'webhooks' | 'publishEvents' | 'live'> {
  readonly database: Database
  /** Null without POSTHORN_OIDC_ISSUER. */
  readonly oidc: OidcSignIn | null
}

/** The file beside `package.json`, in a clone and in the published package. For tools that do not use introspection. */
const SCHEMA_FILE = new URL('../../schema.graphql', import.meta.url)

/** The schemas of documents on `/graphql/events`. */
const SHARE_OF_EVENT_GRAPH = 1 / 8

/** Adds the routes of the API and the console. Returns the handlers of the paths that are served beside them. */
export function addApiRoutes(
  routes: Hono,
  deps: ApiDeps,
  config: Config,
): ReadonlyMap<string, DirectHandler> {
  const { database } = deps
  const { publicUrl, graphqlTrustedDocuments } = config
  // With trusted documents, no other document could run.
  const graphiql = graphqlTrustedDocuments === null
  const graphqlDeps = {
    ...deps,
    prisma: database.prisma,
    sql: database.pool,
    publicUrl,
    sendsEmail: config.emailFrom !== null,
    corsOrigins: config.corsOrigins,
    trustedDocuments: graphqlTrustedDocuments,
  }
  const graphql = createGraphqlHandler(graphqlDeps)
  const eventGraph = followGraph(database.pool, heapShare(config, SHARE_OF_EVENT_GRAPH))
  const events = createGraphqlHandler(graphqlDeps, eventGraph)
  const entrance = createEntrance(config)
  routes.use(enter(entrance))
  if (graphiql) routes.on('GET', [GRAPHQL_PATH, EVENTS_PATH], graphiqlPage())
  routes.all(GRAPHQL_PATH, (context) => graphql(context.req.raw, connectionOf(context)))
  routes.all(EVENTS_PATH, (context) => events(context.req.raw, connectionOf(context)))
  let schema: string | undefined
  routes.get('/schema.graphql', etag(), (context) => {
    schema ??= readFileSync(SCHEMA_FILE, 'utf8')
    return answerText(context, schema, 'text/plain; charset=utf-8')
  })
  routes.route('/', createCatalogueRoutes(deps, config, eventGraph))
  routes.route(CONNECT_V1_PATH, createConnectV1(deps))
  routes.route(EVENTS_V1_PATH, createEventsV1(graphqlDeps))
  const { prisma, keyring } = deps.webhooks
  if (config.mcp !== 'off') routes.route('/', createMcpRoutes(graphqlDeps, config))
  routes.route('/', createMailLinkRoutes(prisma, keyring))
  if (deps.oidc && publicUrl !== null) {
    routes.route(OIDC_PATH, createOidcRoutes({ ...graphqlDeps, ...deps.oidc, keyring, publicUrl }))
  }
  routes.route(
    SESSION_PATH,
    createSessionRoutes({
      ...graphqlDeps,
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
  return new Map([[PUBLISH_PATH, createPublish({ ...graphqlDeps, entrance })]])
}

/** The documents that follow the catalogue: an event type that is added, changed or archived shows within a second. */
function createCatalogueRoutes(
  deps: ApiDeps,
  { headerPrefix, publicUrl }: Config,
  eventGraph: () => Promise<EventGraph>,
): Hono {
  const { authenticate, database } = deps
  const routes = new Hono()
  routes.onError((error, c) => problemResponse(error, c.req.raw, deps))
  // Without a public URL, a relative one, which works behind any proxy.
  const serverUrl = publicUrl ?? '/'
  let general: string | undefined
  const whole = followCatalogue(database.pool, (types) =>
    printOpenApiDocument(serverUrl, headerPrefix, types),
  )
  // With an API key, it describes each event type of the catalogue; without a key, deliveries in general.
  routes.get('/openapi.json', etag(), async (c) => {
    const authorization = c.req.header('authorization')
    if (authorization !== undefined) await authenticate(authorization, connectionOf(c).address)
    general ??= JSON.stringify(openApiDocument(serverUrl, headerPrefix))
    const text = authorization === undefined ? general : await whole()
    return answerText(c, text, 'application/json', { vary: 'authorization' })
  })
  // The definition of `/graphql/events`, for tools that do not use introspection.
  routes.get('/schema-events.graphql', etag(), async (c) => {
    await authenticate(c.req.header('authorization') ?? null, connectionOf(c).address)
    const text = await (await eventGraph()).print()
    return answerText(c, text, 'text/plain; charset=utf-8', { vary: 'authorization' })
  })
  return routes
}
