import { LruMap } from '../../lib/lru-map.ts'
import { type Bucket, drain, fill, quotaOf } from './bucket.ts'

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
