import { type Bucket, drain } from './bucket.ts'

/** How often an address may present keys that are none, before it is told to wait: at once, and per minute. */
export const MAX_FAILURES = 20
const PER_SECOND = MAX_FAILURES / 60

/** Addresses that are remembered; of more, those that have failed for longest are forgotten. */
const MAX_ADDRESSES = 10_000

/** Counts, in this process, failures by where they come from. */
export interface FailedAttempts {
  /** Counts one; answers in how many seconds the next may come, and 0 while there were few. */
  add(address: string): number
}

/** Only failures are counted, so that whoever shares an address with a good caller cannot lock them out. */
export function createFailedAttempts(now = () => performance.now()): FailedAttempts {
  const buckets = new Map<string, Bucket>()
  return {
    add(address) {
      const network = networkOf(address)
      const bucket = buckets.get(network) ?? { level: 0, atMs: now() }
      buckets.delete(network)
      buckets.set(network, bucket)
      if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value as string)
      drain(bucket, PER_SECOND, now())
      // One that goes on and on waits no longer than one that stopped.
      bucket.level = Math.min(bucket.level + 1, MAX_FAILURES + 1)
      return Math.ceil(Math.max(0, bucket.level - MAX_FAILURES) / PER_SECOND)
    },
  }
}

/** A caller has one IPv4 address, or at least 2^64 of IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const groups = head.split(':')
  if (tail === undefined) return groups.slice(0, 4).join(':')
  return [...groups.filter(Boolean), '0', '0', '0', '0'].slice(0, 4).join(':')
}
