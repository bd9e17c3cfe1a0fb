import type { GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { createQuota } from '../access/quota.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outage-log.ts'
import { type Context, createContext, type DomainDeps, type Identify } from './context.ts'
import { type Connection, corsOptions, type Handle } from './cors.ts'
import { createDocumentCache, noCache } from './document-cache.ts'
import { type CheckComplexity, createCheckComplexity } from './limits/check-complexity.ts'
import { useKeylessRequests } from './limits/use-keyless-requests.ts'
import { useLimits } from './limits/use-limits.ts'
import { type RequestContext, useRateLimit } from './limits/use-rate-limit.ts'
import { useResponseSize } from './limits/use-response-size.ts'
import { createMaskError } from './mask-error.ts'
import { hasLoneSurrogateInParams, useReadParams } from './read-params.ts'
import { usePersistedQueries } from './use-persisted-queries.ts'
import { useRequestLog } from './use-request-log.ts'
import { useStreams } from './use-streams.ts'
import { type TrustedDocuments, useTrustedDocuments } from './use-trusted-documents.ts'

export interface HandlerOptions {
  readonly schema: GraphQLSchema
  readonly identify: Identify
  readonly rateLimiter: RateLimiter
  readonly logger: Logger
  readonly outages: OutageLog
  /** The origins allowed by CORS. */
  readonly corsOrigins: readonly string[]
  /** The only documents that clients may run. Null: any. */
  readonly trustedDocuments: TrustedDocuments | null
}

export const GRAPHQL_PATH = '/graphql'

/** Handles requests to `/graphql`, of any method. */
export function createHandler(deps: DomainDeps, options: HandlerOptions): Handle {
  const checkComplexity = createCheckComplexity(options.schema)
  let yoga: ReturnType<typeof createServer> | undefined

  return async function handle(request: Request, connection: Connection = {}): Promise<Response> {
    // Created with the first request: when it starts, the server replaces the global `Response` with a faster one.
    yoga ??= createServer(deps, options, checkComplexity)
    const quota = createQuota(options.rateLimiter)
    const response = await yoga.handleRequest(request, { ...connection, quota })
    for (const [name, value] of quota.headers()) response.headers.set(name, value)
    // Responses may contain secrets, and belong to one API key.
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-content-type-options', 'nosniff')
    if (options.corsOrigins.length > 0) {
      response.headers.append('vary', 'origin, access-control-request-headers')
    }
    // Otherwise nginx, which buffers responses by default, sends nothing until a buffer of the stream is full.
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      response.headers.set('x-accel-buffering', 'no')
    }
    return response
  }
}

function createServer(deps: DomainDeps, options: HandlerOptions, checkComplexity: CheckComplexity) {
  const { schema, identify, trustedDocuments: trusted } = options
  return createYoga<RequestContext, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: async ({ request, address, quota }) =>
      createContext(deps, await identify(request, address), quota, {
        headers: request.headers,
        url: request.url,
        hasLoneSurrogate: hasLoneSurrogateInParams(request),
        address,
      }),
    plugins: [
      useReadParams(identify),
      trusted ? useTrustedDocuments(trusted) : usePersistedQueries(identify),
      useRequestLog(),
      useKeylessRequests(identify),
      useLimits(identify, checkComplexity),
      useRateLimit(identify),
      useStreams(),
      useResponseSize(),
    ],
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: noCache },
    maskedErrors: { maskError: createMaskError(options.logger, options.outages) },
    cors: options.corsOrigins.length > 0 && corsOptions(options.corsOrigins),
    // A plugin above does each of these, the console does, or Posthorn does not offer it.
    graphiql: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
    landingPage: false,
    logging: false,
    fetchAPI: { Request, Response, Headers, URL, ReadableStream },
  })
}
