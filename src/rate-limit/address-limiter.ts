import { networkOf } from '../lib/address-network.ts'
import { type Bucket, drain } from './bucket.ts'

/** If there are more addresses, the least recently counted ones are evicted. */
const MAX_ADDRESSES = 10_000

/** Limits requests by client address, in this process only. */
export interface AddressLimiter {
  /** Counts a request. Returns the seconds until the next one is allowed; 0 within the limit. */
  count(address: string): number
}

/** `perMinute` is the limit of each address. An idle address may use all of it at once. */
export function createAddressLimiter(
  perMinute: number,
  now = () => performance.now(),
): AddressLimiter {
  const perSecond = perMinute / 60
  const buckets = new Map<string, Bucket>()
  return {
    count(address) {
      const network = networkOf(address)
      const bucket = buckets.get(network) ?? { level: 0, atMs: now() }
      buckets.delete(network)
      buckets.set(network, bucket)
      if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value as string)
      drain(bucket, perSecond, now())
      // Capped, so that requests over the limit do not extend the wait.
      bucket.level = Math.min(bucket.level + 1, perMinute + 1)
      return Math.ceil(Math.max(0, bucket.level - perMinute) / perSecond)
    },
  }
}
