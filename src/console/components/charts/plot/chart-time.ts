import type { BucketUnit } from '../../../generated/graphql.ts'
import { dateLocale } from '../../../language/language.ts'
import { timeZone, zonedFormat } from '../../../lib/time-zone.ts'

const minutes = zonedFormat({ hour: '2-digit', minute: '2-digit' })
const hours = zonedFormat({ day: 'numeric', month: 'short', hour: '2-digit' })
const date = zonedFormat({ day: 'numeric', month: 'short' })
// Daily buckets are in UTC: in the reader's zone, a day could show as the day before.
const days = new Intl.DateTimeFormat(dateLocale, {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

const A_DAY_MS = 24 * 3_600_000

/** The label of a tick, as short as possible. */
export function tickOf(start: string, unit: BucketUnit, spanMs: number): string {
  if (unit === 'DAY') return days.format(new Date(start))
  return spanMs > A_DAY_MS ? hours(start) : minutes(start)
}

/** The time of a bar in full: `20 Nov, 14:05 to 14:10`, `20 Nov (UTC)`. */
export function spanOf({ start, end }: { start: string; end: string }, unit: BucketUnit): string {
  if (unit === 'DAY') {
    const last = new Date(Date.parse(end) - 1)
    const [from, to] = [days.format(new Date(start)), days.format(last)]
    return `${from === to ? from : `${from} – ${to}`} (UTC)`
  }
  const zone = timeZone() === 'utc' ? ' UTC' : ''
  return `${date(start)}, ${minutes(start)} – ${minutes(end)}${zone}`
}
