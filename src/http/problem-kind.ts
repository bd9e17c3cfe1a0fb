import type { ErrorCode } from '../lib/errors.ts'

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
