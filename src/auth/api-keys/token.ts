import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// `phk_` or, for a session, `phs_`, 32 random bytes in base62 (43 characters), and their checksum (6 characters). The checksum detects typing
// errors and invented tokens without the database, and lets secret scanners recognize real tokens.
const PREFIXES = { key: 'phk_', session: 'phs_' } as const
const RANDOM_LENGTH = 43
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TOKEN = new RegExp(
  `^ph[ks]_([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
)

/** Generates the token of a new API key, or of a portal or frontend session. */
export function mintToken(kind: keyof typeof PREFIXES = 'key'): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), RANDOM_LENGTH)
  return PREFIXES[kind] + random + checksum(random)
}

/** Whether a token has the form and the checksum of an API key. */
export function isWellFormedToken(token: string): boolean {
  const [, random, actual] = TOKEN.exec(token) ?? []
  return random !== undefined && checksum(random) === actual
}

/** The stored hash of a token. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', token, 'buffer'))
}

/** The first characters of a token, which identify a key for people. */
export function tokenHint(token: string): string {
  return token.slice(0, PREFIXES.key.length + 4)
}

function checksum(random: string): string {
  let text = ''
  for (let rest = crc32(random); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET.charAt(rest % 62) + text
  }
  return text
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n)
    text = ALPHABET[Number(rest % 62n)] + text
  return text
}
