import type { OpenAPIHono } from '@hono/zod-openapi'
import { PROBLEM_KINDS, type ProblemKind } from '../../http/problem.ts'
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
  for (const [name, { kind, description, headers = [], errors }] of Object.entries(RESPONSES)) {
    const { status, title } = PROBLEM_KINDS[kind]
    const type = `urn:posthorn:problem:${kind.replaceAll('_', '-')}`
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
          example: { type, title, status, detail: description, ...(errors && { errors }) },
        },
      },
    })
  }
}

interface ErrorResponse {
  readonly kind: ProblemKind
  readonly description: string
  readonly headers?: readonly string[]
  readonly errors?: readonly object[]
}

const RESPONSES: Readonly<Record<string, ErrorResponse>> = {
  Malformed: {
    kind: 'malformed',
    description:
      'The body is empty, not UTF-8, not JSON or not an object, or the header `Idempotency-Key`, `If-Match` or `If-None-Match` is invalid.',
  },
  Unauthenticated: {
    kind: 'unauthenticated',
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    kind: 'forbidden',
    description: 'The API key lacks the scope that the operation needs.',
    headers: ['WWW-Authenticate'],
  },
  NotFound: {
    kind: 'not_found',
    description: 'The organization has no webhook with this id.',
  },
  MethodNotAllowed: {
    kind: 'method_not_allowed',
    description:
      'The path does not support the method. `Allow` lists the methods that it supports.',
    headers: ['Allow'],
  },
  Conflict: {
    kind: 'conflict',
    description:
      'The idempotency key was used with another body, its first call is still running, or the webhook has no signing secret.',
  },
  PreconditionFailed: {
    kind: 'precondition_failed',
    description:
      'The current version of the webhook is not in `If-Match`, or is in `If-None-Match`. Nothing was changed.',
  },
  TooLarge: {
    kind: 'too_large',
    description: 'The body has more than 65,536 bytes.',
  },
  TimedOut: {
    kind: 'timed_out',
    description:
      'The request took too long: the limit is 10 seconds for its headers and 30 seconds for all of it.',
  },
  UrlTooLong: {
    kind: 'url_too_long',
    description: 'The path and the query have more than 16,384 characters.',
  },
  HeadersTooLarge: {
    kind: 'headers_too_large',
    description: 'The headers have more than 32,768 bytes.',
  },
  UnsupportedMediaType: {
    kind: 'unsupported_media_type',
    description: 'The body is not `application/json` in UTF-8, or is compressed.',
  },
  Invalid: {
    kind: 'invalid',
    description: 'Fields or parameters are invalid; `errors` lists all of them, up to 100.',
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
  },
  Internal: {
    kind: 'internal',
    description: 'An internal error. `instance` is its reference in the log.',
  },
  Unavailable: {
    kind: 'unavailable',
    description:
      'The database is unreachable, the request waited too long for a lock there, or Posthorn has too many requests in progress. Unless the connection to the database broke during the request, it had no effect.',
    headers: ['Retry-After'],
  },
}
