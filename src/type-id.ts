/** TypeIDs: https://github.com/jetify-com/typeid/tree/main/spec. Each delivery has several written and read. */

/** Crockford's base 32, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HEXADECIMAL = '0123456789abcdef'

/** How each number of ten bits is written in base 32, and each number of eight in base 16. */
const PAIRS = pairsOf(ALPHABET)
const BYTES = pairsOf(HEXADECIMAL)

/** What each character stands for, by its code. */
const BITS_OF_LETTER = valuesOf(ALPHABET)
const BITS_OF_DIGIT = valuesOf(HEXADECIMAL)

/** 26 characters are 130 bits, of which the first two are none. */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
const SUFFIX_LENGTH = 26
const DASH = '-'.charCodeAt(0)

/** `0190…-…` -> `prefix_…` */
export function encodeTypeId(prefix: string, uuid: string): string {
  let id = `${prefix}_`
  let bits = 0
  let count = 2
  for (let i = 0; i < uuid.length; i++) {
    const code = uuid.charCodeAt(i)
    if (code === DASH) continue
    bits = (bits << 4) | (BITS_OF_DIGIT[code] as number)
    count += 4
    if (count < 10) continue
    count -= 10
    id += PAIRS[(bits >> count) & 1_023]
  }
  return id
}

/** `prefix_…` -> `0190…-…`, or `null` for what is no TypeID with that prefix. */
export function decodeTypeId(prefix: string, id: string): string | null {
  const start = prefix.length + 1
  if (id.length !== start + SUFFIX_LENGTH || !id.startsWith(`${prefix}_`)) return null
  if (!SUFFIX.test(id.slice(start))) return null
  let uuid = ''
  let bits = 0
  let count = -2
  for (let i = start; i < id.length; i++) {
    bits = (bits << 5) | (BITS_OF_LETTER[id.charCodeAt(i)] as number)
    count += 5
    if (count < 8) continue
    count -= 8
    if (uuid.length === 8 || uuid.length === 13 || uuid.length === 18 || uuid.length === 23)
      uuid += '-'
    uuid += BYTES[(bits >> count) & 255]
  }
  return uuid
}

function pairsOf(digits: string): string[] {
  return [...digits].flatMap((high) => [...digits].map((low) => high + low))
}

function valuesOf(digits: string): Uint8Array {
  const values = new Uint8Array(128)
  for (const [value, digit] of [...digits].entries()) values[digit.charCodeAt(0)] = value
  return values
}
