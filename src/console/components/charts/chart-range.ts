import type { BucketUnit } from '../../generated/graphql.ts'
import { key } from '../../language/t.ts'

/** The time range of a chart: a number of whole buckets. */
export interface ChartRange {
  readonly value: string
  readonly label: string
  /** Names the range before, in comparisons: "the hour before". */
  readonly before: string
  readonly unit: BucketUnit
  readonly buckets: number
  /** When the range ends. Without it, the range ends with the bucket that is still running. */
  readonly untilMs?: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const UNIT_MS: Record<BucketUnit, number> = {
  MINUTE: MINUTE_MS,
  HOUR: HOUR_MS,
  DAY: 24 * HOUR_MS,
}

export const DEFAULT_RANGE: ChartRange = {
  value: '24h',
  label: key('24 h'),
  before: 'the 24 hours before',
  unit: 'HOUR',
  buckets: 24,
}

export const RANGES: readonly ChartRange[] = [
  { value: '1h', label: key('1 h'), before: 'the hour before', unit: 'MINUTE', buckets: 60 },
  DEFAULT_RANGE,
  { value: '7d', label: key('7 d'), before: 'the 7 days before', unit: 'HOUR', buckets: 7 * 24 },
  { value: '30d', label: key('30 d'), before: 'the 30 days before', unit: 'DAY', buckets: 30 },
]

export const CUSTOM = 'custom'

/** A range of its own if both times are valid, in this order; otherwise one of `RANGES`. */
export function rangeOf(
  value: string | null,
  from: string | null = null,
  to: string | null = null,
  nowMs = Date.now(),
): ChartRange {
  const [sinceMs, untilMs] = [Date.parse(from ?? ''), Date.parse(to ?? '')]
  if (sinceMs < untilMs) return customRange(sinceMs, untilMs, nowMs)
  return RANGES.find((range) => range.value === value) ?? DEFAULT_RANGE
}

/** The server keeps minutes for 48 hours; the range before is read too. */
const MINUTES_READ_MS = 47 * HOUR_MS
const MOST_MINUTES_MS = 12 * HOUR_MS
const MOST_HOURS_MS = 30 * 24 * HOUR_MS

/** The finest buckets that the server has for the range. */
function customRange(sinceMs: number, untilMs: number, nowMs: number): ChartRange {
  const lengthMs = untilMs - sinceMs
  const hasMinutes = lengthMs <= MOST_MINUTES_MS && nowMs - (sinceMs - lengthMs) < MINUTES_READ_MS
  const unit = hasMinutes ? 'MINUTE' : lengthMs <= MOST_HOURS_MS ? 'HOUR' : 'DAY'
  const size = UNIT_MS[unit]
  const endMs = Math.ceil(untilMs / size) * size
  const buckets = Math.round((endMs - Math.floor(sinceMs / size) * size) / size)
  return {
    value: CUSTOM,
    label: 'Custom',
    before: 'the same time before',
    unit,
    // Twice as many at most, which the server allows.
    buckets: Math.min(buckets, 750),
    untilMs: endMs,
  }
}

/**
 * The bounds of the last `ranges` ranges up to now, or up to the end of a range of its own. They are aligned to
 * buckets, so they change only when a bucket begins.
 */
export function boundsOf({ unit, buckets, untilMs }: ChartRange, nowMs: number, ranges = 1) {
  const size = UNIT_MS[unit]
  const endMs = untilMs ?? Math.floor(nowMs / size) * size + size
  return {
    since: new Date(endMs - ranges * buckets * size).toISOString(),
    until: new Date(endMs).toISOString(),
    bucket: unit,
  }
}
