import { randomUUID } from 'node:crypto'
import { PothosValidationError } from '@pothos/core'
import type { GraphQLError } from 'graphql'
import { createGraphQLError, type GraphQLHTTPExtensions } from 'graphql-yoga'
import { errorOfCaller } from '../http/problem.ts'
import { type DomainError, type ErrorCode, invalid, listedIssues } from '../lib/errors.ts'
import { excerpt } from '../lib/excerpt.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { currentRequestId } from '../telemetry/request-log.ts'
import type { ErrorCode as GraphErrorCode } from './error-codes.ts'

type ErrorOptions = NonNullable<Parameters<typeof createGraphQLError>[1]>

interface Translation {
  /** The code that clients check. */
  readonly code: GraphErrorCode
  /** The status is 200, except where another API key or a retry would help. */
  readonly http?: { readonly status: number; readonly headers?: Record<string, string> }
}

const TRANSLATIONS: Record<ErrorCode, Translation> = {
  malformed: { code: 'BAD_USER_INPUT' },
  invalid: { code: 'BAD_USER_INPUT' },
  too_large: { code: 'BAD_USER_INPUT' },
  not_found: { code: 'NOT_FOUND' },
  conflict: { code: 'CONFLICT' },
  forbidden: { code: 'FORBIDDEN' },
  unauthenticated: {
    code: 'UNAUTHENTICATED',
    http: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  },
  rate_limited: { code: 'RATE_LIMITED', http: { status: 429 } },
  unavailable: { code: 'UNAVAILABLE', http: { status: 503, headers: { 'retry-after': '5' } } },
}

export type MaskError = (error: unknown) => GraphQLError

/**
 * Translates thrown errors for the response. Errors that a caller can act on keep their message. Any other error becomes
 * `INTERNAL` with a reference, and the log has the whole error under that reference.
 */
export function createMaskError(logger: Logger, outages: OutageLog): MaskError {
  const references = new WeakMap<object, string>()

  /** Logs each fault once, although it may appear several times in a response. */
  function referenceTo(fault: unknown): string {
    const key = typeof fault === 'object' && fault !== null ? fault : {}
    const known = references.get(key)
    if (known) return known
    const reference = randomUUID()
    references.set(key, reference)
    logger.error(
      { reference, requestId: currentRequestId(), error: fault },
      'a GraphQL operation failed',
    )
    return reference
  }

  return (error) => {
    const thrown = innermost(error)
    if (isGraphQLError(thrown)) return withCode(isGraphQLError(error) ? error : thrown)
    if (thrown instanceof PothosValidationError) {
      const detail = `${thrown.message}.`
      return toGraphQLError(invalid([{ path: [], code: 'invalid_argument', detail }]), error)
    }
    const known = errorOfCaller(thrown, outages)
    if (known) return toGraphQLError(known, error)
    const reference = referenceTo(thrown)
    return createGraphQLError(
      'Internal error. The server log has the details under this reference.',
      { ...placeOf(error), extensions: { code: 'INTERNAL', reference, unexpected: true } },
    )
  }
}

/** The thrown error, without the GraphQL errors that wrap it. */
function innermost(error: unknown): unknown {
  let inner = error
  while (isGraphQLError(inner) && inner.originalError) inner = inner.originalError
  return inner
}

/** Checks the name, because a bundler can load `graphql` twice, and then there are two classes. */
function isGraphQLError(error: unknown): error is GraphQLError {
  return error instanceof Error && error.name === 'GraphQLError'
}

function toGraphQLError(error: DomainError, place: unknown): GraphQLError {
  const issues = listedIssues(error).map(({ path, code, detail }) => ({
    path,
    code,
    message: detail,
  }))
  return createGraphQLError(error.message, {
    ...placeOf(place),
    extensions: { ...translate(error), ...(issues.length > 0 && { issues }) },
  })
}

function translate({ code, retryAfterSeconds }: DomainError): Translation {
  const translation = TRANSLATIONS[code]
  if (retryAfterSeconds === undefined || !translation.http) return translation
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return { ...translation, http: { ...translation.http, headers } }
}

/** An error of `graphql` itself has no code, no status, and quotes values. */
export function withCode(
  error: GraphQLError,
  usual: GraphErrorCode = 'BAD_USER_INPUT',
  http?: GraphQLHTTPExtensions,
): GraphQLError {
  const code = (error.extensions['code'] ?? usual) as GraphErrorCode
  const message = excerpt(redacted(error.message, code), MAX_MESSAGE_LENGTH)
  if (message === error.message && 'code' in error.extensions) return error
  return createGraphQLError(message, {
    ...placeOf(error),
    extensions: { ...(http && { http }), ...error.extensions, code },
  })
}

/** The error for a request that is not executed. With `spec`, the status is 200 if the client accepts only JSON. */
export function rejection(code: GraphErrorCode, message: string, http?: GraphQLHTTPExtensions) {
  return createGraphQLError(message, { extensions: { code, ...(http && { http }) } })
}

/** Without the values of the document or of the variables: they may be credentials, and clients log errors. */
function redacted(message: string, code: GraphErrorCode): string {
  if (code === 'GRAPHQL_PARSE_FAILED') {
    return message.replace(/(Name|Int|Float|String|BlockString) ".*"/s, '$1')
  }
  if (code !== 'GRAPHQL_VALIDATION_FAILED' && code !== 'BAD_USER_INPUT') return message
  return message
    .replace(/(cannot represent .*?value): .*$/s, '$1.')
    .replace(/, (found: |but encountered error ).*$/s, '.')
    .replace(/ Found: .*$/s, '')
    .replace(/(^|; )Value ".*" does not exist/s, '$1The value does not exist')
}

/** A name in the input can have any length. */
const MAX_MESSAGE_LENGTH = 1_000

function placeOf(error: unknown): ErrorOptions {
  if (!isGraphQLError(error)) return {}
  const { nodes = null, source = null, positions = null, path = null } = error
  return { nodes, source, positions, path }
}
