/**
 * Why a request could not be carried out, in words that every transport translates:
 * REST to a status (http/problem.ts), GraphQL to a typed error (graphql/errors.ts), the CLI to an exit code.
 */
export type ErrorCode =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'invalid'
  | 'rate_limited'
  | 'unavailable'

/** One thing wrong with one field: where it is, a stable code, and what to do about it. */
export interface FieldIssue {
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly detail: string
}

/** A failure that the caller can understand and act on. Anything else thrown is our fault, and is masked. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly issues: readonly FieldIssue[]
  /** When trying again can help, where that is known. */
  readonly retryAfterSeconds?: number

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      issues?: readonly FieldIssue[]
      retryAfterSeconds?: number
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** All the fields that break a rule, reported together. */
export function invalid(issues: readonly FieldIssue[]): DomainError {
  const summary = issues.map((issue) => issue.detail).join(' ')
  return new DomainError('invalid', summary, { issues })
}

/** Also the answer for what belongs to another organization: its existence is not told. */
export function notFound(thing: string, id: string): DomainError {
  return new DomainError('not_found', `There is no ${thing} ${JSON.stringify(id)}.`)
}

/** More than is allowed in some time; nothing was done. */
export function rateLimited(message: string, retryAfterSeconds: number): DomainError {
  return new DomainError('rate_limited', message, { retryAfterSeconds })
}

/** What is said where Postgres cannot be reached. Of a statement whose connection broke, all may have been done. */
export const UNAVAILABLE_DETAIL =
  'The database cannot be reached. Unless its connection broke just now, nothing was done; try again shortly.'

/** Postgres cannot be reached or refuses work for now, and trying again later is right. */
export function unavailable(cause: unknown): DomainError {
  return new DomainError('unavailable', UNAVAILABLE_DETAIL, { cause })
}
