import type { Bar } from './fold-buckets.ts'

/** A value for each bar: null where nothing was measured. */
export type Series = readonly (number | null)[]

/** The share of attempts that succeeded. */
export const successRates = (bars: readonly Bar[]): Series =>
  bars.map(({ attempts, succeeded }) => (attempts === 0 ? null : succeeded / attempts))

/** A rate over a smaller part of the bar that is still running would be chance. */
const LEAST_PART = 0.1

/** Attempts per second. */
export function rates(bars: readonly Bar[], nowMs: number): Series {
  return bars.map(({ attempts, start, end }) => {
    const [from, to] = [Date.parse(start), Date.parse(end)]
    const elapsedMs = Math.min(to, nowMs) - from
    return elapsedMs < LEAST_PART * (to - from) ? null : (1_000 * attempts) / elapsedMs
  })
}

interface Rate {
  readonly per: 'second' | 'minute' | 'hour'
  readonly seconds: number
}

const SECOND: Rate = { per: 'second', seconds: 1 }
const RATES: readonly Rate[] = [
  SECOND,
  { per: 'minute', seconds: 60 },
  { per: 'hour', seconds: 3_600 },
]

/** The shortest time in which, at its largest, the rate is one attempt or more. */
export function rateOf(series: Series): Rate {
  const largest = Math.max(0, ...series.map((value) => value ?? 0))
  if (largest === 0) return SECOND
  return RATES.find(({ seconds }) => largest * seconds >= 1) ?? (RATES.at(-1) as Rate)
}

export const perRate = (series: Series, { seconds }: Rate): Series =>
  series.map((value) => value && value * seconds)

/** Neighboring values, with their places. */
export function runsOf(values: Series): (readonly [index: number, value: number])[][] {
  const runs: [number, number][][] = []
  for (const [index, value] of values.entries()) {
    if (value === null) continue
    if (index === 0 || values[index - 1] === null) runs.push([])
    runs.at(-1)?.push([index, value])
  }
  return runs
}
