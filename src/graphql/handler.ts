import { type DocumentNode, GraphQLSchema } from 'graphql'
import {
  createGraphQLError,
  createYoga,
  type GraphQLParams,
  type Plugin,
  type YogaInitialContext,
  type YogaServerOptions,
} from 'graphql-yoga'
import type { RateLimiter } from '../auth/access/rate-limit.ts'
import { Quota } from '../auth/access/rate-limit.ts'
import { ownerOf } from '../auth/access/scope.ts'
import type { Connection } from '../http/connection.ts'
import { HttpRejection, PROBLEMS, type ProblemKind } from '../http/problem.ts'
import { readJsonObject, readObject } from '../http/read-body.ts'
import { CONSOLE_HEADER } from '../http/session-cookie.ts'
import type { DomainError } from '../lib/errors.ts'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { REQUEST_ID_HEADER } from '../telemetry/request-log.ts'
import {
  type Context,
  createContext,
  type DomainDeps,
  type Identify,
  type RequestContext,
} from './context.ts'
import type { ErrorCode } from './error-codes.ts'
import { useLimits } from './limits/use-limits.ts'
import { createMaskError } from './mask-error.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

/** Without a server, there is no connection. */
export type Handle = (request: Request, connection?: Partial<Connection>) => Promise<Response>

export interface HandlerOptions {
  /** The schema for a document. */
  readonly schema: (document: string) => Promise<GraphQLSchema>
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
    const quota = new Quota(options.rateLimiter)
    const context = { ...connection, identity, schema: NO_SCHEMA, quota }
    const response = await yoga.handleRequest(request, context)
    for (const [name, value] of Object.entries(quota.headers())) response.headers.set(name, value)
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
      context.schema = await schema(params.query ?? '')
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

const STREAMS = /^(text|\*)\/(event-stream|\*)(;charset=utf-8|;(?!charset=)[^;]*)*$/

function readsStreams(accept: string | null): boolean {
  const types = (accept ?? '*/*').toLowerCase().replaceAll(/\s/g, '').split(',')
  return types.some((type) => STREAMS.test(type))
}

/** The maximum size of a request body. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Accepts a POST of `application/json`, or a GET for queries. Forms and plain text are rejected: browsers send them
 * cross-site without a preflight, so another site could make its visitors call (CSRF).
 *
 * The body counts for the caller.
 *
 * With trusted documents, no other runs, so that a leaked API key gives access to no more than the frontend queries. A client
 * names one by its hash in `extensions.persistedQuery`, as Apollo's persisted queries do. Without them, clients of that
 * protocol learn that they must send each document: https://www.apollographql.com/docs/apollo-server/performance/apq
 */
function useReadParams(trusted: TrustedDocuments | null): Plugin<object, RequestContext> {
  return {
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method !== 'POST' && request.method !== 'GET') return
      const { identity } = serverContext
      // Before the body is read. `/schema.graphql` needs no key.
      if (identity instanceof Error) throw identity
      serverContext.inFlight?.admit(ownerOf(identity))
      setRequestParser(async (request) => {
        try {
          if (request.method === 'GET') return readSearchParams(request)
          return await readJsonObject(request, serverContext.inFlight, MAX_BODY_BYTES)
        } catch (error) {
          throw toBadRequest(error)
        }
      })
    },
    onParams({ params, setParams }) {
      if (trusted) setParams({ ...params, query: trustedDocument(trusted, params) })
      else if (params.query == null && hashOf(params) !== null) {
        // Apollo's server answers with 200: the client continues.
        throw rejection('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', 200)
      }
    },
  }
}

function readSearchParams(request: Request): GraphQLParams {
  const { searchParams } = new URL(request.url)
  const object = (name: string) => {
    const text = searchParams.get(name)
    return text ? readObject(text, `The parameter ${name}`) : undefined
  }
  return {
    query: searchParams.get('query') ?? undefined,
    operationName: searchParams.get('operationName') ?? undefined,
    variables: object('variables'),
    extensions: object('extensions'),
  } as GraphQLParams
}

/** The error for a request that is not one of GraphQL over HTTP. */
function toBadRequest(error: unknown): unknown {
  const kind = error instanceof HttpRejection ? error.kind : (error as DomainError).code
  if (!BAD_REQUESTS.includes(kind)) return error
  return rejection('BAD_REQUEST', (error as Error).message, PROBLEMS[kind][0])
}

const BAD_REQUESTS: readonly ProblemKind[] = ['malformed', 'too_large', 'unsupported_media_type']

function trustedDocument(trusted: TrustedDocuments, params: GraphQLParams): string {
  const hash = hashOf(params)
  if (hash === null || params.query != null) {
    const leaveOut = params.query == null ? '' : ' Leave out `query`.'
    throw rejection(
      'TRUSTED_DOCUMENTS_ONLY',
      `Only trusted documents run here.${leaveOut} Name one by its hash: \`"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}\`.`,
      400,
      true,
    )
  }
  if (Object.hasOwn(trusted, hash)) return trusted[hash] as string
  throw rejection(
    'TRUSTED_DOCUMENT_NOT_FOUND',
    'No trusted document has this hash. Deploy the list that your client was built with (POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS).',
    400,
    true,
  )
}

/** Null: the request does not use the protocol. */
function hashOf({ extensions }: GraphQLParams): string | null {
  const persisted: unknown = extensions?.['persistedQuery']
  if (typeof persisted !== 'object' || persisted === null) return null
  const { sha256Hash } = persisted as { sha256Hash?: unknown }
  return typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null
}

/** Clients recognize the messages of Apollo's protocol. */
function rejection(code: ErrorCode, message: string, status: number, spec = false): Error {
  return createGraphQLError(message, { extensions: { code, http: { spec, status } } })
}

/** How long a browser may cache a preflight response, in seconds. */
const MAX_AGE_S = 600

type CorsOptions = Exclude<YogaServerOptions<object, object>['cors'], undefined>

/** Allows pages of these origins to call. Credentials stay off: such pages send an API key in a header, not a cookie. */
function corsOptions(origins: readonly string[]): CorsOptions {
  return ({ headers }: Request) => {
    const origin = headers.get('origin')
    // For an unlisted origin, yoga answers with `null`, which is the origin of a page in a sandboxed frame.
    if (origin === null || !origins.includes(origin)) return false
    return {
      origin: [origin],
      methods: ['GET', 'POST'],
      allowedHeaders: ['authorization', ...requestedHeaders(headers)],
      exposedHeaders: [
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'www-authenticate',
        REQUEST_ID_HEADER,
      ],
      credentials: false,
      maxAge: MAX_AGE_S,
    }
  }
}

/**
 * The headers that a preflight asks for: clients and tracers add their own, and none of them gives a page more rights than
 * its API key. Only the header with which the console's cookie counts stays closed.
 */
function requestedHeaders(headers: Headers): string[] {
  const names = (headers.get('access-control-request-headers') ?? '').split(',')
  return names
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !['', CONSOLE_HEADER, 'authorization'].includes(name))
}
