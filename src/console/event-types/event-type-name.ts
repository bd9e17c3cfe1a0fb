const MAX_LENGTH = 128

/** What is wrong with the name of an event type as it is typed, or null. An empty one is only not there yet. */
export function eventTypeNameProblem(name: string): string | null {
  if (name === '') return null
  const stray = name.match(/[^a-zA-Z0-9_.-]/)
  if (stray?.[0] === ' ') return 'No spaces, please: join words with _ or a dot.'
  if (stray) return `${JSON.stringify(stray[0])} cannot be part of a name.`
  if (name.startsWith('.') || name.includes('..')) return 'There must be a word before each dot.'
  if (name.length > MAX_LENGTH) {
    return `${name.length} characters; at most ${MAX_LENGTH} are possible.`
  }
  // While somebody types, a word may still follow.
  return null
}

/** Whether it can be sent. */
export function isEventTypeName(name: string): boolean {
  return /^[a-zA-Z0-9_-]+([.][a-zA-Z0-9_-]+)*$/.test(name) && name.length <= MAX_LENGTH
}
