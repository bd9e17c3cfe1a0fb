import type { Keyring } from '../encryption/keyring.ts'

type Headers = Readonly<Record<string, string>>

/** The custom headers of a webhook as its row keeps them: they may hold credentials. */
export function encryptHeaders(
  keyring: Keyring,
  headers: Headers | null,
  webhookUuid: string,
): Uint8Array<ArrayBuffer> | null {
  if (!headers || Object.keys(headers).length === 0) return null
  return keyring.encrypt(Buffer.from(JSON.stringify(headers)), webhookUuid)
}

/** The custom headers of a webhook's row, as they were given. Throws when no key decrypts them. */
function decryptHeaders(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Headers {
  return ciphertext ? JSON.parse(keyring.decrypt(ciphertext, webhookUuid).toString()) : {}
}

/** The same, or `null` when no key decrypts them: what fails of one webhook must not fail a list of them. */
export function readHeaders(
  keyring: Keyring,
  ciphertext: Uint8Array | null,
  webhookUuid: string,
): Headers | null {
  try {
    return decryptHeaders(keyring, ciphertext, webhookUuid)
  } catch {
    return null
  }
}
