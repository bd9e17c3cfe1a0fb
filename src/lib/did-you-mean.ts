import leven from 'leven'

const MAX_LENGTH = 64
const MAX_KNOWN = 200

/** ` Did you mean "x"?` for the known name nearest to a misspelled one, or an empty string if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  // The time that comparing takes grows with both lengths, and nothing of ours is called that.
  if (given.length > MAX_LENGTH || known.length > MAX_KNOWN) return ''
  const nearest = known
    .map((name) => ({ name, distance: leven(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  const tolerated = Math.max(1, Math.floor(given.length * 0.4))
  return nearest && nearest.distance <= tolerated
    ? ` Did you mean ${JSON.stringify(nearest.name)}?`
    : ''
}

/** What somebody reads of one answer. */
const MAX_HINTS = 10

/** The same for the first few of many names; `otherwise` is said where none is near. */
export function fewHints(known: readonly string[], otherwise: string): (given: string) => string {
  let left = MAX_HINTS
  return (given) => (left-- > 0 ? didYouMean(given, known) || otherwise : '')
}
