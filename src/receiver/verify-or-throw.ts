import type { WebhookEvent } from './event.ts'
import type { ReceivedHeaders } from './headers.ts'
import type { RawBody } from './raw-body.ts'
import type { WebhookSecret } from './secrets.ts'
import type { RejectedDelivery, RejectionReason, VerifiedDelivery } from './verification.ts'
import { verify } from './verify.ts'
import type { VerifyOptions } from './verify-options.ts'

/**
 * Like {@link verify}, with the same arguments and checks, but throws if the delivery is not authentic.
 *
 * @returns The verified delivery.
 * @throws {WebhookVerificationError} (as a rejected promise) if the delivery fails verification.
 * @throws {TypeError} (as a rejected promise) if an argument is invalid, as `verify` does.
 *
 * @example
 * ```ts
 * const { id } = await verifyOrThrow(await request.arrayBuffer(), request.headers, secret)
 * ```
 */
export async function verifyOrThrow<Events = WebhookEvent>(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: WebhookSecret,
  options?: VerifyOptions,
): Promise<VerifiedDelivery<Events>> {
  const verification = await verify<Events>(rawBody, headers, secret, options)
  if (!verification.ok) throw new WebhookVerificationError(verification)
  return verification
}

/** A delivery failed verification. Do not use its body, and answer with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  /** A stable code for programs; `message` explains it for people. */
  readonly reason: RejectionReason

  constructor(rejected: Pick<RejectedDelivery, 'reason' | 'message'>) {
    super(rejected.message)
    this.reason = rejected.reason
  }
}
