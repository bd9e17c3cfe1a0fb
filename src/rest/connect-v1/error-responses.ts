import type { OpenAPIHono } from '@hono/zod-openapi'
import { UNAVAILABLE_DETAILS } from '../../db/faults.ts'
import { PROBLEM_KINDS, type ProblemKind } from '../../http/http-rejection.ts'
import { problemSchema } from './problem-schema.ts'

type Registry = OpenAPIHono['openAPIRegistry']

const ref = <Name extends string>(name: Name) => ({ $ref: `#/components/responses/${name}` })

/** The errors of every operation. */
export const ANY_OPERATION_ERRORS = {
  401: ref('Unauthenticated'),
  403: ref('Forbidden'),
  405: ref('MethodNotAllowed'),
  408: ref('TimedOut'),
  414: ref('UrlTooLong'),
  429: ref('RateLimited'),
  431: ref('HeadersTooLarge'),
  500: ref('Internal'),
  503: ref('Unavailable'),
}

export const NOT_FOUND_ERROR = { 404: ref('NotFound') }

export const CONFLICT_ERROR = { 409: ref('Conflict') }

export const INVALID_ERROR = { 422: ref('Invalid') }

const MALFORMED_ERROR = { 400: ref('Malformed') }

/** The additional errors of operations with `If-Match` and `If-None-Match`. */
export const PRECONDITION_ERRORS = { ...MALFORMED_ERROR, 412: ref('PreconditionFailed') }

/** The additional errors of operations with a body. */
export const BODY_ERRORS = {
  ...MALFORMED_ERROR,
  413: ref('TooLarge'),
  415: ref('UnsupportedMediaType'),
  ...INVALID_ERROR,
}

/** Adds the schema of problems and every error response to the document. */
export function registerErrors(registry: Registry): void {
  registry.register('Problem', problemSchema)
  for (const [name, { kind, description, headers, ...example }] of Object.entries(RESPONSES)) {
    registry.registerComponent('responses', name, {
      description,
      headers: Object.fromEntries(
        ['Cache-Control', ...headers].map((header) => [
          header,
          { $ref: `#/components/headers/${header}` },
        ]),
      ),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: exampleProblem(kind, example),
        },
      },
    })
  }
}

interface ErrorResponse {
  readonly kind: ProblemKind
  readonly description: string
  readonly headers: readonly string[]
  readonly detail: string
  readonly errors?: readonly object[]
  readonly instance?: string
}

function exampleProblem(kind: ProblemKind, example: object): object {
  const { status, title } = PROBLEM_KINDS[kind]
  return { type: `urn:posthorn:problem:${kind.replaceAll('_', '-')}`, title, status, ...example }
}

const RESPONSES: Readonly<Record<string, ErrorResponse>> = {
  Malformed: {
    kind: 'malformed',
    description:
      'The body is empty, not UTF-8, not JSON or not an object, or the header `Idempotency-Key`, `If-Match` or `If-None-Match` is invalid.',
    headers: [],
    detail: 'The body is not valid JSON.',
  },
  Unauthenticated: {
    kind: 'unauthenticated',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    headers: ['WWW-Authenticate'],
    detail: 'The API key is expired.',
  },
  Forbidden: {
    kind: 'forbidden',
    description: 'The API key lacks the scope that the operation needs.',
    headers: ['WWW-Authenticate'],
    detail: 'The API key lacks the scope webhooks:write. Use a key that has it.',
  },
  NotFound: {
    kind: 'not_found',
    description: 'The organization has no webhook with this id.',
    headers: [],
    detail: 'There is no webhook "wh_01m7wwqnz4e8mbhv0a5xzgq89j".',
  },
  MethodNotAllowed: {
    kind: 'method_not_allowed',
    description:
      'The path does not support the method. `Allow` lists the methods that it supports.',
    headers: ['Allow'],
    detail: 'PATCH is not allowed on this path. Its methods are GET, HEAD, POST.',
  },
  Conflict: {
    kind: 'conflict',
    description:
      'The idempotency key was used with another body, its first call is still running, or the webhook has no signing secret.',
    headers: [],
    detail:
      'A call with this idempotency key is still running. Try again shortly, with the same key.',
  },
  PreconditionFailed: {
    kind: 'precondition_failed',
    description:
      'The current version of the webhook is not in `If-Match`, or is in `If-None-Match`. Nothing was changed.',
    headers: [],
    detail:
      'If-Match does not have the current version. Nothing was changed. Read the resource again, and send its ETag.',
    errors: [
      {
        header: 'If-Match',
        code: 'other_version',
        detail:
          'If-Match does not have the current version. Nothing was changed. Read the resource again, and send its ETag.',
      },
    ],
  },
  TooLarge: {
    kind: 'too_large',
    description: 'The body has more than 65,536 bytes.',
    headers: [],
    detail: 'The body exceeds the limit of 65,536 bytes.',
  },
  TimedOut: {
    kind: 'timed_out',
    description:
      'The request took too long: the limit is 10 seconds for its headers and 30 seconds for all of it.',
    headers: [],
    detail:
      'The request took too long: the limit is 10 seconds for the headers and 30 for the whole request.',
  },
  UrlTooLong: {
    kind: 'url_too_long',
    description: 'The path and the query have more than 16,384 characters.',
    headers: [],
    detail: 'The URL exceeds the limit of 16,384 characters.',
  },
  HeadersTooLarge: {
    kind: 'headers_too_large',
    description: 'The headers have more than 32,768 bytes.',
    headers: [],
    detail: 'The headers exceed the limit of 32,768 bytes.',
  },
  UnsupportedMediaType: {
    kind: 'unsupported_media_type',
    description: 'The body is not `application/json` in UTF-8, or is compressed.',
    headers: [],
    detail: 'The body must be JSON in UTF-8. Send the header `Content-Type: application/json`.',
  },
  Invalid: {
    kind: 'invalid',
    description: 'Fields or parameters are invalid; `errors` lists all of them, up to 100.',
    headers: [],
    detail: 'The URL is not HTTPS. Give one that begins with https://.',
    errors: [
      {
        pointer: '#/url',
        code: 'not_https',
        detail: 'The URL is not HTTPS. Give one that begins with https://.',
      },
    ],
  },
  RateLimited: {
    kind: 'rate_limited',
    description:
      'Too many requests with this API key, too many large requests of its organization at a time, or too many requests from this address with invalid keys. Nothing was changed.',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    detail:
      'This API key has reached its limit of 500 requests per second. Nothing was done. Try again in 1 second.',
  },
  Internal: {
    kind: 'internal',
    description: 'An internal error. `instance` is its reference in the log.',
    headers: [],
    detail:
      'Something went wrong on our side. Quote the reference 0c0b1a52-6b5f-4f3e-9a35-4a4f2f0a8d11 when you report it.',
    instance: 'urn:uuid:0c0b1a52-6b5f-4f3e-9a35-4a4f2f0a8d11',
  },
  Unavailable: {
    kind: 'unavailable',
    description:
      'The database is unreachable, the request waited too long for a lock there, or Posthorn has too many requests in progress. Unless the connection to the database broke during the request, it had no effect.',
    headers: ['Retry-After'],
    detail: UNAVAILABLE_DETAILS.unreachable,
  },
}
