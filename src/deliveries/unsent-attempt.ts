import type { SendOptions } from '../webhooks/send-options.ts'
import type { AttemptRecord } from './record-attempt.ts'

/** The error code of an attempt that could not be made: the fault of this installation, not of the receiver. */
export const SECRET_UNREADABLE = 'secret_unreadable'

/**
 * What goes on record when the signing secret or the custom headers of a webhook cannot be decrypted: a failed attempt
 * that sent nothing. So it is seen, it is tried again on the webhook's schedule, and it keeps no other job waiting.
 */
export function unsentAttempt(
  deliveryUuid: string,
  { url }: Pick<SendOptions, 'url'>,
  how: Pick<AttemptRecord, 'startedAt' | 'retryDelayMs' | 'keepsSchedule' | 'isAwaited'>,
): AttemptRecord {
  return {
    ...how,
    deliveryUuid,
    succeeded: false,
    durationMs: 0,
    firstByteMs: null,
    status: null,
    errorCode: SECRET_UNREADABLE,
    error:
      "Nothing was sent: Posthorn cannot decrypt the webhook's signing secret or custom headers. Give the headers anew and rotate the secret, or ask the operator for the key that they were encrypted with.",
    requestUrl: url,
    requestSignature: null,
    requestHeaderNames: [],
    responseHeaders: null,
    responseBody: null,
    responseBodyTruncated: false,
    resent: false,
    waitedMs: 0,
  }
}
