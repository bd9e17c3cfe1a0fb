/**
 * The ticks of an axis from 0: evenly spaced by 1, 2, 2.5 or 5 times a power of ten, in at most `parts` steps, the last
 * at or above `largest`.
 */
export function ticksOf(largest: number, whole = true, parts = 5): number[] {
  if (largest <= 0) return [0, 1]
  const least = Math.max(largest / parts, whole ? 1 : 0)
  const power = 10 ** Math.floor(Math.log10(least))
  const factors = whole && power === 1 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]
  const step = power * (factors.find((each) => each * power >= least * 0.999_999) ?? 10)
  const count = Math.max(1, Math.ceil((largest / step) * 0.999_999))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The indices, out of `count`, that get a label: evenly spaced from the first, as many as fit the width. */
export function labeledIndices(count: number, widthPx: number, labelPx: number): Set<number> {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(widthPx / labelPx))))
  return new Set(Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every))
}
