/*
 * JSON is cut here, and not parsed: a parsed value has lost the spelling of its numbers, and the order of names that are
 * whole numbers. The text must be valid JSON.
 */

/** The members of an object, with the text of each value. Of a repeated name, the last one counts. Null if it is no object. */
export function rawMembers(text: string): Map<string, string> | null {
  if (firstOf(text) !== '{') return null
  const members = new Map<string, string>()
  for (const part of partsOf(text)) {
    const nameEnd = endOfString(part, part.indexOf('"')) + 1
    const colon = part.indexOf(':', nameEnd)
    members.set(JSON.parse(part.slice(0, nameEnd)), part.slice(colon + 1).trim())
  }
  return members
}

/** The text of each item of an array. Null if it is no array. */
export function rawItems(text: string): string[] | null {
  return firstOf(text) === '[' ? [...partsOf(text)].map((part) => part.trim()) : null
}

function firstOf(text: string): string {
  return text.trimStart().charAt(0)
}

/** What stands between the commas of the outermost object or array. */
function* partsOf(text: string): Generator<string> {
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '"') i = endOfString(text, i)
    else if (character === '{' || character === '[') {
      depth++
      if (depth === 1) start = i + 1
    } else if (character === '}' || character === ']') {
      depth--
      if (depth === 0 && text.slice(start, i).trim() !== '') yield text.slice(start, i)
    } else if (character === ',' && depth === 1) {
      yield text.slice(start, i)
      start = i + 1
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '\\') i++
    else if (character === '"') return i
  }
  return text.length
}
