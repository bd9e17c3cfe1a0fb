/** What stands in the place of an erased value. The trigger of the audit log knows it. */
export const ERASED = '[erased]'

/** Whether a text is the erased value, or contains it. */
export type HasValue = (text: string) => boolean

/** Properties of Posthorn's own words, which a value can equal by chance. */
const OWN_WORDS = new Set(['state', 'action', 'include', 'unsent'])

/** A name with its colon, a text, a number or a word. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g

/**
 * Replaces every text and number of a JSON text that has the value. The other letters stay, since numbers of JSON can be
 * larger than those of JavaScript.
 */
export function redact(json: string | null, hasValue: HasValue): string | null {
  let name = ''
  return (
    json?.replaceAll(TOKEN, (token: string, colon: string | undefined) => {
      if (colon !== undefined) {
        name = JSON.parse(token.slice(0, -colon.length))
        return token
      }
      const isOwn = OWN_WORDS.has(name)
      name = ''
      return !isOwn && isErased(token, hasValue) ? JSON.stringify(ERASED) : token
    }) ?? null
  )
}

function isErased(token: string, hasValue: HasValue): boolean {
  if (token.startsWith('"')) return hasValue(JSON.parse(token))
  return /^[-\d]/.test(token) && token.length >= MIN_LENGTH && hasValue(token)
}

/** A shorter value occurs by chance, so it must be the whole text. */
const MIN_LENGTH = 5

/** Finds a value as the whole text, and also within a text, such as that of a filter. */
export function hasText(value: string): HasValue {
  if (value.length < MIN_LENGTH) return (text) => text === value
  // A filter has it as JSON.
  const written = JSON.stringify(value).slice(1, -1)
  return (text) => text.includes(value) || text.includes(written)
}
