import type { ErrorCode, FieldIssue } from '../lib/errors.ts'

/** Every kind of problem in responses: the domain's errors and those that only HTTP has. */
export type ProblemKind =
  | ErrorCode
  | 'method_not_allowed'
  | 'precondition_failed'
  | 'timed_out'
  | 'url_too_long'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'internal'

interface KindFacts {
  readonly status: number
  /** Must not vary between problems of the kind (RFC 9457, section 3.1.3). */
  readonly title: string
  readonly retryAfterSeconds?: number
}

export const PROBLEM_KINDS: Readonly<Record<ProblemKind, KindFacts>> = {
  malformed: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  timed_out: { status: 408, title: 'Request too slow' },
  conflict: { status: 409, title: 'Conflict' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  too_large: { status: 413, title: 'Body too large' },
  url_too_long: { status: 414, title: 'URL too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid: { status: 422, title: 'Invalid request' },
  rate_limited: { status: 429, title: 'Too many requests', retryAfterSeconds: 1 },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Service unavailable', retryAfterSeconds: 5 },
}

/** An entry of a problem's `errors`: the part of the request that breaks a rule, a stable code, and the remedy. */
export type FieldError = { readonly code: string; readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
)

/** An issue as an entry of `errors`. */
export function toFieldError({ path, code, detail }: FieldIssue): FieldError {
  return { pointer: jsonPointer(path), code, detail }
}

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
