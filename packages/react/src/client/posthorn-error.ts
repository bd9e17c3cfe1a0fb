/** Why a call failed. The hooks return errors; they never throw them. */
export interface PosthornError {
  /** What happened, for programs. */
  readonly code: PosthornErrorCode
  /** What is wrong and how to fix it, in English. */
  readonly message: string
  /** The problems of an input, each with its path. Empty for other errors. */
  readonly issues: readonly Issue[]
  /** Whether the same call may succeed later. */
  readonly canRetry: boolean
  /** The fields of an update that somebody else changed in the meantime. Absent for other errors. */
  readonly conflict?: EditConflict
}

/** Fields that were changed after the revision that an update was based on. Nothing was changed. */
export interface EditConflict {
  /** The present revision. As `ifRevision`, it overwrites the changes. */
  readonly revision: number
  readonly fields: readonly ChangedField[]
}

export interface ChangedField {
  /** The name of the field in the input. */
  readonly name: string
  /** The present value, as in the input. */
  readonly current: unknown
  /** When the field was last changed. Null if Posthorn no longer knows. */
  readonly changedAt: string | null
  /** Who changed the field. Null if the session may not know. */
  readonly changedBy: string | null
}

/** One problem with one field of an input. */
export interface Issue {
  /** A stable code for the problem. */
  readonly code: string
  /** What is wrong, in English. */
  readonly message: string
  /** The path in the input, such as `['eventSubscriptions', '0']`. Empty for the whole input. */
  readonly path: readonly string[]
}

export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: PosthornError }

/**
 * The codes of the GraphQL API, and three of this package: `NO_TOKEN`, if `getToken` failed, `UNREACHABLE`, if no answer
 * of Posthorn arrived, and `INTERNAL`, if Posthorn failed.
 */
export type PosthornErrorCode =
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL'
  | 'NO_TOKEN'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'RELOAD_REQUIRED'
  | 'SLOW_CONSUMER'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNREACHABLE'
  // Keeps the completion of the names above, and allows codes of a later server.
  | (string & {})

export function failure(
  code: PosthornErrorCode,
  message: string,
  issues: readonly Issue[] = [],
): { readonly ok: false; readonly error: PosthornError } {
  return { ok: false, error: { code, message, issues, canRetry: RETRYABLE.has(code) } }
}

export function unreachable(reason: unknown) {
  const detail = reason instanceof Error ? reason.message : String(reason)
  return failure('UNREACHABLE', `Posthorn is unreachable. ${detail}`)
}

const RETRYABLE: ReadonlySet<string> = new Set([
  'INTERNAL',
  'RATE_LIMITED',
  'RELOAD_REQUIRED',
  'SLOW_CONSUMER',
  'TOO_MANY_SUBSCRIPTIONS',
  'UNAVAILABLE',
  'UNREACHABLE',
])
