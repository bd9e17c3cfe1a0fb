import type { Keyring } from '../encryption/keyring.ts'

type Headers = Readonly<Record<string, string>>

/** Encrypts the custom headers of a webhook, which can contain credentials. Returns null for no headers. */
export function encryptHeaders(
  keyring: Keyring,
  headers: Headers | null,
  webhookUuid: string,
): Uint8Array<ArrayBuffer> | null {
  if (!headers || Object.keys(headers).length === 0) return null
  return keyring.encrypt(Buffer.from(JSON.stringify(headers)), webhookUuid)
}

/** The custom headers of a webhook, or `null` if no key decrypts them, so that one webhook cannot fail a list. */
export function readHeaders(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Headers | null {
  try {
    return ciphertext ? JSON.parse(keyring.decrypt(ciphertext, webhookUuid).toString()) : {}
  } catch {
    return null
  }
}
