import type { FailureCode } from './failure-reasons.ts'

/** The result of one HTTPS request. Network and receiver failures are outcomes; only bugs in Posthorn throw. */
export type Outcome = Ended | Aborted

/** The outcome of an attempt. */
export type Ended = Answered | Failed

/** Measured for every request. */
export interface AttemptTiming {
  /** From the start of connecting to the end of the request, in milliseconds. */
  readonly durationMs: number
  /** The request was sent twice, because the reused connection it was first sent on was already closed. */
  readonly resent: boolean
  /** Null if the request had a reused connection, or none. */
  readonly connection: ConnectionTimes | null
}

/** How long opening the connection of a request took, in milliseconds. A phase that did not begin is null. */
export interface ConnectionTimes {
  readonly lookupMs: number
  /** TCP, or the tunnel through the egress proxy. */
  readonly connectMs: number | null
  readonly tlsMs: number | null
}

/** The receiver sent a response head. A failure while reading the body does not change that. */
export interface Answered extends AttemptTiming {
  readonly kind: 'answered'
  readonly status: number
  /** Lower-case names; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The first `keepBodyBytes` of the body as received, not decoded. */
  readonly body: Buffer
  /** Whether `body` is incomplete: the body was too long, too slow or cut off. */
  readonly bodyTruncated: boolean
  /** From the start of connecting to the response head, in milliseconds. */
  readonly firstByteMs: number
  readonly retryAfter: string | null
}

/** There was no response. `reason` is a sentence that partners can read: it names no address that a name resolved to. */
export interface Failed extends AttemptTiming {
  readonly kind: 'failed'
  readonly code: FailureCode
  readonly reason: string
}

/** The caller's signal, or closing the sender, ended the request before a response. */
export interface Aborted {
  readonly kind: 'aborted'
}
