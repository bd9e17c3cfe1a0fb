/** What became of one HTTPS request. Whatever the world does is one of these; only our own faults are thrown. */
export type Outcome = Answered | TimedOut | Unreachable | Refused | Aborted

/** What is measured of every request, whatever became of it. */
export interface Attempted {
  /** From the first step towards a connection to the end. */
  readonly durationMs: number
  /** Before that, for a connection of its organization to be free; no part of the duration. */
  readonly waitedMs: number
  /** It was sent twice: the kept connection that it went out on first turned out to be closed. */
  readonly resent: boolean
}

/** The receiver sent a response head. How its body went does not matter. */
export interface Answered extends Attempted {
  readonly kind: 'answered'
  readonly status: number
  /** Lower-case names; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the body, at most `keepBodyBytes`, as it was on the wire. */
  readonly body: Buffer
  /** Whether `body` is not the whole of it: it was longer, slower or broken off. */
  readonly bodyTruncated: boolean
  /** From the beginning to the response's head. */
  readonly firstByteMs: number
  readonly retryAfter: string | null
}

/** `afterMs` is the time that was allowed for the phase. */
export interface TimedOut extends Attempted {
  readonly kind: 'timed-out'
  readonly phase: 'connect' | 'response'
  readonly afterMs: number
  readonly reason: string
}

export interface Unreachable extends Attempted {
  readonly kind: 'unreachable'
  readonly code: FailureCode
  readonly reason: string
}

/** Posthorn's own no. It tells nothing about where a name led. */
export interface Refused extends Attempted {
  readonly kind: 'refused'
  readonly reason: 'address-not-public' | 'not-https' | 'url-not-allowed'
}

/** The caller's signal, or the sender's closing, ended it before there was an answer. */
export interface Aborted {
  readonly kind: 'aborted'
}

export type FailureCode =
  | 'name_not_found'
  | 'name_lookup_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'network_unreachable'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_self_signed'
  | 'certificate_unknown_authority'
  | 'certificate_wrong_host'
  | 'certificate_invalid'
  | 'tls_failed'
  | 'client_certificate_demanded'
  | 'http_version_refused'
  | 'closed_early'
  | 'invalid_http'
  | 'head_too_large'
  | 'proxy_failed'
  | 'connections_busy'
