import { type Bucket, drain } from './bucket.ts'

/** Addresses that are remembered; of more, those that were counted longest ago are forgotten. */
const MAX_ADDRESSES = 10_000

/** Counts, in this process, something that happens by the addresses it comes from. */
export interface AddressBudget {
  /** Counts one; answers in how many seconds the next may come, and 0 while there were few. */
  add(address: string): number
}

/** Each address may have `most` at once, and as many a minute. */
export function createAddressBudget(most: number, now = () => performance.now()): AddressBudget {
  const perSecond = most / 60
  const buckets = new Map<string, Bucket>()
  return {
    add(address) {
      const network = networkOf(address)
      const bucket = buckets.get(network) ?? { level: 0, atMs: now() }
      buckets.delete(network)
      buckets.set(network, bucket)
      if (buckets.size > MAX_ADDRESSES) buckets.delete(buckets.keys().next().value as string)
      drain(bucket, perSecond, now())
      // One that goes on and on waits no longer than one that stopped.
      bucket.level = Math.min(bucket.level + 1, most + 1)
      return Math.ceil(Math.max(0, bucket.level - most) / perSecond)
    },
  }
}

/** A client has one IPv4 address, or at least 2^64 of IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = (address.split('%')[0] as string).split('::')
  const groups = head.split(':')
  if (tail === undefined) return groups.slice(0, 4).join(':')
  return [...groups.filter(Boolean), '0', '0', '0', '0'].slice(0, 4).join(':')
}
