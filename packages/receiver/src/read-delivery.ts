import type { ReceivedHeaders } from './headers.ts'
import { toBytes } from './raw-body.ts'
import type { WebhookSecret } from './signature.ts'
import type { EventOf, RejectionReason, VerifiedDelivery, WebhookEvent } from './verification.ts'
import { verify } from './verify.ts'
import type { VerifyOptions } from './verify-options.ts'

/** An authentic delivery with its body. */
export interface VerifiedRequest<Events = WebhookEvent> extends VerifiedDelivery<Events> {
  /** The parsed body. Its type is not checked. */
  readonly event: EventOf<Events>
  /** The body as received. */
  readonly rawBody: Uint8Array
}

/** A request that is no authentic delivery. Do not use its body. */
export interface RejectedRequest {
  readonly ok: false
  /**
   * As for `verify`, and:
   *
   * - `body-too-large`: the body has more than `maxBodyBytes`.
   * - `invalid-json`: the delivery is authentic, but its body is not JSON. Verify it with `verify` instead.
   */
  readonly reason: RejectionReason | 'body-too-large' | 'invalid-json'
  /** For your log. It never contains a secret or a valid signature. */
  readonly message: string
  /** What to answer with. */
  readonly status: 400 | 413
}

/** A body of null is one that was too large to read. */
export async function readDelivery<Events>(
  rawBody: unknown,
  headers: ReceivedHeaders,
  secret: WebhookSecret,
  options: VerifyOptions,
  remedy?: string,
): Promise<VerifiedRequest<Events> | RejectedRequest> {
  if (rawBody === null) {
    return {
      ok: false,
      reason: 'body-too-large',
      message: 'The body has more bytes than the option maxBodyBytes allows.',
      status: 413,
    }
  }
  const bytes = toBytes(rawBody, remedy)
  const verification = await verify<Events>(bytes, headers, secret, options)
  if (!verification.ok) return { ...verification, status: 400 }
  try {
    // Read once, to find out whether the body is JSON.
    const { event } = verification
    return { ...verification, event, rawBody: bytes }
  } catch {
    const message = `The body of delivery ${verification.id} is not JSON.`
    return { ok: false, reason: 'invalid-json', message, status: 400 }
  }
}
