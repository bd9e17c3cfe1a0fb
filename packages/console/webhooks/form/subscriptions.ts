/** The prefix of events about the organization itself, which no pattern includes. */
const OPERATIONAL = 'posthorn.'

/** `*`, or the first words of names and `.*`. */
export const isPattern = (subscription: string) =>
  subscription === '*' || subscription.endsWith('.*')

export function includes(pattern: string, eventType: string): boolean {
  if (eventType.startsWith(OPERATIONAL)) return false
  return pattern === '*' || eventType.startsWith(pattern.slice(0, -1))
}

/** The event types of the catalogue that patterns include today. */
export function includedBy(patterns: readonly string[], names: readonly string[]): string[] {
  return names.filter((name) => patterns.some((one) => isPattern(one) && includes(one, name)))
}

/** The event types that subscriptions mean today. */
export function includedTypes(
  subscriptions: readonly string[],
  catalogue: readonly string[],
): string[] {
  const named = subscriptions.filter((one) => !isPattern(one))
  return [...new Set([...named, ...includedBy(subscriptions, catalogue)])]
}

/** The patterns that include a type of the catalogue. */
export function possiblePatterns(catalogue: readonly string[]): string[] {
  const patterns = catalogue.flatMap((name) => {
    if (name.startsWith(OPERATIONAL)) return []
    const words = name.split('.')
    return words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('.')}.*`)
  })
  return ['*', ...new Set(patterns)]
}

const PATTERN = /^([a-zA-Z0-9_-]+\.)*\*$/

/** Whether the server takes a text as a pattern. */
export const isValidPattern = (text: string) =>
  PATTERN.test(text) && text.length <= 128 && !text.startsWith(OPERATIONAL)
