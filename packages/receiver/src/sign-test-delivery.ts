import { type RawBody, toBytes } from './raw-body.ts'
import { hmacSha256, parseSecret, signedContent, VERSION_PREFIX } from './signature.ts'
import { toUnixSeconds } from './verify-options.ts'

/**
 * Signs a delivery as Posthorn does, for tests of your receiver (webhook contract, section 5.2, steps 3 to 5).
 *
 * @param secret The secret that your receiver verifies with: `whsec_` followed by the base64 of a key of any length.
 * @param id The value of the `wh-id` header.
 * @param timestamp The value of the `wh-timestamp` header, Unix time in seconds: its text as sent, or a `Date`, which
 *   is rounded down to a whole second.
 * @param rawBody The body as sent; a string is encoded as UTF-8.
 * @returns The value of the `wh-signature` header, `v1,<base64>`. Join several with a space to test a rotation.
 * @throws {TypeError} (as a rejected promise) if the secret is malformed, the date is invalid or the body is not raw.
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
  return VERSION_PREFIX + (await hmacSha256(parseSecret(secret), content))
}
