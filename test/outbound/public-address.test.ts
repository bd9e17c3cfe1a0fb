import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddressGuard, isPublicAddress } from '../../src/outbound/public-address.ts'
import {
  IPV4_SPECIAL_PURPOSE,
  IPV6_SPECIAL_PURPOSE,
  OTHER_SPECIAL_PURPOSE,
} from '../../src/outbound/special-purpose-blocks.ts'
import { contains, endsOf, toText, widthOf } from './address-blocks.ts'

const words = (text: string) => text.split(/\s+/).filter(Boolean)

/**
 * The blocks of the IANA special-purpose registries, multicast and site-local, that are not reachable. The registries list
 * some blocks in 192.0.0.0/24 and 2001::/23 as reachable: they are anycast services, and none receives webhooks.
 */
const NOT_REACHABLE = words(`
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
  192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 255.255.255.255/32
  ::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128
  2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28
  2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`)

const REACHABLE = words('192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 2620:4f:8000::/48')

/** The addresses just outside of each block, unless another block has them or they are outside of global unicast. */
const NEIGHBORS = [...NOT_REACHABLE, ...REACHABLE].flatMap((block) => {
  const width = widthOf(block)
  const [first, last] = endsOf(block)
  return [first - 1n, last + 1n]
    .filter(
      (number) => number >= 0n && (width === 32 ? number >> 32n === 0n : number >> 125n === 1n),
    )
    .filter((number) => {
      return !NOT_REACHABLE.some((other) => widthOf(other) === width && contains(other, number))
    })
    .map((number) => toText(number, width))
})

describe('an address', () => {
  test.each([
    ...NOT_REACHABLE.map((block) => [block, false] as const),
    ...REACHABLE.map((block) => [block, true] as const),
  ])('of %s is public: %s, the first one and the last one', (block, isPublic) => {
    const ends = endsOf(block).map((number) => toText(number, widthOf(block)))
    expect(ends.map(isPublicAddress)).toEqual([isPublic, isPublic])
  })

  test.each(NEIGHBORS)('%s, just outside a special block, is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true)
  })

  // literal-hosts.test.ts has the IPv6 forms of IPv4 addresses.
  test.each(
    words(`1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: 64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff
      64:ff9b::1:0:0 64:ff9b:2:: 200::1 fbff::1 fe00::1`),
  )('%s, outside of global unicast, is not public', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  test('is an IP address: other text is never public', () => {
    const nearly =
      words(`example.com fe80::1%eth0 2606:4700::1%eth0 8.8.8.8%1 8.8.8 0x8.8.8.8 010.8.8.8
      134744072 [2606:4700::1] 8.8.8.8/32`)
    for (const text of ['', ' 8.8.8.8', '8.8.8.8\n', ...nearly]) {
      expect(isPublicAddress(text), text).toBe(false)
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.domain()), (text) => {
        if (isIP(text) === 0) expect(isPublicAddress(text)).toBe(false)
      }),
    )
  })
})

test('the table contains every row of both registries once', () => {
  const others = OTHER_SPECIAL_PURPOSE.map(({ block }) => block)
  // For NAT64 and IPv4-mapped addresses the address inside decides, as other tests check.
  const inside = ['::ffff:0:0/96', '64:ff9b::/96']
  const rows = [...NOT_REACHABLE, ...REACHABLE].filter((block) => !others.includes(block))
  const table = [...IPV4_SPECIAL_PURPOSE, ...IPV6_SPECIAL_PURPOSE].map(({ block }) => block)
  expect(table.sort()).toEqual([...rows, ...inside].sort())
})

describe('an address guard', () => {
  const guard = createAddressGuard(['127.0.0.0/8', '10.1.0.0/16', '::1/128', 'fd00::/8'])

  test.each([
    ...words('8.8.8.8 127.0.0.1 127.255.255.255 ::ffff:127.0.0.1 10.1.2.3 ::1 fd12::1').map(
      (ip) => [ip, true] as const,
    ),
    ...words('10.2.0.1 169.254.169.254 64:ff9b::127.0.0.1 fc00::1 ::2 fd12::1%eth0 localhost').map(
      (ip) => [ip, false] as const,
    ),
    ['', false] as const,
  ])('permits %j if it is public or allowed: %s', (ip, isPermitted) => {
    expect(guard.permits(ip)).toBe(isPermitted)
  })

  test('permits only public addresses when nothing is allowed', () => {
    expect(['127.0.0.1', '8.8.8.8'].map(createAddressGuard([]).permits)).toEqual([false, true])
  })

  test.each(words('10.0.0.0 10.0.0.0/33 fd00::/129 x/8 10.0.0.0/ 10.0.0.0/8/8 fe80::%eth0/10'))(
    'cannot be created with %j',
    (cidr) => {
      expect(() => createAddressGuard([cidr])).toThrow(JSON.stringify(cidr))
    },
  )
})
