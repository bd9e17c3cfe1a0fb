import type { BucketUnit } from '../../generated/graphql.ts'
import { dateLocale } from '../../language/language.ts'
import { key } from '../../language/t.ts'
import { timeZone, zonedFormat } from '../../lib/time-zone.ts'
import { useFilters } from '../filters/use-filters.ts'

/** The time range of a chart: a number of whole buckets up to now. */
export interface ChartRange {
  readonly value: string
  readonly label: string
  readonly unit: BucketUnit
  readonly buckets: number
  /** The label of a time below the chart, as short as possible. */
  tick(start: string): string
}

const UNIT_MS: Record<BucketUnit, number> = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 }

const time = zonedFormat({ hour: '2-digit', minute: '2-digit' })
const date = zonedFormat({ day: 'numeric', month: 'short' })
// Daily buckets are in UTC: in the reader's zone, a day could show as the day before.
const days = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const day = (start: string) => days.format(new Date(start))

export const RANGES: readonly ChartRange[] = [
  { value: '1h', label: key('1 h'), unit: 'MINUTE', buckets: 60, tick: time },
  { value: '24h', label: key('24 h'), unit: 'HOUR', buckets: 24, tick: time },
  { value: '7d', label: key('7 d'), unit: 'HOUR', buckets: 7 * 24, tick: date },
  { value: '30d', label: key('30 d'), unit: 'DAY', buckets: 30, tick: day },
]

export const DEFAULT_RANGE = RANGES[1] as ChartRange

/** The time range of a page's chart, in its query parameters. */
export function useRange() {
  const { values, set } = useFilters(['range'])
  return {
    range: RANGES.find(({ value }) => value === values.range) ?? DEFAULT_RANGE,
    choose: (chosen: string) => set({ range: chosen === DEFAULT_RANGE.value ? null : chosen }),
  }
}

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

/** The end of a bucket, exclusive. */
export const endOf = (start: string, { unit }: ChartRange) =>
  new Date(Date.parse(start) + UNIT_MS[unit]).toISOString()

/** The time of a bucket in full: `20 Nov, 14:00 – 15:00`, `20 Nov (UTC)`. */
export function spanOf(start: string, range: ChartRange): string {
  if (range.unit === 'DAY') return `${day(start)} (UTC)`
  const zone = timeZone() === 'utc' ? ' UTC' : ''
  return `${date(start)}, ${time(start)} – ${time(endOf(start, range))}${zone}`
}
