/**
 * Whether a number, as JSON or GraphQL write it, is the same when it is written again. Whole numbers are, to the last
 * digit, and nothing becomes infinite or nothing; the digits of a fraction beyond the 17th are rounded, as by every
 * reader of JSON that takes numbers for doubles (RFC 8259, section 6). A text that is no number is for others to refuse.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text)
  if (Number.isNaN(number)) return true
  if (!Number.isFinite(number)) return false
  if (/^-?\d+$/.test(text)) {
    // Nothing as long is exact, and reading it would take long.
    return Number.isSafeInteger(number) || (text.length < 30 && BigInt(text) === BigInt(number))
  }
  return number !== 0 || !/[1-9]/.test(text.replace(/e.*$/i, ''))
}
