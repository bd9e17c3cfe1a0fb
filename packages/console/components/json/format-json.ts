/** A string, a bracket, a comma, a colon, a number, `true`, `false` or `null`, as written. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Pretty-prints JSON; null for text that is not JSON. Works on tokens rather than on parsed values, so that numbers
 * keep all their digits.
 */
export function formatJson(text: string): string | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  let out = ''
  let depth = 0
  let previous = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const opened = previous === '{' || previous === '['
    if (token === '}' || token === ']') {
      depth--
      out += opened ? token : newLine() + token
    } else {
      if (opened) out += newLine()
      out += token === ':' ? ': ' : token
      if (token === ',') out += newLine()
      if (token === '{' || token === '[') depth++
    }
    previous = token
  }
  return out
}

/** JSON without the spaces between its parts; other text as given. */
export function compactJson(text: string): string {
  return formatJson(text) === null ? text.trim() : (text.match(TOKEN) ?? []).join('')
}
