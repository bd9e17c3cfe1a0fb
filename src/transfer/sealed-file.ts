import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { z } from 'zod'
import { checkInput } from '../lib/validation.ts'
import { VERSION } from '../lib/version.ts'

const FORMAT = 'posthorn-export'
const FORMAT_VERSION = 1

/** So that a mistake does not fill the memory. An export of 100,000 webhooks has some 115 MB. */
export const MAX_FILE_BYTES = 256 * 1024 ** 2

/** 128 MiB and half a second for each guess of the passphrase. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 }
const KEY_DERIVATION = `scrypt N=${SCRYPT.N} r=${SCRYPT.r} p=${SCRYPT.p}`
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const CHECK_BYTES = 8
const TAG_BYTES = 16

function base64(bytes: number) {
  return z
    .base64('must be base64')
    .refine((text) => Buffer.from(text, 'base64').length === bytes, `must have ${bytes} bytes`)
}

const envelope = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  posthorn: z.string(),
  createdAt: z.string(),
  keyDerivation: z.literal(KEY_DERIVATION),
  salt: base64(16),
  passphraseCheck: base64(CHECK_BYTES),
  cipher: z.literal(CIPHER),
  nonce: base64(12),
  tag: base64(TAG_BYTES),
  contents: z.string(),
})
type Envelope = z.output<typeof envelope>

/** The file: one JSON object whose `contents` only the passphrase opens. docs/operate/moving.md has its format. */
export async function sealContents(
  contents: object,
  passphrase: string,
  now = new Date(),
): Promise<string> {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const { key, check } = await deriveKey(passphrase, salt)
  const head = {
    format: FORMAT,
    version: FORMAT_VERSION,
    posthorn: VERSION,
    createdAt: now.toISOString(),
    keyDerivation: KEY_DERIVATION,
    salt: salt.toString('base64'),
    passphraseCheck: check.toString('base64'),
    cipher: CIPHER,
    nonce: nonce.toString('base64'),
  } as const
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData(head))
  const data = Buffer.concat([cipher.update(json(contents)), cipher.final()])
  const sealed: Envelope = {
    ...head,
    tag: cipher.getAuthTag().toString('base64'),
    contents: data.toString('base64'),
  }
  const text = `${JSON.stringify(sealed, null, 2)}\n`
  if (text.length > MAX_FILE_BYTES) throw tooLarge()
  return text
}

function json(contents: object): string {
  try {
    return JSON.stringify(contents)
  } catch (error) {
    // No string has more than 512 MiB.
    throw error instanceof RangeError ? tooLarge() : error
  }
}

function tooLarge(): Error {
  return new Error(
    'The export would be larger than 256 MiB, the most that an import reads. Move the database with pg_dump (docs/operate/backups.md).',
  )
}

/** The contents of a file. Throws an error that says what is wrong with the file or the passphrase. */
export async function openSealed(bytes: Uint8Array, passphrase: string): Promise<unknown> {
  const { tag, contents, ...head } = readEnvelope(bytes)
  const { key, check } = await deriveKey(passphrase, Buffer.from(head.salt, 'base64'))
  if (check.toString('base64') !== head.passphraseCheck) {
    throw new Error('The passphrase is not the one of the file. Nothing was imported.')
  }
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(head.nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(associatedData(head))
    .setAuthTag(Buffer.from(tag, 'base64'))
  const parts = [decipher.update(contents, 'base64')]
  try {
    parts.push(decipher.final())
  } catch {
    throw new Error(
      'The file was changed or damaged after the export: its authentication tag does not match. Nothing was imported. Copy the file again, or export again.',
    )
  }
  return JSON.parse(Buffer.concat(parts).toString())
}

function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_FILE_BYTES) {
    throw new Error('The file is larger than 256 MiB, the most that an import reads.')
  }
  const json = parse(bytes)
  const { format, version, posthorn } = Object(json) as Partial<Envelope>
  if (format !== FORMAT) {
    throw new Error('The file is not an export of Posthorn. Give one that `posthorn export` wrote.')
  }
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new Error(
      `The file has version ${version} of the format, of Posthorn ${posthorn}; this is Posthorn ${VERSION}, which reads version ${FORMAT_VERSION}. Import it with that version of Posthorn or a newer one.`,
    )
  }
  const { data, issues } = checkInput(envelope, json)
  if (data) return data
  throw new Error(
    `The file was changed or damaged after the export: ${issues.map(({ detail }) => detail).join(' ')}`,
  )
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new Error('The file is empty.')
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw new Error(
      'The file is not JSON. If `posthorn export` wrote it, it was cut short: copy it again, or export again.',
    )
  }
}

/** The check tells a wrong passphrase from a damaged file. It helps to guess no more than the tag does. */
async function deriveKey(passphrase: string, salt: Uint8Array) {
  const bytes = await new Promise<Buffer>((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES + CHECK_BYTES, SCRYPT, (error, derived) =>
      error ? reject(error) : resolve(derived),
    ),
  )
  return { key: bytes.subarray(0, KEY_BYTES), check: bytes.subarray(KEY_BYTES) }
}

/** Everything before the tag, so that no part of the file can be changed. */
function associatedData(head: Omit<Envelope, 'tag' | 'contents'>): Buffer {
  const { format, version, posthorn, createdAt, keyDerivation, salt, passphraseCheck } = head
  const { cipher, nonce } = head
  return Buffer.from(
    [
      format,
      version,
      posthorn,
      createdAt,
      keyDerivation,
      salt,
      passphraseCheck,
      cipher,
      nonce,
    ].join('\n'),
  )
}
