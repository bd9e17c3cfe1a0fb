/**
 * The bounds of the latency buckets. The first bucket is below 1 ms, the last is 20 s and above. Never change the
 * bounds: stored counts depend on them.
 */
export const LATENCY_BOUNDS_MS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000,
  5_000, 7_000, 10_000, 15_000, 20_000,
] as const

/** The bucket indexes. */
const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => i)

/** SQL: the element-wise sum of the count arrays of a group of rows. */
export function sumLatencies(column: string): string {
  return `array[${BUCKETS.map((i) => `sum(${column}[${i + 1}])`).join(', ')}]::float8[]`
}

/**
 * The duration below which `fraction` of the attempts stayed, interpolated within a bucket, to a tenth of a millisecond.
 * Null without attempts.
 */
export function latencyPercentile(counts: readonly number[], fraction: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (count > 0 && before + count >= total * fraction) {
      const low = LATENCY_BOUNDS_MS[i - 1] ?? 0
      const high = LATENCY_BOUNDS_MS[i] ?? low
      const ms = low + ((high - low) * (total * fraction - before)) / count
      return Math.round(ms * 10) / 10
    }
    before += count
  }
  return LATENCY_BOUNDS_MS.at(-1) as number
}
