import { type BlockList, isIP } from 'node:net'

/**
 * Adds a CIDR range, and throws on what is none. An IPv4 range is added in its IPv4-mapped form too, since a socket
 * connects both to the same place, and with `nat64` as it appears behind a translator (RFC 6052).
 */
export function addRange(list: BlockList, cidr: string, { nat64 = false } = {}): void {
  const range = parseRange(cidr)
  if (range === null) {
    throw new Error(`${JSON.stringify(cidr)} is not a CIDR range such as 10.0.0.0/8 or fd00::/8.`)
  }
  const { network, bits, family } = range
  list.addSubnet(network, bits, family)
  if (family === 'ipv6') return
  list.addSubnet(IPV4_MAPPED + network, 96 + bits, 'ipv6')
  if (nat64) list.addSubnet(NAT64 + network, 96 + bits, 'ipv6')
}

/** Whether the text is a CIDR range of IPv4 or IPv6, without a zone id. */
export function isRange(text: string): boolean {
  return parseRange(text) !== null
}

/** Whether a list has an address, which must be one in plain form. */
export function holds(list: BlockList, ip: string): boolean {
  return list.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6')
}

const IPV4_MAPPED = '::ffff:'
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
