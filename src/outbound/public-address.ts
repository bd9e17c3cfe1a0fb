import { BlockList, isIP } from 'node:net'
import { addRange, holds } from './address-range.ts'
import {
  IPV4_SPECIAL_PURPOSE,
  IPV6_SPECIAL_PURPOSE,
  OTHER_SPECIAL_PURPOSE,
} from './special-purpose-blocks.ts'

/**
 * Whether `ip` is globally reachable by the IANA special-purpose registries. A block that is not says so for all within
 * it: the anycast services inside 192.0.0.0/24 and 2001::/23 are reachable by the registries, but none receives webhooks.
 * An IPv4 address inside an IPv4-mapped or NAT64 address is judged as itself; every other embedding, all IPv6 outside
 * 2000::/3, zone ids and anything that is not an address are not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%') || isIP(ip) === 0) return false
  return (isIP(ip) === 4 || holds(reachableIpv6, ip)) && !holds(notReachable, ip)
}

/** Why an address is not public, for whoever wrote it: that it is, and not where a name of theirs leads. */
export function explainNotPublic(ip: string): string {
  const found = notReachableBlocks.findLast(({ list }) => holds(list, ip))
  if (found === undefined) return 'is outside of 2000::/3, the IPv6 addresses of the internet'
  return `belongs to ${found.block}, ${found.name} (${found.reference})`
}

/** Says which addresses Posthorn may connect to. */
export interface AddressGuard {
  permits(ip: string): boolean
}

/** A guard that permits public addresses and the CIDR ranges in `allow`. Throws on what is not a CIDR range. */
export function createAddressGuard(allow: readonly string[]): AddressGuard {
  const allowed = new BlockList()
  for (const cidr of allow) addRange(allowed, cidr)
  return {
    permits: (ip) =>
      isPublicAddress(ip) || (!ip.includes('%') && isIP(ip) !== 0 && holds(allowed, ip)),
  }
}

/** Of these the IPv4 address at the end is judged. */
const IPV4_INSIDE = ['::ffff:0:0/96', '64:ff9b::/96']

const reachableIpv6 = new BlockList()
for (const cidr of ['2000::/3', ...IPV4_INSIDE]) addRange(reachableIpv6, cidr)

/** The narrower of two blocks comes after the wider one, as in the registries. */
const notReachableBlocks = [
  ...OTHER_SPECIAL_PURPOSE,
  ...IPV4_SPECIAL_PURPOSE,
  ...IPV6_SPECIAL_PURPOSE,
]
  .filter(({ block, globallyReachable }) => !globallyReachable && !IPV4_INSIDE.includes(block))
  .map((row) => {
    const list = new BlockList()
    addRange(list, row.block, { nat64: true })
    return { ...row, list }
  })

const notReachable = new BlockList()
for (const { block } of notReachableBlocks) addRange(notReachable, block, { nat64: true })
