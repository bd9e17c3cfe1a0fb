import { Hono } from 'hono'
import { etag } from 'hono/etag'
import type { Authenticate } from '../../api-keys/authenticate.ts'
import type { Config } from '../../config/config.ts'
import type { Sql } from '../../db/client.ts'
import type { FollowedGraph } from '../../event-stream/graph/follow-schema.ts'
import { type DescribedType, followCatalogue } from '../../event-types/follow-catalogue.ts'
import { connectionOf } from '../../http/connection.ts'
import { problemResponse } from '../../http/problem.ts'
import { type ExactJson, printExactJson } from '../../lib/exact-json.ts'
import { openApiDocument } from '../../rest/connect-v1/routes.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { OutageLog } from '../../telemetry/outage-log.ts'
import { answerText, type ServedText, servedText } from '../static-text.ts'
import { printMarkdown } from './markdown.ts'
import { LOGO_PATH, pageHeaders, printPage } from './page.ts'
import { type PublicType, printPublicJson, publicTypes, withoutOperational } from './public-type.ts'
import type { Sender } from './receiving.ts'

interface CatalogueDeps {
  readonly authenticate: Authenticate
  readonly sql: Sql
  /** The graph of the event types. */
  readonly eventGraph: () => Promise<FollowedGraph>
  readonly logger: Logger
  readonly outages: OutageLog
}

type CatalogueConfig = Sender & Pick<Config, 'publicUrl' | 'publicCatalogue'>

/** The documents that follow the catalogue: an event type that is added, changed or archived shows within a second. */
export function createCatalogueRoutes(deps: CatalogueDeps, config: CatalogueConfig): Hono {
  const routes = new Hono()
  routes.onError((error, c) => problemResponse(error, c.req.raw, deps))
  addOpenApi(routes, deps, config)
  addEventGraph(routes, deps, config)
  if (config.publicCatalogue) addPublicCatalogue(routes, deps, config)
  return routes
}

/**
 * With an API key, `/openapi.json` describes each event type of the catalogue; without a key, those that the operator
 * publishes.
 */
function addOpenApi(routes: Hono, deps: CatalogueDeps, config: CatalogueConfig): void {
  const { headerPrefix, publicCatalogue } = config
  // Without a public URL, a relative one, which works behind any proxy.
  const serverUrl = config.publicUrl ?? '/'
  const print = (types: readonly DescribedType[]) => {
    const document = openApiDocument(serverUrl, types, headerPrefix) as ExactJson
    return servedText(printExactJson(document), 'application/json', { vary: 'authorization' })
  }
  const whole = followCatalogue(deps.sql, print)
  let general: ServedText | null = null
  const published = publicCatalogue
    ? followCatalogue(deps.sql, (types) => print(withoutOperational(types)))
    : async () => (general ??= print([]))
  routes.get('/openapi.json', etag(), async (c) => {
    const authorization = c.req.header('authorization')
    if (authorization === undefined) return answerText(c, await published())
    await deps.authenticate(authorization, connectionOf(c).address)
    return answerText(c, await whole())
  })
}

/** The definition of `/graphql/events`, for tools that do not use introspection. */
function addEventGraph(
  routes: Hono,
  { authenticate, eventGraph }: CatalogueDeps,
  { publicCatalogue }: CatalogueConfig,
): void {
  routes.get('/schema-events.graphql', etag(), async (c) => {
    const authorization = c.req.header('authorization')
    const isPartner = authorization === undefined && publicCatalogue
    if (!isPartner) await authenticate(authorization ?? null, connectionOf(c).address)
    const graph = await eventGraph()
    const text = await (isPartner ? await graph.ofPartners() : graph).text()
    return answerText(c, servedText(text, 'text/plain; charset=utf-8', { vary: 'authorization' }))
  })
}

function addPublicCatalogue(routes: Hono, { sql }: CatalogueDeps, sender: CatalogueConfig): void {
  addLogo(routes, sender)
  function serve(path: string, make: (types: readonly PublicType[]) => ServedText): void {
    const follow = followCatalogue(sql, (types) => make(publicTypes(types)))
    routes.get(path, etag(), async (c) => answerText(c, await follow()))
  }
  serve('/event-types', (types) =>
    servedText(printPage(types, sender), 'text/html; charset=utf-8', pageHeaders(sender)),
  )
  serve('/event-types.json', (types) =>
    servedText(printPublicJson(types, sender), 'application/json'),
  )
  serve('/event-types.md', (types) =>
    servedText(printMarkdown(types, sender), 'text/markdown; charset=utf-8'),
  )
}

/** An SVG that is opened by itself may run no script. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

function addLogo(routes: Hono, { brand: { logo } }: Pick<Config, 'brand'>): void {
  if (logo === null) return
  const bytes = Buffer.from(logo.base64, 'base64')
  routes.get(LOGO_PATH, etag(), (c) =>
    c.body(bytes, 200, {
      'content-type': logo.type,
      'cache-control': 'no-cache',
      'content-security-policy': LOGO_POLICY,
      'x-content-type-options': 'nosniff',
    }),
  )
}
