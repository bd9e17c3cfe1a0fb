import type { BucketUnit } from '../../generated/graphql.ts'

const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const hours = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
})
// Daily buckets are in UTC: in the reader's zone, a day could show as the day before.
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

const TICKS: Record<BucketUnit, Intl.DateTimeFormat> = { MINUTE: minutes, HOUR: minutes, DAY: days }
const A_DAY_MS = 24 * 3_600_000

/** The label of a tick, as short as possible. */
export function tickOf(start: string, unit: BucketUnit, spanMs: number): string {
  const format = unit === 'HOUR' && spanMs > A_DAY_MS ? hours : TICKS[unit]
  return format.format(new Date(start))
}

/** A bucket's time in full: `20 Nov, 14:05`, `20 Nov, 14:00`, `20 Nov (UTC)`. */
export function spanOf(start: string, unit: BucketUnit): string {
  const at = new Date(start)
  if (unit === 'DAY') return `${days.format(at)} (UTC)`
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${minutes.format(at)}`
}
