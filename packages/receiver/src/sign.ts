import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { parseSecret, SECRET_PREFIX, VERSION_PREFIX } from './signature.ts'

/** With this file and index.ts, the server knows all that it knows of the receiver. */
export { parseSecret }

/**
 * The `wh-signature` header of one attempt. The sender uses this instead of `sign`, because it is synchronous and
 * does not copy the body.
 *
 * @param timestamp The value of the `wh-timestamp` header, in seconds.
 */
export function signDelivery(
  key: KeyObject,
  id: string,
  timestamp: string,
  body: Uint8Array,
): string {
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
  return VERSION_PREFIX + hmac.digest('base64')
}

/** 32 random bytes, the output size of SHA-256. Standard Webhooks requires 24 to 64. */
export function generateSigningKey(): Buffer {
  return randomBytes(32)
}

/** The signing secret of a key, `whsec_<base64>`. */
export function formatSecret(keyBytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = keyBytes
  return SECRET_PREFIX + Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
