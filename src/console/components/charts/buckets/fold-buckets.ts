import type { BucketUnit } from '../../../generated/graphql.ts'
import { UNIT_MS } from '../chart-range.ts'
import type { AttemptBucket } from './status-classes.ts'
import { latencyOf, totalsOf } from './totals.ts'

/** A bar of a chart: one or several buckets of the server. */
export interface Bar extends AttemptBucket {
  /** The end, exclusive. */
  readonly end: string
}

/** How many buckets a bar can join, so that bars begin at round times. */
const STEPS: Record<BucketUnit, readonly number[]> = {
  MINUTE: [1, 2, 5, 10, 15, 30, 60, 120],
  HOUR: [1, 2, 3, 6, 12, 24, 48],
  DAY: [1, 2, 7, 14, 28],
}

/** Joins neighboring buckets until there are at most `most` bars. */
export function foldBuckets(
  buckets: readonly AttemptBucket[],
  unit: BucketUnit,
  most: number,
): Bar[] {
  const step = STEPS[unit].find((each) => buckets.length / each <= most) ?? STEPS[unit].at(-1) ?? 1
  const sizeMs = UNIT_MS[unit]
  const groups = Map.groupBy(buckets, ({ start }) =>
    Math.floor(Date.parse(start) / (step * sizeMs)),
  )
  return [...groups.values()].map((group) => {
    const [first] = group as [AttemptBucket]
    const last = group.at(-1) ?? first
    return {
      ...(group.length === 1 ? first : joined(group, first.start)),
      end: new Date(Date.parse(last.start) + sizeMs).toISOString(),
    }
  })
}

function joined(group: readonly AttemptBucket[], start: string): AttemptBucket {
  const [p50Ms, p95Ms, p99Ms] = [0.5, 0.95, 0.99].map((share) => latencyOf(group, share))
  return {
    ...totalsOf(group),
    start,
    latency: p50Ms != null && p95Ms != null && p99Ms != null ? { p50Ms, p95Ms, p99Ms } : null,
  }
}
