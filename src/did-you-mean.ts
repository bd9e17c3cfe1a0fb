import leven from 'leven'

/** ` Did you mean "x"?` for the known name nearest to a misspelled one, or an empty string if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: leven(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  const tolerated = Math.max(1, Math.floor(given.length * 0.4))
  return nearest && nearest.distance <= tolerated
    ? ` Did you mean ${JSON.stringify(nearest.name)}?`
    : ''
}
