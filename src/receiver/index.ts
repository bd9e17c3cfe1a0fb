/**
 * Verify webhooks sent by Posthorn, or by any sender that follows Standard Webhooks.
 *
 * It needs nothing but Web Crypto, so it runs unchanged in Node (22 and later), Deno, Bun, Cloudflare
 * Workers and other edge runtimes. Start at `verify`, which has examples for each.
 *
 * @packageDocumentation
 */
export type { ReceivedHeaders } from './headers.ts'
export type { RawBody } from './raw-body.ts'
export { sign } from './sign-test-delivery.ts'
export type {
  RejectedDelivery,
  RejectionReason,
  Verification,
  VerifiedDelivery,
} from './verification.ts'
export { verify } from './verify.ts'
export type { VerifyOptions } from './verify-options.ts'
export { verifyOrThrow, WebhookVerificationError } from './verify-or-throw.ts'
