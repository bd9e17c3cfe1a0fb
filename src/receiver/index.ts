/**
 * Verifies webhooks sent by Posthorn, or by any sender that follows Standard Webhooks.
 *
 * The package only needs Web Crypto, so it runs in Node (22 and later), Deno, Bun, Cloudflare Workers and other edge
 * runtimes. Start with {@link verify}, which has examples for them.
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
