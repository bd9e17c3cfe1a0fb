import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { ownerOf } from '../auth/access/scope.ts'
import { HttpRejection, PROBLEM_STATUS, type ProblemKind } from '../http/problem.ts'
import { readJsonObject, readObject } from '../http/read-body.ts'
import type { DomainError } from '../lib/errors.ts'
import type { RequestContext } from './context.ts'

/** The maximum size of a request body. */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Accepts a POST of `application/json`, or a GET for queries. Forms and plain text are rejected: browsers send them
 * cross-site without a preflight, so another site could make its visitors call (CSRF).
 *
 * The body counts for the caller.
 */
export function useReadParams(): Plugin<object, RequestContext> {
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
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })
}

const BAD_REQUESTS: readonly ProblemKind[] = ['malformed', 'too_large', 'unsupported_media_type']
