import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { ownerOf } from '../auth/access/scope.ts'
import { readBody } from '../http/read-body.ts'
import { DomainError, type ErrorCode } from '../lib/errors.ts'
import { InvalidJson, parseJson } from '../lib/parse-json.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
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
      const read = { POST: readJson, GET: readSearchParams }[request.method]
      if (!read) return
      const { identity } = serverContext
      // Before the body is read. `/schema.graphql` needs no key.
      if (identity instanceof Error) throw identity
      serverContext.inFlight?.admit(ownerOf(identity))
      setRequestParser((request) => read(request, serverContext))
    },
  }
}

async function readJson(
  request: Request,
  { inFlight, input }: RequestContext,
): Promise<GraphQLParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw rejection(415, 'The body of a POST must be JSON: send `Content-Type: application/json`.')
  }
  const body = await readBounded(request, MAX_BODY_BYTES, inFlight)
  // Parsed, a large body takes many times its size.
  await inFlight?.takeTurn(body.byteLength)
  const text = decodeUtf8(body)
  if (text === null) throw rejection(400, 'The body is not UTF-8.')
  const params = readValue(text, 'The body')
  if (Array.isArray(params)) {
    throw rejection(400, 'One request holds one operation: batches are not supported.')
  }
  if (typeof params !== 'object' || params === null) {
    throw rejection(
      400,
      'The body must be a JSON object with `query` and, where needed, `variables`.',
    )
  }
  // A document that is not in the body is one that Posthorn remembers.
  input.mayHaveNul = NUL.test(text) || !('query' in params)
  return params
}

/** As JSON and GraphQL escape it. */
const NUL = /\\u(?:0000|\{0+\})/

async function readBounded(
  ...[request, maxBytes, inFlight]: Parameters<typeof readBody>
): Promise<Uint8Array> {
  try {
    return await readBody(request, maxBytes, inFlight)
  } catch (error) {
    const status = error instanceof DomainError ? REJECTED[error.code] : undefined
    throw status === undefined ? error : rejection(status, (error as DomainError).message)
  }
}

const REJECTED: Partial<Record<ErrorCode, number>> = { too_large: 413, malformed: 400 }

function readSearchParams(request: Request): GraphQLParams {
  const { searchParams } = new URL(request.url)
  const object = (name: string) => {
    const text = searchParams.get(name)
    return text ? (readValue(text, `The parameter ${name}`) as Record<string, unknown>) : undefined
  }
  return {
    query: searchParams.get('query') ?? undefined,
    operationName: searchParams.get('operationName') ?? undefined,
    variables: object('variables'),
    extensions: object('extensions'),
  } as GraphQLParams
}

/** Replaces the message of `JSON.parse`, which quotes the text: the text may contain a secret. */
function readValue(text: string, what: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw rejection(400, `${what} ${error instanceof InvalidJson ? error.message : 'is not JSON.'}`)
  }
}

function rejection(status: number, message: string): Error {
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } })
}
