import type { AttemptBucket } from './status-classes.ts'

type Bucket = AttemptBucket

const NAMES = [
  'attempts',
  'succeeded',
  'failed',
  'failed3xx',
  'failed4xx',
  'failed5xx',
  'failedWithoutResponse',
] as const

/** Sums over several buckets. */
export type Totals = Readonly<Record<(typeof NAMES)[number], number>>

export function totalsOf(buckets: readonly Bucket[]): Totals {
  const sum = (name: (typeof NAMES)[number]) =>
    buckets.reduce((total, bucket) => total + bucket[name], 0)
  return Object.fromEntries(NAMES.map((name) => [name, sum(name)])) as unknown as Totals
}

/** Null without attempts. */
export const successRateOf = ({ attempts, succeeded }: Totals) =>
  attempts === 0 ? null : succeeded / attempts

/**
 * Estimates a latency percentile across buckets, in milliseconds; null without attempts. Each bucket gives three
 * points of its distribution (p50, p95, p99), and the curve between the points is taken to be straight.
 */
export function latencyOf(buckets: readonly Bucket[], share: number): number | null {
  const curves = buckets.flatMap(({ attempts, latency }) =>
    latency && attempts > 0 ? [{ attempts, latency }] : [],
  )
  if (curves.length === 0) return null
  const total = curves.reduce((sum, { attempts }) => sum + attempts, 0)
  const shareBelow = (ms: number) =>
    curves.reduce((sum, { attempts, latency }) => sum + attempts * below(latency, ms), 0) / total
  let [low, high] = [0, Math.max(...curves.map(({ latency }) => latency.p99Ms)) * TAIL]
  // After 40 halvings of at most half a minute the error is below a nanosecond.
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (shareBelow(middle) < share) low = middle
    else high = middle
  }
  return high
}

/** The slowest attempt is assumed to take this many times the p99. */
const TAIL = 1.1

function below({ p50Ms, p95Ms, p99Ms }: NonNullable<Bucket['latency']>, ms: number): number {
  const points = [
    [0, 0],
    [p50Ms, 0.5],
    [p95Ms, 0.95],
    [p99Ms, 0.99],
    [p99Ms * TAIL, 1],
  ] as const
  for (const [index, [at, share]] of points.entries()) {
    if (ms > at) continue
    const [from, shareFrom] = points[index - 1] ?? [0, 0]
    return at === from ? share : shareFrom + ((share - shareFrom) * (ms - from)) / (at - from)
  }
  return 1
}
