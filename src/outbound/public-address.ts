import { BlockList, isIP } from 'node:net'

/**
 * Whether `ip` is globally reachable by the IANA special-purpose registries for IPv4 and IPv6
 * (https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry).
 * An IPv4 address inside an IPv4-mapped or NAT64 address is judged as itself; every other embedding, all IPv6 outside
 * 2000::/3, zone ids and anything that is not an address are not public.
 */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%')) return false
  switch (isIP(ip)) {
    case 4:
      return !notPublic.check(ip, 'ipv4')
    case 6:
      return reachableIpv6.check(ip, 'ipv6') && !notPublic.check(ip, 'ipv6')
    default:
      return false
  }
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
    permits: (ip) => {
      if (isPublicAddress(ip)) return true
      const family = ip.includes('%') ? 0 : isIP(ip)
      return family !== 0 && allowed.check(ip, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

const IPV4_MAPPED = '::ffff:'
const NAT64 = '64:ff9b::'

/** Within 192.0.0.0/24 the registry has a few reachable anycast services; none receives webhooks. */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private use
  '100.64.0.0/10', // shared, carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link local, cloud metadata
  '172.16.0.0/12', // private use
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay anycast, deprecated
  '192.168.0.0/16', // private use
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
]

/** Everything outside these is unspecified, loopback, discard-only, SRv6, unique local, link local, multicast or unassigned. */
const REACHABLE_IPV6 = ['2000::/3', `${NAT64}/96`, `${IPV4_MAPPED}0:0/96`]

/** Within 2001::/23 the registry has a few reachable anycast services and identifiers; none receives webhooks. */
const NOT_PUBLIC_IPV6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, ORCHID …
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]

const notPublic = new BlockList()
for (const cidr of NOT_PUBLIC_IPV4) addRange(notPublic, cidr)
for (const cidr of NOT_PUBLIC_IPV4) addEmbeddedRange(notPublic, NAT64, cidr)
for (const cidr of NOT_PUBLIC_IPV6) addRange(notPublic, cidr)

const reachableIpv6 = new BlockList()
for (const cidr of REACHABLE_IPV6) addRange(reachableIpv6, cidr)

/** An IPv4 range is added in its IPv4-mapped form too: a socket connects both to the same place. */
function addRange(list: BlockList, cidr: string): void {
  const [network, bits] = parseCidr(cidr)
  list.addSubnet(network, bits, isIP(network) === 4 ? 'ipv4' : 'ipv6')
  if (isIP(network) === 4) addEmbeddedRange(list, IPV4_MAPPED, cidr)
}

function addEmbeddedRange(list: BlockList, prefix: string, ipv4Cidr: string): void {
  const [network, bits] = parseCidr(ipv4Cidr)
  list.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6')
}

function parseCidr(cidr: string): [network: string, bits: number] {
  const [, network = '', bits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(cidr) ?? []
  const family = isIP(network)
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) {
    throw new Error(`${JSON.stringify(cidr)} is not a CIDR range such as 10.0.0.0/8 or fd00::/8.`)
  }
  return [network, Number(bits)]
}
