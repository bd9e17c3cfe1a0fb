import { RE2JS } from 're2js'

/** White space of ECMA-262, and everything else, as the contents of a class. */
const SPACE =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** The parts of a pattern that RE2 reads differently from ECMA-262, and those that tell where a class begins and ends. */
const PARTS =
  /\\u([dD][89abAB]\p{AHex}{2})\\u([dD][c-fC-F]\p{AHex}{2})|\\p\{(?:sc|Script|gc|General_Category)=(\w+)\}|\\k|\\.|\[\^?\]|[[\].]|\(\?[ims-]/gu

/**
 * A regular expression of a JSON Schema (ECMA-262 with the flag `u`) that takes linear time on every text. Throws for
 * what needs backtracking: look-around and back-references.
 */
export function linearPattern(source: string): RE2JS {
  try {
    new RegExp(source, 'u')
  } catch (error) {
    throw new SyntaxError(
      `${(error as Error).message}; write \\- for a hyphen in a class, ^ and $ for \\A and \\z, and \\ only before characters that need it`,
    )
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(inSyntaxOfRe2(source)))
  } catch (error) {
    throw new SyntaxError(
      `the pattern ${JSON.stringify(source)} cannot be checked in linear time (${(error as Error).message}); write it without look-around such as (?=…), back-references such as \\1, repetitions of more than 1,000, and long names of properties`,
    )
  }
}

function inSyntaxOfRe2(source: string): string {
  let isInClass = false
  return source.replaceAll(PARTS, (part, high, low, property) => {
    const inClass = isInClass
    if (part === ']' || part === '[]' || part === '[^]') isInClass = false
    else if (part === '[') isInClass = true
    if (high) return `\\x{${codePoint(high, low).toString(16)}}`
    if (property) return `${part.slice(0, 2)}{${property}}`
    if (part === '\\s') return inClass ? SPACE : `[${SPACE}]`
    if (part === '\\S') return inClass ? NO_SPACE : `[${NO_SPACE}]`
    if (part === '\\b' && inClass) return '\\x{8}'
    if (part === '.' && !inClass) return '[^\\n\\r\\x{2028}\\x{2029}]'
    if (part === '\\k' || (part.startsWith('(?') && !inClass))
      throw new SyntaxError(`unsupported \`${part}\``)
    return part
  })
}

function codePoint(high: string, low: string): number {
  const units = [high, low].map((unit) => Number.parseInt(unit, 16))
  return String.fromCharCode(...units).codePointAt(0) as number
}
