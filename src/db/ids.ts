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
const BASE_32 = base('0123456789abcdefghjkmnpqrstvwxyz', 5)
const HEX = base('0123456789abcdef', 4)

/** `0190…-…` -> `prefix_…` */
function encodeTypeId(prefix: string, uuid: string): string {
  return `${prefix}_${convert(uuid.replaceAll('-', ''), HEX, BASE_32, 2)}`
}

/** `prefix_…` -> `0190…-…`, or `null` for anything else. */
function decodeTypeId(prefix: string, id: string): string | null {
  if (!id.startsWith(`${prefix}_`) || id.length !== prefix.length + 27 || !isTypeId(id)) return null
  return convert(id.slice(prefix.length + 1), BASE_32, HEX, -2).replace(UUID, '$1-$2-$3-$4-$5')
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** `values`: those of the digits, by their codes. */
function base(digits: string, bits: number) {
  const letters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code).toLowerCase())
  return { digits, bits, values: letters.map((letter) => digits.indexOf(letter)) }
}

/** An attempt converts several ids, so their digits are written here first. */
const written = Buffer.alloc(32)

/** `missing`: the leading zero bits that the result has and the text has not. 26 characters carry 130 bits. */
function convert(text: string, from: typeof HEX, to: typeof HEX, missing: number): string {
  let length = 0
  let bits = 0
  let count = missing
  for (let i = 0; i < text.length; i++) {
    bits = ((bits << from.bits) | (from.values[text.charCodeAt(i)] as number)) & 0xff
    count += from.bits
    while (count >= to.bits) {
      count -= to.bits
      written[length++] = to.digits.charCodeAt((bits >> count) & (to.digits.length - 1))
    }
  }
  return written.toString('latin1', 0, length)
}
