import { BlockList, isIP } from 'node:net'
import { addRange, listContains } from './address-range.ts'
import { SPECIAL_PURPOSE_BLOCKS } from './special-purpose-blocks.ts'

/**
 * Whether `ip` is globally reachable according to the IANA special-purpose registries. An unreachable block covers
 * everything inside it: the registries list some anycast services in 192.0.0.0/24 and 2001::/23 as reachable, but none
 * of them receives webhooks. An IPv4-mapped or NAT64 address is as public as the IPv4 address in it. All other
 * embeddings, IPv6 outside 2000::/3, addresses with a zone id, and text that is not an address are not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%') || isIP(ip) === 0) return false
  return (isIP(ip) === 4 || listContains(reachableIpv6, ip)) && !listContains(notReachable, ip)
}

/** Why an address is not public. Only for addresses that the reader wrote: never reveal what a host name resolves to. */
export function explainNotPublic(ip: string): string {
  const found = notReachableBlocks.find(({ list }) => listContains(list, ip))
  if (found === undefined) return 'is outside of 2000::/3, the public IPv6 addresses'
  return `belongs to ${found.block}, ${found.name} (${found.reference})`
}

/** Decides which addresses Posthorn may connect to. */
export interface AddressGuard {
  permits(ip: string): boolean
}

/** A guard that permits public addresses and the CIDR ranges in `allow`. Throws if one is not a CIDR range. */
export function createAddressGuard(allow: readonly string[]): AddressGuard {
  const allowed = new BlockList()
  for (const cidr of allow) addRange(allowed, cidr)
  return {
    permits: (ip) =>
      isPublicAddress(ip) || (!ip.includes('%') && isIP(ip) !== 0 && listContains(allowed, ip)),
  }
}

/** The IPv4 address at the end of the last two decides. */
const reachableIpv6 = new BlockList()
for (const cidr of ['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']) addRange(reachableIpv6, cidr)

const notReachableBlocks = SPECIAL_PURPOSE_BLOCKS.map((row) => {
  const list = new BlockList()
  addRange(list, row.block, { nat64: true })
  return { ...row, list }
})

const notReachable = new BlockList()
for (const { block } of notReachableBlocks) addRange(notReachable, block, { nat64: true })
