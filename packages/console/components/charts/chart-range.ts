import type { BucketUnit } from '../../generated/graphql.ts'
import { key } from '../../language/t.ts'

/** The time range of a chart: a number of whole buckets up to now. */
export interface ChartRange {
  readonly value: string
  readonly label: string
  readonly unit: BucketUnit
  readonly buckets: number
  /** How many buckets a bar joins. */
  readonly fold: number
}

const MINUTE_MS = 60_000
export const UNIT_MS: Record<BucketUnit, number> = {
  MINUTE: MINUTE_MS,
  HOUR: 60 * MINUTE_MS,
  DAY: 24 * 60 * MINUTE_MS,
}

export const DEFAULT_RANGE: ChartRange = {
  value: '24h',
  label: key('24 h'),
  unit: 'HOUR',
  buckets: 24,
  fold: 1,
}

export const RANGES: readonly ChartRange[] = [
  { value: '1h', label: key('1 h'), unit: 'MINUTE', buckets: 60, fold: 1 },
  DEFAULT_RANGE,
  { value: '7d', label: key('7 d'), unit: 'HOUR', buckets: 7 * 24, fold: 4 },
  { value: '30d', label: key('30 d'), unit: 'DAY', buckets: 30, fold: 1 },
]

export const rangeOf = (value: string | null): ChartRange =>
  RANGES.find((range) => range.value === value) ?? DEFAULT_RANGE

/** The bounds of a range. They are aligned to buckets, so they change only when a bucket begins. */
export function boundsOf({ unit, buckets }: ChartRange, nowMs: number) {
  const size = UNIT_MS[unit]
  const endMs = Math.floor(nowMs / size) * size + size
  return {
    since: new Date(endMs - buckets * size).toISOString(),
    until: new Date(endMs).toISOString(),
    bucket: unit,
  }
}
