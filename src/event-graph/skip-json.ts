/*
 * Steps over JSON by the codes of its characters. The text must be valid JSON. Each function takes the place where
 * something begins, and returns the place behind it. Not recursive, because data can be nested deeply.
 */

export const QUOTE = 0x22
export const COMMA = 0x2c
export const MINUS = 0x2d
export const OPEN_ARRAY = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_ARRAY = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

export function skipSpace(text: string, at: number): number {
  let next = at
  while (text.charCodeAt(next) <= 0x20) next++
  return next
}

/** `at` is the place of the opening quote. */
export function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((end - first) % 2 === 0) return end + 1
  }
  return text.length
}

export function skipValue(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return skipString(text, at)
  return code === OPEN_OBJECT || code === OPEN_ARRAY ? skipNested(text, at) : skipWord(text, at)
}

function skipNested(text: string, at: number): number {
  let depth = 0
  let next = at
  while (next < text.length) {
    const code = text.charCodeAt(next)
    if (code === QUOTE) {
      next = skipString(text, next)
      continue
    }
    next++
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
    else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 0) return next
  }
  return next
}

/** A number, true, false or null. */
function skipWord(text: string, at: number): number {
  for (let next = at; next < text.length; next++) {
    const code = text.charCodeAt(next)
    if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= 0x20) return next
  }
  return text.length
}

/** The text of a JSON string, which begins and ends at these places. */
export function decodeString(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? JSON.parse(text.slice(start, end)) : inner
}
