/** A string, a bracket, a comma or colon, or a number, `true`, `false`, `null`: each as it is written. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * JSON with its parts on lines of their own, and null for what is no JSON. Nothing is read and written anew, so that
 * each number keeps all of its digits.
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
