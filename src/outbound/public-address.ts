import { BlockList, isIP } from 'node:net'

/**
 * The blocks without public hosts in IPv4, and in the public part of IPv6, which is 2000::/3: those that the IANA
 * special-purpose registries do not call globally reachable, and multicast. A block covers those inside it.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export const SPECIAL_PURPOSE_BLOCKS = [
  { block: '0.0.0.0/8', name: 'This network', reference: 'RFC 791' },
  { block: '10.0.0.0/8', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '100.64.0.0/10', name: 'Shared Address Space', reference: 'RFC 6598' },
  { block: '127.0.0.0/8', name: 'Loopback', reference: 'RFC 1122' },
  { block: '169.254.0.0/16', name: 'Link Local', reference: 'RFC 3927' },
  { block: '172.16.0.0/12', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '192.0.0.0/24', name: 'IETF Protocol Assignments', reference: 'RFC 6890' },
  { block: '192.0.2.0/24', name: 'Documentation (TEST-NET-1)', reference: 'RFC 5737' },
  { block: '192.88.99.0/24', name: 'Deprecated (6to4 Relay Anycast)', reference: 'RFC 7526' },
  { block: '192.168.0.0/16', name: 'Private-Use', reference: 'RFC 1918' },
  { block: '198.18.0.0/15', name: 'Benchmarking', reference: 'RFC 2544' },
  { block: '198.51.100.0/24', name: 'Documentation (TEST-NET-2)', reference: 'RFC 5737' },
  { block: '203.0.113.0/24', name: 'Documentation (TEST-NET-3)', reference: 'RFC 5737' },
  { block: '224.0.0.0/4', name: 'Multicast', reference: 'RFC 5771' },
  { block: '240.0.0.0/4', name: 'Reserved', reference: 'RFC 1112' },
  { block: '2001::/23', name: 'IETF Protocol Assignments', reference: 'RFC 2928' },
  { block: '2001:db8::/32', name: 'Documentation', reference: 'RFC 3849' },
  { block: '2002::/16', name: '6to4', reference: 'RFC 3056' },
  { block: '3fff::/20', name: 'Documentation', reference: 'RFC 9637' },
] as const

/**
 * Whether `ip` is globally reachable according to the IANA special-purpose registries. An unreachable block covers
 * everything inside it: the registries list some anycast services in 192.0.0.0/24 and 2001::/23 as reachable, but none
 * of them receives webhooks. An IPv4-mapped or NAT64 address is as public as the IPv4 address in it. All other
 * embeddings, IPv6 outside 2000::/3, addresses with a zone id, and text that is not an address are not public.
 */
export function isPublicAddress(ip: string): boolean {
  return isReachable(ip) && blockOf(ip) === undefined
}

/** Why an address is not public. Only for addresses that the reader wrote: never reveal what a host name resolves to. */
export function explainNotPublic(ip: string): string {
  const found = blockOf(ip)
  if (found === undefined) return 'is outside of 2000::/3, the public IPv6 addresses'
  return `belongs to ${found.block}, ${found.name} (${found.reference})`
}

/** Decides which addresses Posthorn may connect to. */
export interface AddressGuard {
  permits(ip: string): boolean
}

/** A guard that permits public addresses and the CIDR ranges in `allow`. Throws if one is not a CIDR range. */
export function createAddressGuard(allow: readonly string[]): AddressGuard {
  const isAllowed = createRangeCheck(allow)
  return { permits: (ip) => isPublicAddress(ip) || isAllowed(ip) }
}

/**
 * Returns a function that checks whether an address is in one of the CIDR ranges, with IPv4-mapped addresses in those of
 * IPv4. It returns `false` for other text and for addresses with a zone id. Throws if a range is not one.
 */
export function createRangeCheck(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const range = parseRange(cidr)
    if (range === null) {
      throw new Error(`${JSON.stringify(cidr)} is not a CIDR range such as 10.0.0.0/8 or fd00::/8.`)
    }
    list.addSubnet(...range)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && !address.includes('%') && list.check(address, `ipv${version as 4 | 6}`)
  }
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}

/** Whether the text is an IPv4 or IPv6 CIDR range without a zone id. */
export function isRange(text: string): boolean {
  return parseRange(text) !== null
}

function parseRange(text: string): [network: string, bits: number, family: 'ipv4' | 'ipv6'] | null {
  const [, network = '', digits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(network)
  const bits = Number(digits)
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return null
  return [network, bits, version === 4 ? 'ipv4' : 'ipv6']
}

/** The IPv4 address at the end of the last two decides. */
const isReachable = createRangeCheck(['0.0.0.0/0', '2000::/3', '::ffff:0:0/96', '64:ff9b::/96'])

/** Each block of IPv4 with its NAT64 form (RFC 6052). */
const notReachableBlocks = SPECIAL_PURPOSE_BLOCKS.map((row) => {
  const [network, bits] = row.block.split('/')
  const nat64 = isIP(network as string) === 4 ? [`64:ff9b::${network}/${96 + Number(bits)}`] : []
  return { ...row, contains: createRangeCheck([row.block, ...nat64]) }
})

function blockOf(ip: string) {
  return notReachableBlocks.find(({ contains }) => contains(ip))
}
