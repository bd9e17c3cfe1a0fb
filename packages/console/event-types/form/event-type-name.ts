import { formatCount } from '../../lib/format.ts'

const MAX_LENGTH = 128

/** The error of a name while it is typed, or null. An empty name is incomplete rather than wrong. */
export function eventTypeNameError(name: string): string | null {
  if (name === '') return null
  const stray = name.match(/[^a-zA-Z0-9_.-]/)
  if (stray?.[0] === ' ') return 'Spaces are not allowed. Separate words with _ or a dot.'
  if (stray) return `${JSON.stringify(stray[0])} is not allowed in a name.`
  if (name.startsWith('.') || name.includes('..')) return 'Each dot needs a word before it.'
  if (name.length > MAX_LENGTH) {
    return `${formatCount(name.length)} characters; the maximum is ${formatCount(MAX_LENGTH)}.`
  }
  // A trailing dot is fine: a word may follow.
  return null
}

/** Whether the name is complete and valid. */
export function isEventTypeName(name: string): boolean {
  return /^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$/.test(name) && name.length <= MAX_LENGTH
}
