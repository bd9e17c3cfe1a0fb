import { v7 as uuidV7 } from 'uuid'

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
  forwardedRequest: 'fwd',
} as const

export type IdKind = keyof typeof ID_PREFIXES

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

/** TypeIDs (https://github.com/jetify-com/typeid): a prefix and a uuid in Crockford's base 32, lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** 26 characters carry 130 bits; the first two are zero. */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** `0190…-…` -> `prefix_…` */
function encodeTypeId(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '')

  let id = ''
  let bits = 0
  let count = 2
  for (const digit of hex) {
    bits = ((bits << 4) | Number.parseInt(digit, 16)) & 0xff
    count += 4
    if (count < 5) continue
    count -= 5
    id += ALPHABET[(bits >> count) & 31]
  }
  return `${prefix}_${id}`
}

/** `prefix_…` -> `0190…-…`, or `null` for anything else. */
function decodeTypeId(prefix: string, id: string): string | null {
  const suffix = id.slice(prefix.length + 1)
  if (!id.startsWith(`${prefix}_`) || !SUFFIX.test(suffix)) return null
  let hex = ''
  let bits = 0
  let count = -2
  for (const letter of suffix) {
    bits = ((bits << 5) | ALPHABET.indexOf(letter)) & 0x1ff
    count += 5
    for (; count >= 4; count -= 4) hex += ((bits >> (count - 4)) & 15).toString(16)
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
