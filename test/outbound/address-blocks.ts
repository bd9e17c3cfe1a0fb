import { isIP } from 'node:net'

export const words = (text: string) => text.split(/\s+/).filter(Boolean)

/**
 * The blocks of the IANA special-purpose registries, multicast and site-local, that are not reachable. The registries list
 * some blocks in 192.0.0.0/24 and 2001::/23 as reachable: they are anycast services, and none receives webhooks.
 */
export const NOT_REACHABLE = words(`
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
  192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 255.255.255.255/32
  ::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128
  2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28
  2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`)

export const REACHABLE = words('192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 2620:4f:8000::/48')

export function contains(block: string, number: bigint): boolean {
  const [network = '', bits] = block.split('/')
  const rest = BigInt(widthOf(network) - Number(bits))
  return number >> rest === toNumber(network) >> rest
}

/** The first and the last address of a block. */
export function endsOf(block: string): [first: bigint, last: bigint] {
  const [network = '', bits] = block.split('/')
  const first = toNumber(network)
  return [first, first + (1n << BigInt(widthOf(network) - Number(bits))) - 1n]
}

export function widthOf(network: string): 32 | 128 {
  return network.includes(':') ? 128 : 32
}

export function toNumber(ip: string): bigint {
  const [parts, bits] = isIP(ip) === 4 ? [ip.split('.'), 8n] : [groupsOf(ip), 16n]
  return parts.reduce((sum, part) => (sum << bits) + BigInt(bits === 8n ? part : `0x${part}`), 0n)
}

/** The eight groups of an IPv6 address. */
function groupsOf(ip: string): string[] {
  const [left = [], right = []] = ip.split('::').map((half) => half.split(':').filter(Boolean))
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

export function toText(number: bigint, width: 32 | 128): string {
  const bits = width === 32 ? 8n : 16n
  const parts = Array.from({ length: width === 32 ? 4 : 8 }, (_, i) => {
    return (number >> (BigInt(width) - bits * BigInt(i + 1))) & ((1n << bits) - 1n)
  })
  return width === 32 ? parts.join('.') : parts.map((part) => part.toString(16)).join(':')
}
