import { BlockList, isIP } from 'node:net'

/**
 * Adds a CIDR range; throws if `cidr` is not one. An IPv4 range includes its IPv4-mapped form, as Node's lists compare both,
 * and with `nat64` its NAT64 form (RFC 6052).
 */
export function addRange(list: BlockList, cidr: string, { nat64 = false } = {}): void {
  const range = parseRange(cidr)
  if (range === null) {
    throw new Error(`${JSON.stringify(cidr)} is not a CIDR range such as 10.0.0.0/8 or fd00::/8.`)
  }
  const { network, bits, family } = range
  list.addSubnet(network, bits, family)
  if (nat64 && family === 'ipv4') list.addSubnet(NAT64 + network, 96 + bits, 'ipv6')
}

/** Whether the text is an IPv4 or IPv6 CIDR range without a zone id. */
export function isRange(text: string): boolean {
  return parseRange(text) !== null
}

/** Whether the list contains `ip`, which must be an IP address without brackets or zone id. */
export function listContains(list: BlockList, ip: string): boolean {
  return list.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6')
}

/** Returns a function that checks whether an address is in one of the ranges. It returns `false` for other text. */
export function createRangeCheck(cidrs: readonly string[]): (address: string) => boolean {
  const ranges = new BlockList()
  for (const cidr of cidrs) addRange(ranges, cidr)
  return (address) => isIP(address) !== 0 && listContains(ranges, address)
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}

const NAT64 = '64:ff9b::'

interface Range {
  readonly network: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function parseRange(text: string): Range | null {
  const [, network = '', digits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(network)
  const bits = Number(digits)
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return null
  return { network, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}
