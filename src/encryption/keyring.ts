import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * AES-256-GCM for what rests in the database: signing keys and custom headers. The id of the row is the associated
 * data, so a ciphertext moved to another row does not decrypt.
 */
export interface Keyring {
  encrypt(plaintext: Uint8Array, rowId: string): Uint8Array<ArrayBuffer>
  /** Throws when no key of the ring made it, when it was altered, or when it belongs to another row. */
  decrypt(ciphertext: Uint8Array, rowId: string): Buffer
  /** How what each key encrypts begins, by which SQL can tell them apart. The first encrypts. */
  readonly prefixes: readonly Uint8Array<ArrayBuffer>[]
}

// Layout: version (1 byte), id of the key (4), nonce (12), authentication tag (16), ciphertext.
const VERSION = 1
const KEY_ID_AT = 1
const NONCE_AT = 5
const TAG_AT = 17
const DATA_AT = 33

/** The first key encrypts; every one decrypts. Each has 32 bytes. */
export function createKeyring(keys: readonly Buffer[]): Keyring {
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
      // With its length given, a tag that was cut short is refused instead of being easier to forge.
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, {
        authTagLength: DATA_AT - TAG_AT,
      })
        .setAAD(Buffer.from(rowId))
        .setAuthTag(bytes.subarray(TAG_AT, DATA_AT))
      return Buffer.concat([decipher.update(bytes.subarray(DATA_AT)), decipher.final()])
    },
  }
}

/** Names a key in a ciphertext without telling anything of it. */
function keyId(key: Buffer): Buffer {
  return createHash('sha256').update('posthorn key id').update(key).digest().subarray(0, 4)
}
