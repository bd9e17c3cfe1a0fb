import { excerpt } from './excerpt.ts'
import type { IssueCode } from './issue-codes.ts'

/**
 * Why a request failed. Each transport translates the codes: REST to a status (http/problem.ts), GraphQL to a typed
 * error (graphql/errors.ts), the CLI to an exit code.
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

/** A rule that a field breaks: the path of the field, a stable code, and a sentence with the remedy. */
export interface FieldIssue {
  readonly path: readonly (string | number)[]
  readonly code: IssueCode
  readonly detail: string
  /** What follows the name of the field in `detail`, if `detail` begins with it. */
  readonly rule?: string
}

/** An issue whose sentence begins with the name of the field: `url is required.` */
export function fieldIssue(path: FieldIssue['path'], code: IssueCode, rule: string): FieldIssue {
  return { path, code, rule, detail: path.length > 0 ? `${fieldName(path)} ${rule}` : rule }
}

/** `['headers', 'X-Key']` -> `headers.X-Key`; `['events', 2, 'type']` -> `events[2].type` */
export function fieldName(path: FieldIssue['path']): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i > 0 ? `.${part}` : part))
    .join('')
}

/** An error that the caller can act on. Every other error is a fault of Posthorn, and transports mask it. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly issues: readonly FieldIssue[]
  /** After how many seconds a retry may succeed, if known. */
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
    super(
      excerpt(message, MAX_MESSAGE_LENGTH),
      options.cause === undefined ? {} : { cause: options.cause },
    )
    this.code = code
    this.issues = options.issues ?? []
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}

// A small request can break thousands of rules, with names of any length.
const MAX_LISTED = 100
const MAX_SUMMARIZED = 5
const MAX_DETAIL_LENGTH = 1_000
const MAX_MESSAGE_LENGTH = 6_000
const MAX_ID_LENGTH = 128

/** One error for all fields that break a rule. The message has the first 5, and how many more there are. */
export function invalid(issues: readonly FieldIssue[]): DomainError {
  const shortened = issues.map((issue) => ({
    ...issue,
    detail: excerpt(issue.detail, MAX_DETAIL_LENGTH),
  }))
  return new DomainError('invalid', summary(shortened), { issues: shortened })
}

function summary(issues: readonly FieldIssue[]): string {
  const details = issues.slice(0, MAX_SUMMARIZED).map((issue) => issue.detail)
  const more = issues.length - details.length
  return [...details, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

/** The issues that a response has: the first 100. */
export function listedIssues({ issues }: DomainError): readonly FieldIssue[] {
  return issues.slice(0, MAX_LISTED)
}

/** Also used for things of another organization, so that their existence stays secret. */
export function notFound(thing: string, id: string, hint = ''): DomainError {
  return new DomainError(
    'not_found',
    `There is no ${thing} ${JSON.stringify(excerpt(id, MAX_ID_LENGTH))}.${hint}`,
  )
}

/** The request exceeds a rate limit and had no effect. */
export function rateLimited(message: string, retryAfterSeconds: number): DomainError {
  return new DomainError('rate_limited', message, { retryAfterSeconds })
}
