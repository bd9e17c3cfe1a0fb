import { LruMap } from '../../lib/lru-map.ts'

/** An API key has a separate rate limit for each budget. */
export type Budget = 'requests' | 'events' | 'deliveries'

/** The state of a budget after a use. */
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

/** Limits the rate of API keys, in this process only. */
export interface RateLimiter {
  /** Consumes an amount of a key's budget of `perSecond`. */
  consume(keyId: string, budget: Budget, amount: number, perSecond: number): RateLimitResult
  /** Adds an amount that was known only afterwards, also if the budget is exhausted. Later calls wait for it. */
  charge(keyId: string, budget: Budget, amount: number, perSecond: number): RateLimitResult
}

/** Budgets of keys. If there are more, the least recently used ones are evicted. */
const MAX_BUCKETS = 30_000

/** `now` is a monotonic clock in milliseconds. */
export function createRateLimiter(now = () => performance.now()): RateLimiter {
  const buckets = new LruMap<string, Bucket>({ maxEntries: MAX_BUCKETS })

  function bucketOf(keyId: string, budget: Budget): Bucket {
    const name = `${budget} ${keyId}`
    const bucket = buckets.get(name) ?? { level: 0, atMs: now() }
    buckets.set(name, bucket)
    return bucket
  }

  return {
    consume(keyId, budget, amount, perSecond) {
      const bucket = bucketOf(keyId, budget)
      const granted = fill(bucket, perSecond, amount, now())
      return resultOf(budget, bucket, perSecond, granted)
    },
    charge(keyId, budget, amount, perSecond) {
      const bucket = bucketOf(keyId, budget)
      drain(bucket, perSecond, now())
      bucket.level += amount
      return resultOf(budget, bucket, perSecond, true)
    },
  }
}

function resultOf(
  budget: Budget,
  { level }: Bucket,
  perSecond: number,
  granted: boolean,
): RateLimitResult {
  const quota = quotaOf(perSecond)
  return {
    budget,
    granted,
    quota,
    remaining: Math.max(0, Math.floor(quota - level)),
    resetSeconds: Math.ceil(level / perSecond),
    retryAfterSeconds: Math.max(1, Math.ceil((level - quota + 1) / perSecond)),
  }
}

/** A leaky bucket: usage fills it, and it drains at a steady rate. A full bucket rejects usage. */
export interface Bucket {
  level: number
  /** When the level was last updated. */
  atMs: number
}

/** The burst that is allowed, in seconds of the rate. */
export const WINDOW_SECONDS = 10

/** The capacity of a bucket. */
export function quotaOf(perSecond: number): number {
  return perSecond * WINDOW_SECONDS
}

export function drain(bucket: Bucket, perSecond: number, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1_000
  bucket.level = Math.max(0, bucket.level - elapsedSeconds * perSecond)
  bucket.atMs = nowMs
}

/**
 * Adds an amount if the bucket has capacity for 1, and returns whether it had. A large amount may overfill the bucket, so
 * that small ones cannot starve it; later calls wait for the excess to drain.
 */
export function fill(bucket: Bucket, perSecond: number, amount: number, nowMs: number): boolean {
  drain(bucket, perSecond, nowMs)
  if (bucket.level > quotaOf(perSecond) - 1) return false
  bucket.level += amount
  return true
}
