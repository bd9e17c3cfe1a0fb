import { randomUUID } from 'node:crypto'
import { type Env, Hono } from 'hono'
import { isNulRejected, unavailable } from '../db/faults.ts'
import { DomainError, type ErrorCode, invalid, listedIssues } from '../lib/errors.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { OutageLog } from '../telemetry/outages.ts'
import { currentRequestId } from '../telemetry/request-log.ts'
import { type HttpRequest, headerOf } from './connection.ts'

/** An RFC 9457 problem. */
interface Problem {
  readonly kind: ProblemKind
  readonly detail: string
  readonly errors?: readonly object[]
  readonly instance?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default: that of the kind, if any. */
  readonly retryAfterSeconds?: number | undefined
}

export interface FaultLogs {
  readonly logger: Logger
  readonly outages: OutageLog
}

/** The answer to an error thrown by a request handler. Errors that are not for the caller are logged and masked. */
export function problemAnswer(
  error: unknown,
  request: HttpRequest,
  { logger, outages }: FaultLogs,
): Answer {
  if (error instanceof HttpRejection) return toAnswer(error)
  const known = errorOfCaller(error, outages)
  return toAnswer(known ? domainProblem(known, request) : internalProblem(error, request, logger))
}

/** The same as a response of fetch. */
export function problemResponse(error: unknown, request: Request, logs: FaultLogs): Response {
  return toResponse(problemAnswer(error, request, logs))
}

/** The error that the caller gets for a thrown one. Null: a fault of Posthorn. Reports outages of Postgres. */
export function errorOfCaller(error: unknown, outages: OutageLog): DomainError | null {
  if (error instanceof DomainError) {
    if (error.code === 'unavailable') outages.report(error)
    return error
  }
  if (isNulRejected(error)) {
    const detail = 'A text must not contain the NUL character.'
    return invalid([{ path: [], code: 'invalid_text', detail }])
  }
  return outages.report(error) ? unavailable(error) : null
}

/** Routes whose errors are problems, and whose responses no cache keeps. */
export function createRoutes<Variables extends Env = Env>(logs: FaultLogs): Hono<Variables> {
  const routes = new Hono<Variables>()
  routes.onError((error, c) => problemResponse(error, c.req.raw, logs))
  routes.use(async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
  })
  return routes
}

export function notFoundProblem(path: string): Response {
  const detail = `There is nothing at ${JSON.stringify(path.slice(0, 200))}.`
  return toResponse(toAnswer({ kind: 'not_found', detail }))
}

function domainProblem(error: DomainError, request: HttpRequest): Problem {
  const { code, message: detail, issues, retryAfterSeconds } = error
  const headers =
    code === 'unauthenticated' || code === 'forbidden' ? challenge(error, request) : {}
  const problem = { kind: code, detail, headers, retryAfterSeconds }
  if (issues.length === 0) return problem
  const errors = listedIssues(error).map((issue) => {
    return { pointer: jsonPointer(issue.path), code: issue.code, detail: issue.detail }
  })
  return { ...problem, errors }
}

/** RFC 6750, section 3: a request without a token gets no error code. */
function challenge(error: DomainError, request: HttpRequest): Record<string, string> {
  const parameters = ['realm="posthorn"']
  if (error.code === 'forbidden') {
    parameters.push('error="insufficient_scope"')
  } else if (/^Bearer +\S/i.test(headerOf(request, 'authorization') ?? '')) {
    const description = error.message.replaceAll(/[^ !#-[\]-~]/g, '')
    parameters.push('error="invalid_token"', `error_description="${description}"`)
  }
  return { 'www-authenticate': `Bearer ${parameters.join(', ')}` }
}

function internalProblem(error: unknown, { url, method }: HttpRequest, logger: Logger): Problem {
  const reference = randomUUID()
  const pathname = URL.parse(url as string, 'http://localhost')?.pathname
  const requestId = currentRequestId()
  logger.error({ error, reference, requestId, method, path: pathname }, 'a request failed')
  return {
    kind: 'internal',
    detail: `Something went wrong on our side. Quote the reference ${reference} when you report it.`,
    instance: `urn:uuid:${reference}`,
  }
}

/** What never varies between problems of a kind (RFC 9457, section 3.1.3). */
export function headOfProblem(kind: ProblemKind) {
  const words = kind.replaceAll('_', ' ')
  return {
    type: `urn:posthorn:problem:${kind.replaceAll('_', '-')}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status: PROBLEMS[kind][0],
  }
}

/** A whole response. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const toResponse = ({ body, ...head }: Answer): Response => new Response(body, head)

function toAnswer(problem: Problem): Answer {
  const { kind, detail, errors, instance, headers } = problem
  const { retryAfterSeconds = RETRY_AFTER_SECONDS[kind] } = problem
  const body = { ...headOfProblem(kind), detail, errors, instance }
  return {
    status: body.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'retry-after': `${retryAfterSeconds}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  }
}

/** All kinds of problems, those of the domain's errors and those that only HTTP has: the status, and the cause for the docs. */
export const PROBLEMS = {
  malformed: [400, 'The body is not a JSON object in UTF-8, or a header cannot be read.'],
  unauthenticated: [401, 'The API key is missing, malformed, unknown, expired or revoked.'],
  forbidden: [403, 'The API key lacks a scope, or is restricted to another webhook.'],
  not_found: [404, 'There is no such path or object, or another organization has it.'],
  method_not_allowed: [405, 'The path has other methods, which the header `Allow` lists.'],
  conflict: [409, 'The state forbids it, or the idempotency key is in use or was used before.'],
  precondition_failed: [412, 'The object has another version than `If-Match` says.'],
  too_large: [413, 'The body has more bytes than `detail` says.'],
  unsupported_media_type: [415, 'The body is not `application/json` in UTF-8, or is compressed.'],
  invalid: [422, 'Fields or parameters break their rules. `errors` lists up to 100 of them.'],
  rate_limited: [429, 'A limit is reached. Try again after `Retry-After` seconds.'],
  internal: [500, 'A fault of Posthorn. The log has a line with the reference in `instance`.'],
  unavailable: [
    503,
    'Postgres does not answer, or Posthorn is full. Try again after `Retry-After`.',
  ],
} as const satisfies Record<ErrorCode, Described> & Record<string, Described>

type Described = readonly [status: number, cause: string]

export type ProblemKind = keyof typeof PROBLEMS

const RETRY_AFTER_SECONDS: Readonly<Partial<Record<ProblemKind, number>>> = {
  rate_limited: 1,
  unavailable: 5,
}

/** An entry of a problem's `errors`: the part of the request that breaks a rule, a stable code, and the remedy. */
export type FieldError = { readonly code: string; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
)

/** A JSON Pointer as a URI fragment (RFC 6901, section 6): `['headers', 'a/b']` -> `#/headers/a~1b` */
function jsonPointer(path: readonly (string | number)[]): string {
  const tokens = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
  // JSON allows a lone surrogate, which encodeURIComponent rejects.
  return ['#', ...tokens.map((token) => encodeURIComponent(token.toWellFormed()))].join('/')
}

/** Rejects something that only HTTP has: a method, a media type, a header or a parameter. */
export class HttpRejection extends Error {
  override readonly name = 'HttpRejection'
  readonly kind: ProblemKind
  readonly errors?: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    kind: ProblemKind,
    detail: string,
    options: { errors?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.kind = kind
    if (options.errors) this.errors = options.errors
    this.headers = options.headers ?? {}
  }

  get detail(): string {
    return this.message
  }
}

/** The error for a known path with another method; its response has an `Allow` header. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpRejection {
  const allow = allowed.toSorted().join(', ')
  return new HttpRejection(
    'method_not_allowed',
    `${method} is not allowed on this path. Its methods are ${allow}.`,
    { headers: { allow } },
  )
}
