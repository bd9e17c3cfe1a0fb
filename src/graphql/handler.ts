import { type DocumentNode, GraphQLSchema } from 'graphql'
import { createGraphQLError, createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga'
import { createQuota } from '../auth/access/quota.ts'
import type { RateLimiter } from '../auth/rate-limit/rate-limiter.ts'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import {
  type Context,
  createContext,
  type DomainDeps,
  type Identify,
  type RequestContext,
} from './context.ts'
import { corsOptions, type Handle } from './cors.ts'
import { useLimits } from './limits/use-limits.ts'
import { createMaskError } from './mask-error.ts'
import { type TrustedDocuments, useReadParams } from './read-params.ts'

export interface HandlerOptions {
  /** A function for one that depends on the document. */
  readonly schema: GraphQLSchema | ((document: string) => Promise<GraphQLSchema>)
  /** Default: `/graphql`. */
  readonly path?: string
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
  let yoga: ReturnType<typeof createServer> | undefined

  return async function handle(request: Request, connection = {}): Promise<Response> {
    // Created with the first request: when it starts, the server replaces the global `Response` with a faster one.
    yoga ??= createServer(deps, options)
    const { address } = connection
    const identity = await options.identify(request, address).catch((error: Error) => error)
    const quota = createQuota(options.rateLimiter)
    const context = { ...connection, identity, schema: NO_SCHEMA, quota }
    const response = await yoga.handleRequest(request, context)
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

/** Before the document is known. */
const NO_SCHEMA = new GraphQLSchema({})

function createServer(deps: DomainDeps, options: HandlerOptions) {
  const { path = GRAPHQL_PATH, trustedDocuments } = options
  return createYoga<RequestContext, Context>({
    graphqlEndpoint: path,
    context: (context) => createContext(deps, context, context.request),
    plugins: [
      useReadParams(trustedDocuments),
      useSchemaOf(options.schema),
      useLimits(),
      useStreams(),
    ],
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: NO_CACHE },
    maskedErrors: { maskError: createMaskError(options.logger, options.outages) },
    cors: options.corsOrigins.length > 0 && corsOptions(options.corsOrigins),
    // A plugin above does each of these, the server does, or Posthorn does not offer it.
    graphiql: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
    landingPage: false,
    logging: false,
    fetchAPI: { Request, Response, Headers, URL, ReadableStream },
  })
}

function useSchemaOf(schema: HandlerOptions['schema']): Plugin<RequestContext, RequestContext> {
  return {
    async onParams({ params, context }) {
      context.schema = typeof schema === 'function' ? await schema(params.query ?? '') : schema
    },
    onEnveloped({ context, setSchema }) {
      setSchema(context?.schema)
    },
  }
}

/** Longer documents are not cached, so that no client can fill the memory. */
const MAX_CACHED_LENGTH = 8 * 1024

/** Parsed documents by their text. */
function createDocumentCache() {
  const documents = new LruMap<string, DocumentNode>({ maxEntries: 500, maxAgeMs: MAX_AGE_MS })
  return {
    get: (text: string) => documents.get(text),
    set(text: string, document: DocumentNode) {
      if (text.length <= MAX_CACHED_LENGTH) documents.set(text, document)
    },
  }
}

/** Parse errors are not cached. */
const NO_CACHE = { get: () => undefined, set: () => {} }

/** Rejects a subscription of a client that does not accept event streams. Its stream would never be closed. */
function useStreams(): Plugin<YogaInitialContext> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request } = args.contextValue as YogaInitialContext
      if (readsStreams(request.headers.get('accept'))) return
      const error = createGraphQLError(
        'A subscription returns an event stream: send `Accept: text/event-stream`, for example with graphql-sse. It has no multipart form and no WebSockets; docs/guides/frontends.md has links for Apollo Client, urql and Relay.',
        { extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } } },
      )
      setResultAndStopExecution({ errors: [error] })
    },
  }
}

function readsStreams(accept: string | null): boolean {
  const types = (accept ?? '*/*').toLowerCase().split(',')
  return types.some((type) => {
    const [name, ...params] = type.replaceAll(/\s/g, '').split(';')
    const charset = params.find((param) => param.startsWith('charset='))
    return /^(text|\*)\/(event-stream|\*)$/.test(name ?? '') && (charset ?? UTF_8) === UTF_8
  })
}

const UTF_8 = 'charset=utf-8'
