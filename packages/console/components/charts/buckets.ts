import type { StatisticsBucketFragment } from '../../generated/graphql.ts'
import { type ChartRange, UNIT_MS } from './chart-range.ts'

export type AttemptBucket = StatisticsBucketFragment

const COUNTS = [
  ...(['attempts', 'succeeded', 'failed'] as const),
  ...(['failed3xx', 'failed4xx', 'failed5xx', 'failedWithoutResponse'] as const),
] as const

/** Sums over several buckets. */
export type Totals = Readonly<Record<(typeof COUNTS)[number], number>>

/** A bar of a chart: one or several buckets of the server. */
export interface Bar extends Totals {
  readonly start: string
  /** The end, exclusive. */
  readonly end: string
}

export function totalsOf(buckets: readonly AttemptBucket[]): Totals {
  const totals = { attempts: 0, succeeded: 0, failed: 0 }
  const byClass = { failed3xx: 0, failed4xx: 0, failed5xx: 0, failedWithoutResponse: 0 }
  const sums = { ...totals, ...byClass }
  for (const bucket of buckets) for (const name of COUNTS) sums[name] += bucket[name]
  return sums
}

/** Joins as many buckets into each bar as the range says. Bars begin at round times. */
export function barsOf(buckets: readonly AttemptBucket[], { unit, fold }: ChartRange): Bar[] {
  const sizeMs = fold * UNIT_MS[unit]
  const groups = Map.groupBy(buckets, ({ start }) => Math.floor(Date.parse(start) / sizeMs))
  return [...groups].map(([index, group]) => ({
    ...totalsOf(group),
    start: group[0]?.start ?? '',
    end: new Date((index + 1) * sizeMs).toISOString(),
  }))
}

/** The least of 1, 2 or 5 times a power of ten that is not below a count. */
export function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= count) ?? count
}
