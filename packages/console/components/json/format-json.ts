/** A string, spaces, an empty object or list, or a sign. What lies between them stays. */
const PARTS = /"(?:[^"\\]|\\.)*"|\s+|[{[]\s*[}\]]|[{}[\],:]/g

/** Pretty-prints JSON; null for text that is not JSON. Parsed values would lose digits of long numbers. */
export function formatJson(text: string): string | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  return text.replace(PARTS, (part) => {
    if (part.startsWith('"')) return part
    const sign = part.replaceAll(/\s+/g, '')
    if (sign === ':') return ': '
    if (sign === ',') return `,${newLine()}`
    if (sign.length !== 1) return sign
    depth += '{['.includes(sign) ? 1 : -1
    return '{['.includes(sign) ? sign + newLine() : newLine() + sign
  })
}

/** JSON without the spaces between its parts. */
export const compactJson = (text: string) => text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
