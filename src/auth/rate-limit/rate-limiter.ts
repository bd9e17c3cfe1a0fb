import { LruMap } from '../../lib/lru-map.ts'

/** An API key has a separate rate limit for each budget. */
export type Budget = 'requests' | 'events' | 'deliveries'

/** The state of a budget after a call. */
export interface RateLimitResult {
  readonly budget: Budget
  readonly granted: boolean
  /** The amount that an idle key may use at once. */
  readonly quota: number
  readonly remaining: number
  /** Until the whole quota is available. */
  readonly resetSeconds: number
  /** Until an amount of 1 is available; at least 1. */
  readonly retryAfterSeconds: number
}

/** A leaky bucket: usage fills it, and it drains at a steady rate. */
export interface Bucket {
  level: number
  /** When the level was last updated. */
  atMs: number
}

/** The burst that is allowed, in seconds of the rate. */
export const WINDOW_SECONDS = 10

/** Budgets of keys. If there are more, the least recently used ones are evicted. */
const MAX_BUCKETS = 30_000

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * Limits the rate of API keys, in this process only: consumes an amount of a key's budget of `perSecond` if 1 of it is left. A
 * large amount may exceed the budget, so that small ones cannot starve it; later calls wait for the excess. With `isLate`, the
 * amount was known only afterwards, and always counts. `now` is a monotonic clock in milliseconds.
 */
export function createRateLimiter(now = () => performance.now()) {
  const buckets = new LruMap<string, Bucket>({ maxEntries: MAX_BUCKETS })
  return (
    keyId: string,
    budget: Budget,
    amount: number,
    perSecond: number,
    isLate = false,
  ): RateLimitResult => {
    const name = `${budget} ${keyId}`
    const bucket = buckets.get(name) ?? { level: 0, atMs: now() }
    buckets.set(name, bucket)
    drain(bucket, perSecond, now())
    const quota = perSecond * WINDOW_SECONDS
    const granted = isLate || bucket.level <= quota - 1
    if (granted) bucket.level += amount
    return {
      budget,
      granted,
      quota,
      remaining: Math.max(0, Math.floor(quota - bucket.level)),
      resetSeconds: Math.ceil(bucket.level / perSecond),
      retryAfterSeconds: Math.max(1, Math.ceil((bucket.level - quota + 1) / perSecond)),
    }
  }
}

export function drain(bucket: Bucket, perSecond: number, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1_000
  bucket.level = Math.max(0, bucket.level - elapsedSeconds * perSecond)
  bucket.atMs = nowMs
}
