import { type FieldIssue, fieldIssue } from './errors.ts'

/** No real document nests this deep; V8 is slow to build one that nests a hundred thousand levels. */
export const MAX_JSON_NESTING = 200

/** No real document of a megabyte has this many objects and arrays; V8 builds them in a few milliseconds. */
const MAX_CONTAINERS = 100_000

/** The text exceeds a limit of `parseJson`, or has half of a character; it may be valid JSON. */
export class InvalidJson extends Error {}

/**
 * Parses JSON. Throws `SyntaxError` for invalid JSON, and `InvalidJson` for more than 200 levels, for more than 100,000
 * objects and arrays, for half of a character, and for a number that would silently change, such as an id of 20 digits.
 * `inexact`: numbers may change, because the text itself is kept, too.
 */
export function parseJson(text: string, { inexact = false } = {}): unknown {
  requireBounds(text, inexact)
  if (hasLoneSurrogate(text)) throw new InvalidJson(LONE_SURROGATE)
  return JSON.parse(text)
}

/** A value of JSON, and its text. */
export interface Json {
  readonly value: unknown
  readonly text: string
}

/**
 * The value of a field, or of the text that is given in place of it. Null: not given, or with an issue. `inexact`: numbers of
 * the value may change, because the text is kept, such as the bounds of int64 in schemas.
 */
export function readJson<Field extends string>(
  given: { readonly [Name in Field | `${Field}Text`]?: unknown },
  field: Field,
  issues: FieldIssue[],
  { inexact = false } = {},
): Json | null {
  const name = `${field}Text` as const
  const value = given[field] ?? null
  const text = given[name]
  if (typeof text !== 'string') {
    return value === null ? null : { value, text: JSON.stringify(value) }
  }
  if (value !== null) {
    issues.push(fieldIssue([name], 'ambiguous', `is given beside ${field}. Send one of them.`))
    return null
  }
  try {
    return { value: parseJson(text, { inexact }), text: text.trim() }
  } catch (error) {
    const rule = error instanceof InvalidJson ? error.message : 'is not JSON.'
    issues.push(fieldIssue([name], 'malformed', rule))
    return null
  }
}

export const LONE_SURROGATE =
  'has a lone surrogate, such as \\ud800: half of a character. Send the whole character, or remove the half.'

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/
const ESCAPED_LONE_SURROGATE =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F]/

/**
 * Whether JSON that was read as UTF-8 has a lone surrogate: half of a UTF-16 pair, such as the escape `\ud800`. UTF-8 cannot
 * represent it, so Postgres would store U+FFFD instead.
 */
export function hasLoneSurrogate(json: string): boolean {
  if (!ESCAPED_SURROGATE.test(json)) return false
  // The backslash that ends an escaped backslash starts no escape.
  return ESCAPED_LONE_SURROGATE.test(json.replaceAll('\\\\', '  '))
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d]
/** `{` differs from `[`, and `}` from `]`, in this bit only. */
const BRACE_BIT = 0x20

/** Numbers up to this length, with an exponent up to the length of `e99`, are always exact. */
const SHORT_NUMBER = 15
const SHORT_EXPONENT = 3

/** Scans the text once. It does not validate the syntax; `JSON.parse` does. */
function requireBounds(text: string, inexact: boolean): void {
  let nesting = 0
  let containers = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (isDigit(code) && !inexact) i = endOfNumber(text, i)
    else if ((code & ~BRACE_BIT) === OPEN) {
      nesting++
      containers++
      if (nesting > MAX_JSON_NESTING || containers > MAX_CONTAINERS) throw tooComplex(nesting)
    } else if ((code & ~BRACE_BIT) === CLOSE) nesting--
  }
}

function tooComplex(nesting: number): InvalidJson {
  return nesting > MAX_JSON_NESTING
    ? new InvalidJson(`is nested more than ${MAX_JSON_NESTING} levels deep.`)
    : new InvalidJson(`holds more than ${MAX_CONTAINERS.toLocaleString('en')} objects and arrays.`)
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(position - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  let exponentAt = Number.POSITIVE_INFINITY
  for (; ; end++) {
    const code = text.charCodeAt(end)
    if (code === 0x65 || code === 0x45) exponentAt = end
    else if (!isDigit(code) && code !== 0x2e && code !== 0x2b && code !== 0x2d) break
  }
  const isShort = end - start <= SHORT_NUMBER && end - exponentAt <= SHORT_EXPONENT
  if (!isShort && !isKeptByDouble(text.slice(start, end))) {
    throw new InvalidJson('holds a number that cannot be kept exactly: send it as a string.')
  }
  return end - 1
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of bytes in UTF-8, without a byte order mark. Null: the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** What decoders put in place of bytes that are not UTF-8. No program writes it on purpose. */
export const REPLACEMENT_CHARACTER = '\ufffd'

/**
 * Whether a double keeps a number of JSON or GraphQL: an integer must be exact, or as JavaScript prints a double, and a
 * number must neither overflow to infinity nor underflow to zero. Digits of a fraction beyond the 17th may be rounded, as JSON readers do (RFC 8259,
 * section 6). Returns true for a text that is not a number; the parser rejects it.
 */
export function isKeptByDouble(text: string): boolean {
  const number = Number(text)
  if (Number.isNaN(number)) return true
  if (!Number.isFinite(number)) return false
  if (/^-?\d+$/.test(text)) {
    // Integers of 30 digits or more count as inexact, because parsing a long one is slow.
    return String(number) === text || (text.length < 30 && BigInt(text) === BigInt(number))
  }
  return number !== 0 || !/[1-9]/.test(text.replace(/e.*$/i, ''))
}
