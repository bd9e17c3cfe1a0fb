/** What `verify` found: `ok` tells the two apart. */
export type Verification = VerifiedDelivery | RejectedDelivery

/** A delivery that its sender signed, recently, with one of the secrets given. */
export interface VerifiedDelivery {
  readonly ok: true
  /**
   * The `wh-id` header, `msg_…`. Deliveries are at-least-once and a retry keeps its id: remember the ids
   * you have processed, and answer 200 to a repeat without processing it again.
   */
  readonly id: string
  /** When this attempt was sent, to the second. A retry has a later one. */
  readonly timestamp: Date
  /**
   * Which of the secrets matched, counted from 0; always 0 for a single one. While a secret is being
   * rotated it tells when the new one is in use, so that the old one can be dropped.
   */
  readonly secretIndex: number
}

/** A delivery to be treated as hostile: do not read its body. */
export interface RejectedDelivery {
  readonly ok: false
  readonly reason: RejectionReason
  /** For your log: what was found and what to check. It never contains a secret or a valid signature. */
  readonly message: string
}

/**
 * Why a delivery was rejected. Each one calls for the same answer, a status that is not 2xx; they differ
 * to help whoever reads the log.
 *
 * - `missing-header`: `wh-id`, `wh-timestamp` or `wh-signature` is absent or empty.
 * - `invalid-timestamp`: `wh-timestamp` is not a whole number of seconds in decimal digits.
 * - `timestamp-too-old`, `timestamp-too-new`: it is more than 300 seconds before or after the receiver's
 *   clock. A replayed request, or a clock that is wrong.
 * - `no-matching-signature`: no `v1` signature was made with one of the secrets over this id, timestamp and
 *   body. A forged request, another webhook's secret, or a body that is not the bytes as received.
 */
export type RejectionReason =
  | 'missing-header'
  | 'invalid-timestamp'
  | 'timestamp-too-old'
  | 'timestamp-too-new'
  | 'no-matching-signature'
