/** The prefix of events about the organization itself, which no pattern includes. */
const OPERATIONAL = 'posthorn.'

/** `*`, or the first words of names and `.*`. */
export const isPattern = (subscription: string) =>
  subscription === '*' || subscription.endsWith('.*')

/** The event types of the catalogue that subscriptions mean today. */
export function includedTypes(subscriptions: readonly string[], catalogue: readonly string[]) {
  const patterns = subscriptions.filter(isPattern)
  return catalogue.filter(
    (name) =>
      subscriptions.includes(name) ||
      (!name.startsWith(OPERATIONAL) && patterns.some((one) => name.startsWith(one.slice(0, -1)))),
  )
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
