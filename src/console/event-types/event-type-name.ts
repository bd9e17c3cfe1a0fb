import { t } from '../strings/t.ts'

const MAX_LENGTH = 128

/** The error of a name while it is typed, or null. An empty name is incomplete rather than wrong. */
export function eventTypeNameError(name: string): string | null {
  if (name === '') return null
  const stray = name.match(/[^a-zA-Z0-9_.-]/)
  if (stray?.[0] === ' ') return t('eventTypes:nameErrors.space')
  if (stray) return t('eventTypes:nameErrors.character', { character: JSON.stringify(stray[0]) })
  if (name.startsWith('.') || name.includes('..')) return t('eventTypes:nameErrors.dot')
  if (name.length > MAX_LENGTH) {
    return t('common:tooLong', { count: name.length, max: MAX_LENGTH })
  }
  // A trailing dot is fine: a word may follow.
  return null
}

/** Whether the name is complete and valid. */
export function isEventTypeName(name: string): boolean {
  return /^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$/.test(name) && name.length <= MAX_LENGTH
}
