/** The least of 1, 2, 2.5 or 5 times a power of ten by which `parts` steps, of whole numbers, reach `largest`. */
export function axisStep(largest: number, parts: number): number {
  const least = Math.max(largest / parts, 1)
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= least) ?? 10
  return power === 1 ? Math.ceil(factor) : factor * power
}

/** Which of `count` places get a label, where each takes so many pixels of the width: evenly spread, from the first on. */
export function labeledPlaces(count: number, widthPx: number, labelPx: number): Set<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(widthPx / labelPx))))
  return new Set(Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every))
}
