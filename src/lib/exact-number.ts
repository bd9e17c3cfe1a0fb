/**
 * Whether a double keeps a number of JSON or GraphQL: an integer must be exact, or as JavaScript prints a double, and a
 * number must neither overflow to infinity nor underflow to zero. Digits of a fraction beyond the 17th may be rounded, as JSON readers do (RFC 8259,
 * section 6). Returns true for a text that is not a number; the parser rejects it.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text)
  if (Number.isNaN(number)) return true
  if (!Number.isFinite(number)) return false
  if (/^-?\d+$/.test(text)) {
    // Integers of 30 digits or more count as inexact, because parsing a long one is slow.
    return String(number) === text || (text.length < 30 && BigInt(text) === BigInt(number))
  }
  return number !== 0 || !/[1-9]/.test(text.replace(/e.*$/i, ''))
}
