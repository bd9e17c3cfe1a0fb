/** Milliseconds of a monotonic clock that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}

/** The smallest value that is at least as large as a share of the values, such as 0.95; `NaN` if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
