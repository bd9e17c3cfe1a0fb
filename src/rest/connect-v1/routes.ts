import { OpenAPIHono } from '@hono/zod-openapi'
import type { Authenticate } from '../../api-keys/authenticate.ts'
import type { DescribedType } from '../../event-types/follow-catalogue.ts'
import { methodNotAllowed, notFoundProblem, problemResponse } from '../../http/problem.ts'
import { printMembers, toMembers } from '../../lib/exact-json.ts'
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { OutageLog } from '../../telemetry/outages.ts'
import { DEFAULT_HEADER_PREFIX } from '../../webhooks/custom-headers.ts'
import type { WebhookDeps } from '../../webhooks/webhook.ts'
import { addRateLimitHeaders, type CallerEnv, requireApiKey } from '../caller.ts'
import { API_DESCRIPTION, registerApi } from './api-description.ts'
import { deliveryRules, describeDeliveries, printDeliveries } from './delivery-webhook.ts'
import { addSecretRoutes, secretOperations } from './secret-routes.ts'
import { webhookOperations } from './webhook-operations.ts'
import { addWebhookRoutes } from './webhook-routes.ts'

export interface ConnectV1Deps {
  readonly authenticate: Authenticate
  readonly rateLimiter: RateLimiter
  readonly webhooks: WebhookDeps
  readonly logger: Logger
  readonly outages: OutageLog
}

export const CONNECT_V1_PATH = '/api/connect/v1'

/**
 * The REST API. Mount it with `server.route(CONNECT_V1_PATH, createConnectV1(deps))`; it handles every path below. With
 * `strict: false`, the server also accepts paths that end in a slash.
 * On existing paths, authentication comes first: requests with any method get 401 without a valid key.
 */
export function createConnectV1(deps: ConnectV1Deps): OpenAPIHono<CallerEnv> {
  const app = new OpenAPIHono<CallerEnv>()
  app.onError((error, c) => problemResponse(error, c.req.raw, deps))
  app.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  app.use(addRateLimitHeaders(deps.rateLimiter))
  for (const path of methodsByPath.keys()) app.use(path, requireApiKey(deps.authenticate))
  addWebhookRoutes(app, deps.webhooks)
  addSecretRoutes(app, deps.webhooks)
  for (const [path, methods] of methodsByPath) {
    app.all(path, (c) => {
      throw methodNotAllowed(c.req.method, methods)
    })
  }
  app.all('*', (c) => notFoundProblem(c.req.path))
  return app
}

/**
 * The OpenAPI 3.1 document of the REST API and of deliveries. `serverUrl` is the base URL of the paths, and `headerPrefix`
 * the prefix of the signature headers.
 */
export function openApiDocument(serverUrl: string, headerPrefix: string = DEFAULT_HEADER_PREFIX) {
  const app = new OpenAPIHono()
  registerApi(app.openAPIRegistry)
  for (const { path, ...operation } of operations) {
    app.openAPIRegistry.registerPath({ ...operation, path: CONNECT_V1_PATH + path })
  }
  const { tags, ...description } = API_DESCRIPTION
  const document = app.getOpenAPI31Document({
    ...description,
    tags: [...tags, { name: 'Deliveries', description: deliveryRules(headerPrefix) }],
    servers: [{ url: serverUrl.replace(/\/+$/, '') || '/', description: 'This installation.' }],
  })
  return { ...document, webhooks: describeDeliveries(headerPrefix) }
}

/** The same as JSON, with the event types of a catalogue. */
export async function printOpenApiDocument(
  serverUrl: string,
  headerPrefix: string,
  types: readonly DescribedType[],
): Promise<Buffer<ArrayBuffer>> {
  const document = openApiDocument(serverUrl, headerPrefix)
  if (types.length === 0) return Buffer.from(JSON.stringify(document))
  const { components = {}, webhooks: _, ...others } = document
  const { schemas = {}, ...parts } = components
  const deliveries = await printDeliveries(types, headerPrefix)
  const allSchemas = printMembers([...toMembers(schemas), ...deliveries.schemas])
  return printMembers([
    ...toMembers(others),
    ['components', printMembers([...toMembers(parts), ['schemas', allSchemas]])],
    ['webhooks', printMembers(deliveries.webhooks)],
  ])
}

const operations = [...webhookOperations, ...secretOperations]

/** The methods of each path. GET implies HEAD. */
const methodsByPath = new Map<string, string[]>()
for (const operation of operations) {
  const path = operation.getRoutingPath()
  const method = operation.method.toUpperCase()
  const methods = methodsByPath.get(path) ?? []
  methodsByPath.set(path, [...methods, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])])
}
