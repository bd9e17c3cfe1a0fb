/** The smallest whole step of the form 1, 2, 2.5 or 5 times a power of ten with which `parts` steps reach `largest`. */
export function axisStep(largest: number, parts: number): number {
  const least = Math.max(largest / parts, 1)
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= least) ?? 10
  return power === 1 ? Math.ceil(factor) : factor * power
}

/** The indices, out of `count`, that get a label: evenly spaced from the first, as many as fit the width. */
export function labeledIndices(count: number, widthPx: number, labelPx: number): Set<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(widthPx / labelPx))))
  return new Set(Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every))
}
