import { isExactNumber } from './exact-number.ts'

/** Deeper than any operation means to be; V8 takes long to build what is nested a hundred thousand deep. */
export const MAX_JSON_NESTING = 200

/** More objects and lists than anybody publishes in a megabyte, and as many as are made in a few milliseconds. */
const MAX_CONTAINERS = 100_000

/** Why a text is not taken, though it may be JSON. */
export class InvalidJson extends Error {}

/**
 * Parses JSON, or throws: for what is no JSON, is nested too deep or has too many parts, and for numbers that would
 * silently become others, such as an id of 20 digits.
 */
export function parseJson(text: string): unknown {
  checkTokens(text)
  return JSON.parse(text)
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d]
/** `{` and `[`, and so `}` and `]`, differ by this bit. */
const BRACE_BIT = 0x20

/** Numbers as short as this, with an exponent as short as `e99`, are kept exactly. */
const SHORT_NUMBER = 15
const SHORT_EXPONENT = 3

/** One pass over the text. Whether it is JSON is for the parser to say. */
function checkTokens(text: string): void {
  let nesting = 0
  let containers = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (isDigit(code)) i = endOfNumber(text, i)
    else if ((code & ~BRACE_BIT) === OPEN) {
      nesting++
      containers++
      if (nesting > MAX_JSON_NESTING || containers > MAX_CONTAINERS) throw tooMuch(nesting)
    } else if ((code & ~BRACE_BIT) === CLOSE) nesting--
  }
}

function tooMuch(nesting: number): InvalidJson {
  return nesting > MAX_JSON_NESTING
    ? new InvalidJson(`is nested more than ${MAX_JSON_NESTING} deep.`)
    : new InvalidJson(`holds more than ${MAX_CONTAINERS.toLocaleString('en')} objects and lists.`)
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
  if (!isShort && !isExactNumber(text.slice(start, end))) {
    throw new InvalidJson('holds a number that cannot be kept exactly: send it as a string.')
  }
  return end - 1
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
