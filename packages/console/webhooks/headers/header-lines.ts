import type { HeaderInput } from '../../generated/graphql.ts'

/** In place of a stored value. Its length tells nothing about the value, and no header can have it. */
export const MASK = '••••••••'

/** `X-Api-Key: ••••••••`, one header a line. */
export const printHeaders = (names: readonly string[]) =>
  names.map((name) => `${name}: ${MASK}`).join('\n')

/** The headers of a text with one `Name: value` a line; those that are masked keep their value. Null: other text. */
export function parseHeaders(text: string): HeaderInput[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (!lines.every((line) => line.indexOf(':') > 0)) return null
  return lines.map((line) => {
    const end = line.indexOf(':')
    const name = line.slice(0, end).trim()
    const value = line.slice(end + 1).trim()
    return value === MASK ? { name } : { name, value }
  })
}
