import type { BucketUnit, HealthWindow } from '../../generated/graphql.ts'

/** The time range of a chart: a number of whole buckets, the last of which is still running. */
export interface ChartRange {
  readonly value: string
  readonly label: string
  /** Names the range before, in comparisons: "the hour before". */
  readonly before: string
  readonly window: HealthWindow
  readonly unit: BucketUnit
  readonly buckets: number
}

const HOUR_MS = 3_600_000
const UNIT_MS: Record<BucketUnit, number> = {
  MINUTE: 60_000,
  HOUR: HOUR_MS,
  DAY: 24 * HOUR_MS,
}

export const DEFAULT_RANGE: ChartRange = {
  value: '24h',
  label: '24 hours',
  before: 'the 24 hours before',
  window: 'DAY',
  unit: 'HOUR',
  buckets: 24,
}

export const RANGES: readonly ChartRange[] = [
  {
    value: '1h',
    label: '1 hour',
    before: 'the hour before',
    window: 'HOUR',
    unit: 'MINUTE',
    buckets: 60,
  },
  DEFAULT_RANGE,
  {
    value: '7d',
    label: '7 days',
    before: 'the 7 days before',
    window: 'WEEK',
    unit: 'HOUR',
    buckets: 7 * 24,
  },
  {
    value: '30d',
    label: '30 days',
    before: 'the 30 days before',
    window: 'MONTH',
    unit: 'DAY',
    buckets: 30,
  },
]

export const rangeOf = (value: string | null): ChartRange =>
  RANGES.find((range) => range.value === value) ?? DEFAULT_RANGE

/**
 * The bounds of the last `ranges` ranges up to now. They are aligned to buckets, so they change only when a bucket
 * begins.
 */
export function boundsOf({ unit, buckets }: ChartRange, nowMs: number, ranges = 1) {
  const size = UNIT_MS[unit]
  const untilMs = Math.floor(nowMs / size) * size + size
  return {
    since: new Date(untilMs - ranges * buckets * size).toISOString(),
    until: new Date(untilMs).toISOString(),
    bucket: unit,
  }
}
