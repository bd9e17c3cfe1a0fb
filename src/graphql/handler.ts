import type { GraphQLSchema } from 'graphql'
import {
  createYoga,
  type GraphQLParams,
  getSSEProcessor,
  isAsyncIterable,
  type Plugin,
  processRegularResult,
  type YogaServerOptions,
} from 'graphql-yoga'
import type { RateLimiter } from '../auth/access/rate-limit.ts'
import { Quota } from '../auth/access/rate-limit.ts'
import { ownerOf } from '../auth/access/scope.ts'
import type { Connection } from '../http/connection.ts'
import { type FaultLogs, HttpRejection, PROBLEMS, type ProblemKind } from '../http/problem.ts'
import { readJsonObject, readObject } from '../http/read-body.ts'
import { CONSOLE_HEADER } from '../http/session-cookie.ts'
import type { DomainError } from '../lib/errors.ts'
import { REQUEST_ID_HEADER } from '../telemetry/request-log.ts'
import type { DomainDeps, Identify, RequestContext } from './context.ts'
import { createExecute, type Execute, type Result } from './execute.ts'
import { createMaskError, type MaskError, rejection } from './mask-error.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

/** Without a server, there is no connection. */
export type Handle = (request: Request, connection?: Partial<Connection>) => Promise<Response>

export interface HandlerOptions extends FaultLogs {
  /** The schema for a document. */
  readonly schema: (document: string) => Promise<GraphQLSchema>
  /** Default: `/graphql`. */
  readonly path?: string
  readonly identify: Identify
  readonly rateLimiter: RateLimiter
  /** The origins allowed by CORS. */
  readonly corsOrigins: readonly string[]
  /** The only documents that clients may run. Null: any. */
  readonly trustedDocuments: TrustedDocuments | null
}

export const GRAPHQL_PATH = '/graphql'

/** Handles requests to `/graphql`, of any method. */
export function createHandler(deps: DomainDeps, options: HandlerOptions): Handle {
  const { corsOrigins, trustedDocuments } = options
  const maskError = createMaskError(options.logger, options.outages)
  const execute = createExecute(deps, options.schema, maskError)
  let yoga: ReturnType<typeof createServer> | undefined

  /** Null: yoga rejects the parameters. */
  async function run(context: RequestContext): Promise<Result | null> {
    try {
      context.params = await readParams(context, trustedDocuments)
      return isUsual(context.params) ? await execute(context.params, context) : null
    } catch (error) {
      return { errors: [maskError(error)] }
    }
  }

  return async function handle(request: Request, connection = {}): Promise<Response> {
    // Created with the first request: when it starts, the server replaces the global `Response` with a faster one.
    yoga ??= createServer(execute, maskError, options)
    const { address } = connection
    const identity = await options.identify(request, address).catch((error: Error) => error)
    const quota = new Quota(options.rateLimiter)
    const context = { ...connection, request, identity, quota }
    const headers = () => ({
      ...quota.headers(),
      // Responses may contain secrets, and belong to one API key.
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(corsOrigins.length > 0 && { vary: 'origin, access-control-request-headers' }),
    })
    // What yoga does for each request takes as much memory as publishing an event. Here it has nothing to negotiate.
    const mediaType = plainMediaType(request)
    const result = mediaType && (await run(context))
    if (mediaType && result && !isAsyncIterable(result)) {
      const extensions = { ...result.extensions, http: { headers: headers() } }
      return processRegularResult({ ...result, extensions }, yoga.fetchAPI, mediaType)
    }
    const response = result
      ? await toEventStream(result, yoga.fetchAPI, EVENT_STREAM)
      : await yoga.handleRequest(request, context)
    for (const [name, value] of Object.entries(headers())) response.headers.set(name, value)
    // Otherwise nginx, which buffers responses by default, sends nothing until a buffer of the stream is full.
    if (response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
      response.headers.set('x-accel-buffering', 'no')
    }
    return response
  }
}

const EVENT_STREAM = 'text/event-stream'

/** What programs accept, and what they get. */
const PLAIN_MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
])

/** The media type for a POST of a program; undefined for any other request. */
function plainMediaType({ method, headers }: Request): string | undefined {
  if (method !== 'POST' || headers.has('origin')) return
  return PLAIN_MEDIA_TYPES.get(headers.get('accept') ?? '*/*')
}

/** Whether parameters pass the checks of yoga. */
function isUsual({ query, operationName: _, variables, extensions, ...others }: GraphQLParams) {
  const isObject = (value: unknown) =>
    value == null || (typeof value === 'object' && !Array.isArray(value))
  const isKnown = Object.keys(others).length === 0
  return isKnown && typeof query === 'string' && isObject(variables) && isObject(extensions)
}

const toEventStream = getSSEProcessor()

/** Yoga speaks HTTP: it negotiates, checks parameters and answers. What they ask for is read and executed here. */
function createServer(execute: Execute, maskError: MaskError, options: HandlerOptions) {
  const { path = GRAPHQL_PATH, corsOrigins, trustedDocuments } = options
  const plugin: Plugin<object, RequestContext> = {
    onRequestParse({ request, serverContext, setRequestParser }) {
      if (request.method !== 'POST' && request.method !== 'GET') return
      setRequestParser(() => serverContext.params ?? readParams(serverContext, trustedDocuments))
    },
    onParams({ setParamsHandler }) {
      setParamsHandler(({ params, context }) => execute(params, context))
    },
    onResultProcess({ result, setResultProcessor }) {
      if (isAsyncIterable(result)) setResultProcessor(toEventStream, EVENT_STREAM)
    },
  }
  return createYoga<RequestContext>({
    graphqlEndpoint: path,
    plugins: [plugin],
    maskedErrors: { maskError },
    cors: corsOrigins.length > 0 && corsOptions(corsOrigins),
    // The server does each of these, or Posthorn does not offer it.
    parserAndValidationCache: false,
    graphiql: false,
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
    landingPage: false,
    logging: false,
    fetchAPI: { Request, Response, Headers, URL, ReadableStream },
  })
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
async function readParams(
  { identity, inFlight, request }: RequestContext,
  trusted: TrustedDocuments | null,
): Promise<GraphQLParams> {
  // Before the body is read. `/schema.graphql` needs no key.
  if (identity instanceof Error) throw identity
  inFlight?.admit(ownerOf(identity))
  let params: GraphQLParams
  try {
    params =
      request.method === 'GET'
        ? readSearchParams(request)
        : await readJsonObject(request, inFlight, MAX_BODY_BYTES)
  } catch (error) {
    const kind = error instanceof HttpRejection ? error.kind : (error as DomainError).code
    if (!BAD_REQUESTS.includes(kind)) throw error
    throw rejection('BAD_REQUEST', (error as Error).message, { status: PROBLEMS[kind][0] })
  }
  if (trusted) return { ...params, query: trustedDocument(trusted, params) }
  if (params.query != null || hashOf(params) === null) return params
  // Apollo's client recognizes the message, and continues after a 200.
  throw rejection('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', { status: 200 })
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

const BAD_REQUESTS: readonly ProblemKind[] = ['malformed', 'too_large', 'unsupported_media_type']

function trustedDocument(trusted: TrustedDocuments, params: GraphQLParams): string {
  const hash = hashOf(params)
  if (hash === null || params.query != null) {
    const leaveOut = params.query == null ? '' : ' Leave out `query`.'
    throw rejection(
      'TRUSTED_DOCUMENTS_ONLY',
      `Only trusted documents run here.${leaveOut} Name one by its hash: \`"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}\`.`,
      { spec: true, status: 400 },
    )
  }
  if (Object.hasOwn(trusted, hash)) return trusted[hash] as string
  throw rejection(
    'TRUSTED_DOCUMENT_NOT_FOUND',
    'No trusted document has this hash. Deploy the list that your client was built with (POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS).',
    { spec: true, status: 400 },
  )
}

/** Null: the request does not use the protocol. */
function hashOf({ extensions }: GraphQLParams): string | null {
  const { sha256Hash } = Object(extensions?.['persistedQuery']) as { sha256Hash?: unknown }
  return typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null
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
