import type { ReceivedHeaders } from './headers.ts'
import type { RawBody } from './raw-body.ts'
import type { RejectedDelivery, RejectionReason, VerifiedDelivery } from './verification.ts'
import { verify } from './verify.ts'
import type { VerifyOptions } from './verify-options.ts'

/**
 * {@link verify} for those who prefer an exception: the same arguments and the same checks.
 *
 * @returns The verified delivery.
 * @throws {WebhookVerificationError} if the delivery is to be rejected.
 * @throws {TypeError} if an argument is wrong, as `verify` does.
 *
 * @example
 * ```ts
 * const { id } = await verifyOrThrow(await request.arrayBuffer(), request.headers, secret)
 * ```
 */
export async function verifyOrThrow(
  rawBody: RawBody,
  headers: ReceivedHeaders,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<VerifiedDelivery> {
  const verification = await verify(rawBody, headers, secret, options)
  if (!verification.ok) throw new WebhookVerificationError(verification)
  return verification
}

/** A delivery was rejected: answer with a status that is not 2xx, and do not read its body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  /** Why, in a word to compare with. `message` says the same to a person. */
  readonly reason: RejectionReason

  constructor(rejected: Pick<RejectedDelivery, 'reason' | 'message'>) {
    super(rejected.message)
    this.reason = rejected.reason
  }
}
