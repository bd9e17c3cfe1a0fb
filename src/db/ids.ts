import { v7 as uuidV7 } from 'uuid'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'

/** The prefix of each kind of public id: a TypeID (https://github.com/jetify-com/typeid), stored as a `uuid`. */
export const ID_PREFIXES = {
  organization: 'org',
  webhook: 'wh',
  event: 'evt',
  delivery: 'msg',
  attempt: 'att',
  apiKey: 'key',
  signingSecret: 'sec',
  bulkTask: 'task',
  auditEntry: 'aud',
  alertAddress: 'addr',
  alertMail: 'mail',
  incident: 'inc',
  consumer: 'con',
  lease: 'lease',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** The kind in a sentence: `API key`, `bulk task`. */
export function nounOf(kind: IdKind): string {
  const words = kind.replace(/[A-Z]/, (capital) => ` ${capital.toLowerCase()}`)
  return words.replace('api', 'API')
}

/** A new uuid of a row without a public id. */
export function mintUuid(): string {
  return uuidV7()
}

/** A new public id. Ids ascend with the time of their creation. */
export function mintId(kind: IdKind): string {
  return publicId(kind, uuidV7())
}

/** `0190…-…` -> `wh_…` */
export function publicId(kind: IdKind, uuid: string): string {
  return encodeTypeId(ID_PREFIXES[kind], uuid)
}

/** `wh_…` -> its uuid, or `null` for anything that is not an id of that kind. */
export function parseId(kind: IdKind, id: string): string | null {
  return decodeTypeId(ID_PREFIXES[kind], id)
}

/** The uuid of an id that a caller gives. Throws `invalid` for anything that is not an id of that kind. */
export function requireId(kind: IdKind, id: string, path: FieldIssue['path']): string {
  const uuid = parseId(kind, id)
  if (uuid === null) throw invalid([notAnId(kind, path)])
  return uuid
}

/** The issue of a field that has something else than an id of that kind. */
export function notAnId(kind: IdKind, path: FieldIssue['path']): FieldIssue {
  const noun = nounOf(kind)
  const article = /^[aeiou]/i.test(noun) ? 'an' : 'a'
  const rule = `must be the id of ${article} ${noun}: ${ID_PREFIXES[kind]}_….`
  return fieldIssue(path, 'invalid_argument', rule)
}

const TYPE_ID = /^[a-z](?:[a-z_]{0,61}[a-z])?_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether a text is spelled like a TypeID, of any prefix: names that callers choose must not be. */
export function isTypeId(text: string): boolean {
  return TYPE_ID.test(text)
}

/** TypeIDs (https://github.com/jetify-com/typeid): a prefix and a uuid in Crockford's base 32, lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 26 characters carry 130 bits; the first two are zero. */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

const HEX = '0123456789abcdef'

const HYPHEN = '-'.charCodeAt(0)

/** The values of the digits of both, by their codes. */
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
const OF_LETTERS = ASCII.map((letter) => ALPHABET.indexOf(letter))
const OF_HEX = ASCII.map((digit) => Number.parseInt(digit, 16))

/** Attempts convert several ids each, so the characters are written here, and become one string at the end. */
const written = Buffer.alloc(36)

/** `0190…-…` -> `prefix_…` */
function encodeTypeId(prefix: string, uuid: string): string {
  let at = 0
  let bits = 0
  let count = 2
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i)
    if (code === HYPHEN) continue
    bits = ((bits << 4) | (OF_HEX[code] as number)) & 0xff
    count += 4
    if (count < 5) continue
    count -= 5
    written[at++] = ALPHABET.charCodeAt((bits >> count) & 31)
  }
  return `${prefix}_${written.toString('latin1', 0, at)}`
}

/** `prefix_…` -> `0190…-…`, or `null` for anything else. */
function decodeTypeId(prefix: string, id: string): string | null {
  const suffix = id.slice(prefix.length + 1)
  if (!id.startsWith(`${prefix}_`) || !SUFFIX.test(suffix)) return null
  let at = 0
  let bits = 0
  let count = -2
  for (let i = 0; i < suffix.length; i++) {
    bits = ((bits << 5) | (OF_LETTERS[suffix.charCodeAt(i)] as number)) & 0xff
    count += 5
    for (; count >= 4; count -= 4) {
      if (at === 8 || at === 13 || at === 18 || at === 23) written[at++] = HYPHEN
      written[at++] = HEX.charCodeAt((bits >> (count - 4)) & 15)
    }
  }
  return written.toString('latin1', 0, at)
}
