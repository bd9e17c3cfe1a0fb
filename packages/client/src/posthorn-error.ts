/** Why events were not published, or why that is unknown. */
export class PosthornError extends Error {
  override readonly name = 'PosthornError'
  /** What happened, for programs. `message` says it in words, and how to fix it. */
  readonly code: PosthornErrorCode
  /**
   * With `BAD_USER_INPUT`, every problem of the events. `path` begins at the event, such as `['data']`; in
   * `publishMany` with its index, such as `['events', '2', 'data']`. Empty if a field is missing or unknown: `message`
   * names it.
   */
  readonly issues: readonly Issue[]
  /** The key of each event, also a random one. To try again later, publish the same event with the same key. */
  readonly idempotencyKeys: readonly string[]

  constructor(
    code: PosthornErrorCode,
    message: string,
    options: {
      readonly issues?: readonly Issue[]
      readonly idempotencyKeys?: readonly string[]
      readonly cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.issues = options.issues ?? []
    this.idempotencyKeys = options.idempotencyKeys ?? []
  }
}

/** One problem with one field of an event. */
export interface Issue {
  readonly path: readonly string[]
  /** A stable code for the problem, such as `unknown_event_type` or `schema_mismatch`. */
  readonly code: string
  /** What is wrong, in English. */
  readonly message: string
}

/**
 * - `BAD_USER_INPUT`: an event is invalid, and none was published.
 * - `CONFLICT`: an idempotency key was used for another event, and none was published.
 * - `UNAUTHENTICATED`: the API key is unknown, expired or revoked.
 * - `FORBIDDEN`: the API key lacks the scope `events:publish`, or `admin` for another organization.
 * - `RATE_LIMITED`: the API key has reached its limit, and still had when the time was up.
 * - `UNAVAILABLE`: Posthorn, or a proxy before it, could not serve the call until the time was up.
 * - `UNREACHABLE`: no answer of Posthorn arrived. The events may have been published.
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
