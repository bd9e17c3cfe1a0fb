import type { BucketUnit } from '../../generated/graphql.ts'
import { dateLocale } from '../../language/language.ts'
import { timeZone, zonedFormat } from '../../lib/time-zone.ts'
import type { Bar } from './buckets.ts'

const minutes = zonedFormat({ hour: '2-digit', minute: '2-digit' })
const date = zonedFormat({ day: 'numeric', month: 'short' })
// Daily buckets are in UTC: in the reader's zone, a day could show as the day before.
const days = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

const A_DAY_MS = 24 * 3_600_000

/** The label of a time below a chart, as short as possible. */
export function tickOf(start: string, unit: BucketUnit, bars: readonly Bar[]): string {
  if (unit === 'DAY') return days.format(new Date(start))
  const spanMs = Date.parse(bars.at(-1)?.end ?? '') - Date.parse(bars[0]?.start ?? '')
  return spanMs > A_DAY_MS ? date(start) : minutes(start)
}

/** The time of a bar in full: `20 Nov, 14:05 – 14:10`, `20 Nov (UTC)`. */
export function spanOf({ start, end }: Bar, unit: BucketUnit): string {
  if (unit === 'DAY') return `${days.format(new Date(start))} (UTC)`
  const zone = timeZone() === 'utc' ? ' UTC' : ''
  return `${date(start)}, ${minutes(start)} – ${minutes(end)}${zone}`
}
