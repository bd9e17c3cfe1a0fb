import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { formatV1Signature, SECRET_PREFIX, signedContentHead } from './signature.ts'

/**
 * The `wh-signature` header of one attempt. The sender's side: synchronous, and the body is not copied.
 *
 * @param timestamp The `wh-timestamp` header as it will be sent.
 */
export function signDelivery(
  key: KeyObject,
  id: string,
  timestamp: string,
  body: Uint8Array,
): string {
  const hmac = createHmac('sha256', key).update(signedContentHead(id, timestamp)).update(body)
  return formatV1Signature(hmac.digest('base64'))
}

/** 32 bytes, as many as SHA-256 gives: within the 24 to 64 that Standard Webhooks asks for. */
export function generateSigningKey(): Buffer {
  return randomBytes(32)
}

/** The key as its owner is shown it, `whsec_<base64>`. */
export function formatSecret(keyBytes: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = keyBytes
  return SECRET_PREFIX + Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
