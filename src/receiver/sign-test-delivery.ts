import { hmacSha256 } from './hmac.ts'
import { type RawBody, toBytes } from './raw-body.ts'
import { formatV1Signature, parseSecret, signedContent } from './signature.ts'
import { toUnixSeconds } from './verify-options.ts'

/**
 * Signs a delivery as its sender does, for the tests of your receiver.
 *
 * @param secret The secret that the receiver under test verifies with: `whsec_` and the base64 of any key.
 * @param id The `wh-id` header of the request.
 * @param timestamp The `wh-timestamp` header: its text as it will be sent, or a `Date`, which is rounded
 *   down to the whole second.
 * @param rawBody The body that will be sent; a string is encoded as UTF-8.
 * @returns The `wh-signature` header, `v1,<base64>`. Join several with a space.
 * @throws {TypeError} (as a rejected promise) if the secret is malformed, the date invalid or the body parsed.
 *
 * @example
 * ```ts
 * const body = JSON.stringify({ type: 'event_attendee.joined_event', data: {} })
 * const timestamp = String(Math.floor(Date.now() / 1000))
 * const response = await app.request('/webhooks', {
 *   method: 'POST',
 *   body,
 *   headers: {
 *     'wh-id': 'msg_1',
 *     'wh-timestamp': timestamp,
 *     'wh-signature': await sign(secret, 'msg_1', timestamp, body),
 *   },
 * })
 * ```
 */
export async function sign(
  secret: string,
  id: string,
  timestamp: Date | string,
  rawBody: RawBody,
): Promise<string> {
  const timestampText =
    typeof timestamp === 'string' ? timestamp : String(toUnixSeconds(timestamp, 'The timestamp'))
  const content = signedContent(id, timestampText, toBytes(rawBody))
  return formatV1Signature(await hmacSha256(parseSecret(secret), content))
}
