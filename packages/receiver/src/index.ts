/**
 * Verifies webhooks sent by Posthorn, or by any sender that follows Standard Webhooks.
 *
 * The package only needs Web Crypto, so it runs in Node (20 and later), Deno, Bun, Cloudflare Workers and other edge
 * runtimes. Start with {@link verifyRequest} where your server has `Request` and `Response`, with an adapter such as
 * `@posthorn/receiver/express`, or elsewhere with {@link verify}.
 *
 * @packageDocumentation
 */
export { challengeAnswer } from './challenge-answer.ts'
export {
  type Deduplication,
  type DeliveryStore,
  deduplicate,
  type MemoryStoreOptions,
  memoryStore,
} from './deduplicate.ts'
export type { FetchRequest } from './fetch-body.ts'
export type { ReceivedHeaders } from './headers.ts'
export type { RawBody } from './raw-body.ts'
export type { RejectedRequest, VerifiedRequest } from './read-delivery.ts'
export { sign } from './sign-test-delivery.ts'
export type { WebhookSecret } from './signature.ts'
export type {
  EventOf,
  RejectedDelivery,
  RejectionReason,
  Verification,
  VerifiedDelivery,
  WebhookEvent,
} from './verification.ts'
export { verify, verifyOrThrow, WebhookVerificationError } from './verify.ts'
export type { VerifyOptions } from './verify-options.ts'
export { type VerifyRequestOptions, verifyRequest } from './verify-request.ts'
