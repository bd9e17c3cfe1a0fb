import { percentile } from './percentile.ts'

/** How a value develops during a run. */
export interface Trend {
  /** The medians of the two halves. */
  readonly first: number
  readonly second: number
  /** The change per hour, by least squares. */
  readonly perHour: number
}

export interface Sample {
  /** Since the start of the run. */
  readonly atMs: number
  readonly value: number
}

/** Leaves out the first tenth, in which a process warms up. Needs at least four samples. */
export function trendOf(samples: readonly Sample[]): Trend {
  const kept = samples.slice(Math.ceil(samples.length / 10))
  if (kept.length < 4) throw new Error(`${samples.length} samples are too few for a trend.`)
  const middle = Math.floor(kept.length / 2)
  const medianOf = (half: readonly Sample[]) =>
    percentile(
      half.map(({ value }) => value),
      0.5,
    )
  return {
    first: medianOf(kept.slice(0, middle)),
    second: medianOf(kept.slice(middle)),
    perHour: slopeOf(kept) * 3_600_000,
  }
}

function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const meanAt = mean(({ atMs }) => atMs)
  const meanValue = mean(({ value }) => value)
  const covariance = mean(({ atMs, value }) => (atMs - meanAt) * (value - meanValue))
  return covariance / mean(({ atMs }) => (atMs - meanAt) ** 2)
}
