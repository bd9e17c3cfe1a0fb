import { isIP } from 'node:net'

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
export function groupsOf(ip: string): string[] {
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
