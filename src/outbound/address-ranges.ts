import { BlockList, isIP } from 'node:net'
import { addRange, holds } from './address-range.ts'

/** Tells whether an address lies in one of these CIDR ranges; text that is no address lies in none. */
export function createRangeCheck(cidrs: readonly string[]): (address: string) => boolean {
  const ranges = new BlockList()
  for (const cidr of cidrs) addRange(ranges, cidr)
  return (address) => isIP(address) !== 0 && holds(ranges, address)
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}
