import type { OverviewStatisticsQuery } from '../generated/graphql.ts'

type Bucket = NonNullable<OverviewStatisticsQuery['statistics']>[number]

/** What the attempts of some time came to. */
export interface Totals {
  readonly attempts: number
  readonly succeeded: number
  readonly failed: number
  readonly failed3xx: number
  readonly failed4xx: number
  readonly failed5xx: number
  readonly failedWithoutResponse: number
}

const NAMES = [
  'attempts',
  'succeeded',
  'failed',
  'failed3xx',
  'failed4xx',
  'failed5xx',
  'failedWithoutResponse',
] as const

export function totalsOf(buckets: readonly Bucket[]): Totals {
  const sum = (name: (typeof NAMES)[number]) =>
    buckets.reduce((total, bucket) => total + bucket[name], 0)
  return Object.fromEntries(NAMES.map((name) => [name, sum(name)])) as unknown as Totals
}

/** Null when there were none. */
export const successRateOf = ({ attempts, succeeded }: Totals) =>
  attempts === 0 ? null : succeeded / attempts

/**
 * How long all attempts together took: below which time a share of them lies. Each span of time tells three such times,
 * which are points on the curve of its attempts; between them the curve is taken to be straight. An estimate, as the
 * three are themselves.
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
  // 40 halvings of at most half a minute leave less than a nanosecond.
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (shareBelow(middle) < share) low = middle
    else high = middle
  }
  return high
}

/** How far the slowest one in a hundred are taken to reach, beyond the fastest of them. */
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
