import leven from 'leven'

const MAX_LENGTH = 64
const MAX_KNOWN = 200

/** ` Did you mean "x"?` for the known name that is most similar to a misspelled one, or '' if none is similar. */
export function didYouMean(given: string, known: readonly string[]): string {
  // The comparison takes time proportional to both lengths, and no known name is this long.
  if (given.length > MAX_LENGTH || known.length > MAX_KNOWN) return ''
  const nearest = known
    .map((name) => ({ name, distance: leven(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  const maxDistance = Math.max(1, Math.floor(given.length * 0.4))
  return nearest && nearest.distance <= maxDistance
    ? ` Did you mean ${JSON.stringify(nearest.name)}?`
    : ''
}

/** Limits the size and the cost of one response. */
const MAX_HINTS = 10

/** Returns a `didYouMean` that gives hints for the first 10 names only; `fallback` if no known name is similar. */
export function fewHints(known: readonly string[], fallback: string): (given: string) => string {
  let left = MAX_HINTS
  return (given) => (left-- > 0 ? didYouMean(given, known) || fallback : '')
}
