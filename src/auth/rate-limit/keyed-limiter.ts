import { networkOf } from '../../lib/address-network.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { type Bucket, drain } from './rate-limiter.ts'

/** If there are more keys, the least recently counted ones are evicted. */
const MAX_KEYS = 10_000

/** Limits requests by a key, in this process only. */
export interface KeyedLimiter {
  /** Counts a request. Returns the seconds until the next one is allowed; 0 within the limit. */
  count(key: string): number
}

/** `perMinute` is the limit of each key. An idle key may use all of it at once. */
export function createKeyedLimiter(perMinute: number, now = () => performance.now()): KeyedLimiter {
  const perSecond = perMinute / 60
  const buckets = new LruMap<string, Bucket>({ maxEntries: MAX_KEYS })
  return {
    count(key) {
      const bucket = buckets.get(key) ?? { level: 0, atMs: now() }
      buckets.set(key, bucket)
      drain(bucket, perSecond, now())
      // Capped, so that requests over the limit do not extend the wait.
      bucket.level = Math.min(bucket.level + 1, perMinute + 1)
      return Math.ceil(Math.max(0, bucket.level - perMinute) / perSecond)
    },
  }
}

/** Limits requests by client address, as `createKeyedLimiter` does. */
export function createAddressLimiter(perMinute: number, now?: () => number): KeyedLimiter {
  const limiter = createKeyedLimiter(perMinute, now)
  return { count: (address) => limiter.count(networkOf(address)) }
}

/** Failed authentications that one address may make in a burst, and per minute. */
export const MAX_AUTH_FAILURES = 20

/** Counts only failures, so that one caller cannot lock out others who share its address. */
export function createAuthFailureLimiter(now?: () => number): KeyedLimiter {
  return createAddressLimiter(MAX_AUTH_FAILURES, now)
}
