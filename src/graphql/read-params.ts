import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { ownerOf } from '../auth/access/scope.ts'
import { HttpRejection, PROBLEM_STATUS, type ProblemKind } from '../http/problem.ts'
import { readJsonObject, readObject } from '../http/read-body.ts'
import type { DomainError } from '../lib/errors.ts'
import type { RequestContext } from './context.ts'
import type { ErrorCode } from './error-codes.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

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
export function useReadParams(trusted: TrustedDocuments | null): Plugin<object, RequestContext> {
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
  const { message } = error as Error
  const status = PROBLEM_STATUS[kind]
  return rejection('BAD_REQUEST', message, status)
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
