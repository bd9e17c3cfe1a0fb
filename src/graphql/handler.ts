import { createYoga, type Plugin } from 'graphql-yoga'
import type { Authenticate } from '../api-keys/authenticate.ts'
import type { Logger } from '../telemetry/logger.ts'
import { type Context, createContext, type DomainDeps } from './context.ts'
import { withCors } from './cors.ts'
import { createDocumentCache, noCache } from './document-cache.ts'
import { limitDepth } from './limit-depth.ts'
import { createMaskError } from './mask-error.ts'
import { parseWithinLimits } from './parse-within-limits.ts'
import { useReadParams } from './read-params.ts'
import { schema } from './schema.ts'

export interface GraphqlDeps extends DomainDeps {
  readonly authenticate: Authenticate
  readonly logger: Logger
  /** The origins whose pages may call from a browser. */
  readonly corsOrigins: readonly string[]
  /** Whether a browser that opens the path is shown GraphiQL. */
  readonly graphiql: boolean
}

export const GRAPHQL_PATH = '/graphql'

/** Answers the requests to `/graphql`, with any method. */
export function createGraphqlHandler(deps: GraphqlDeps): (request: Request) => Promise<Response> {
  const yoga = createYoga<object, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ request }) => createContext(deps, deps.authenticate, request),
    plugins: [useReadParams(), useLimits()],
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: noCache },
    maskedErrors: { maskError: createMaskError(deps.logger) },
    graphiql: deps.graphiql && { title: 'Posthorn' },
    // Each of these is done by a plugin of ours, or not at all.
    batching: false,
    multipart: false,
    maxRequestBodySize: false,
    cors: false,
    landingPage: false,
    logging: false,
    // The server's own, so that it knows the responses for what they are.
    fetchAPI: { Request, Response, Headers, URL, ReadableStream },
  })

  async function answer(request: Request): Promise<Response> {
    const response = await yoga.fetch(request)
    // Answers hold secrets at times, and belong to one key.
    response.headers.set('cache-control', 'no-store')
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  }

  return withCors(answer, deps.corsOrigins)
}

function useLimits(): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn(parseWithinLimits)
    },
    onValidate({ addValidationRule }) {
      addValidationRule(limitDepth)
    },
  }
}
