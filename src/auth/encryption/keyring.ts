import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * AES-256-GCM encryption of secrets in the database: signing keys, custom headers and idempotent responses. The row's id
 * is the associated data, so a ciphertext moved to another row does not decrypt.
 */
export interface Keyring {
  encrypt(plaintext: Uint8Array, rowId: string): Uint8Array<ArrayBuffer>
  /** Throws if no key of the ring encrypted it, if it was altered, or if it belongs to another row. */
  decrypt(ciphertext: Uint8Array, rowId: string): Buffer
  /** The first 5 bytes of each key's ciphertexts, for SQL. The first is that of the encrypting key. */
  readonly prefixes: readonly Uint8Array<ArrayBuffer>[]
}

// Layout: version (1 byte), key id (4), nonce (12), authentication tag (16), ciphertext.
const VERSION = 1
const KEY_ID_AT = 1
const NONCE_AT = 5
const TAG_AT = 17
const DATA_AT = 33

/** The first key encrypts, every key decrypts. Each has 32 bytes. */
export function createKeyring(keys: readonly Uint8Array[]): Keyring {
  const [current] = keys
  if (!current) throw new Error('A keyring needs a key.')
  const currentId = keyId(current)
  const keysById = new Map(keys.map((key) => [keyId(key).toString('hex'), key]))

  return {
    prefixes: keys.map((key) => new Uint8Array(Buffer.concat([Buffer.of(VERSION), keyId(key)]))),

    encrypt(plaintext, rowId) {
      const nonce = randomBytes(TAG_AT - NONCE_AT)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(rowId))
      const data = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return new Uint8Array(
        Buffer.concat([Buffer.of(VERSION), currentId, nonce, cipher.getAuthTag(), data]),
      )
    },

    decrypt(ciphertext, rowId) {
      const bytes = Buffer.from(ciphertext.buffer, ciphertext.byteOffset, ciphertext.byteLength)
      const key = keysById.get(bytes.toString('hex', KEY_ID_AT, NONCE_AT))
      if (bytes[0] !== VERSION || !key) {
        throw new Error(
          'A stored secret was encrypted with a key that POSTHORN_ENCRYPTION_KEYS does not list. Add the key it was encrypted with to the end of the list.',
        )
      }
      const nonce = bytes.subarray(NONCE_AT, TAG_AT)
      // With `authTagLength`, a truncated tag, which is easier to forge, is rejected.
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, {
        authTagLength: DATA_AT - TAG_AT,
      })
        .setAAD(Buffer.from(rowId))
        .setAuthTag(bytes.subarray(TAG_AT, DATA_AT))
      return Buffer.concat([decipher.update(bytes.subarray(DATA_AT)), decipher.final()])
    },
  }
}

/** Identifies a key in a ciphertext without revealing it. */
function keyId(key: Uint8Array): Buffer {
  return createHash('sha256').update('posthorn key id').update(key).digest().subarray(0, 4)
}
