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

/** Two letters carry ten bits. */
const PAIRS = Array.from(
  { length: 1_024 },
  (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`,
)
const BITS = new Map(PAIRS.map((pair, bits) => [pair, bits]))

/** `0190…-…` -> `prefix_…`: the first two digits are two letters, and five others are four letters each. */
function encodeTypeId(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '')
  let id = `${prefix}_${PAIRS[Number.parseInt(hex.slice(0, 2), 16)]}`
  for (let i = 2; i < 32; i += 5) {
    const bits = Number.parseInt(hex.slice(i, i + 5), 16)
    id += `${PAIRS[bits >> 10]}${PAIRS[bits & 1_023]}`
  }
  return id
}

/** `prefix_…` -> `0190…-…`, or `null` for anything else. */
function decodeTypeId(prefix: string, id: string): string | null {
  const suffix = id.slice(prefix.length + 1)
  if (!id.startsWith(`${prefix}_`) || !SUFFIX.test(suffix)) return null
  const bitsAt = (i: number) => BITS.get(suffix.slice(i, i + 2)) as number
  let hex = bitsAt(0).toString(16).padStart(2, '0')
  for (let i = 2; i < 26; i += 4) {
    hex += ((bitsAt(i) << 10) | bitsAt(i + 2)).toString(16).padStart(5, '0')
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
