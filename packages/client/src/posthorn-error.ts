/** Why a call failed: why events were not published, say, or why that is unknown. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  /** What happened, for programs. `message` says it in words, and how to fix it. */
  readonly code: PosthornErrorCode
  /**
   * With `BAD_USER_INPUT`, every problem of the input. In `publish`, `path` begins at the event, such as `['data']`; in
   * `publishMany` with its index, such as `['2', 'data']`. In `request`, empty if a variable is missing, or if the
   * document selects none: `... on ValidationError { issues { path code message } }`.
   */
  readonly issues: readonly Issue[]
  /** The key of each event of a publish, also a random one. To try again later, publish the same event with the same key. */
  readonly idempotencyKeys: readonly string[]
  /** The `requestId` of the lines in the log of Posthorn. Undefined if no answer of Posthorn arrived. */
  readonly requestId: string | undefined
  /** Whether an event may have been published, or a mutation may have acted. */
  readonly mayHaveActed: boolean

  constructor(
    code: PosthornErrorCode,
    message: string,
    options: Partial<
      Pick<PosthornError, 'issues' | 'idempotencyKeys' | 'requestId' | 'cause'>
    > = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    this.idempotencyKeys = options.idempotencyKeys ?? []
    this.requestId = options.requestId
    this.mayHaveActed = UNKNOWN.includes(code) && !wasRefused(options.cause)
  }
}

/** The codes of failures after which Posthorn may have acted. */
const UNKNOWN = ['INTERNAL', 'RATE_LIMITED', 'UNAVAILABLE', 'UNREACHABLE']

/** Whether nobody listens at the address, so nothing was sent. `fetch` says so in the cause of its error. */
function wasRefused(cause: unknown): boolean {
  return (cause as { cause?: { code?: string } } | undefined)?.cause?.code === 'ECONNREFUSED'
}

/** One problem with one field of the input. */
export interface Issue {
  readonly path: readonly string[]
  /** A stable code for the problem, such as `unknown_event_type` or `schema_mismatch`. */
  readonly code: string
  /** What is wrong, in English. */
  readonly message: string
}

/**
 * - `BAD_USER_INPUT`: the input is invalid, such as an event. Nothing was done, so no event was published.
 * - `CONFLICT`: the state forbids it. In a publish, an idempotency key was used for another event, and none was published.
 * - `NOT_FOUND`: there is no such object.
 * - `UNAUTHENTICATED`: the API key is unknown, expired or revoked.
 * - `FORBIDDEN`: the API key lacks a scope, such as `events:publish`, or `admin` for another organization.
 * - `RATE_LIMITED`: the API key has reached its limit, and still had when the time was up.
 * - `UNAVAILABLE`: Posthorn, or a proxy before it, could not serve the call until the time was up.
 * - `UNREACHABLE`: no answer of Posthorn arrived. What was asked for may have been done, unless the connection was refused.
 * - `INTERNAL`: Posthorn failed. Its log has the details.
 */
export type PosthornErrorCode =
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNREACHABLE'
  // Keeps the completion of the names above, and allows codes of a later server.
  | (string & {})
