import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddressGuard, isPublicAddress } from '../../src/outbound/public-address.ts'
import {
  IPV4_SPECIAL_PURPOSE,
  IPV6_SPECIAL_PURPOSE,
  OTHER_SPECIAL_PURPOSE,
} from '../../src/outbound/special-purpose-blocks.ts'

/** The IANA IPv4 Special-Purpose Address Registry, and multicast. */
const IPV4_ROWS: [block: string, isReachable: boolean][] = [
  ['0.0.0.0/8', false],
  ['0.0.0.0/32', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false],
  ['127.0.0.0/8', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  ['192.0.0.0/24', false],
  ['192.0.0.0/29', false],
  ['192.0.0.8/32', false],
  // The registry lists these two as reachable. They are anycast services, not receivers.
  ['192.0.0.9/32', false],
  ['192.0.0.10/32', false],
  ['192.0.0.170/32', false],
  ['192.0.0.171/32', false],
  ['192.0.2.0/24', false],
  ['192.31.196.0/24', true],
  ['192.52.193.0/24', true],
  ['192.88.99.0/24', false],
  ['192.88.99.2/32', false],
  ['192.168.0.0/16', false],
  ['192.175.48.0/24', true],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  ['224.0.0.0/4', false],
  ['240.0.0.0/4', false],
  ['255.255.255.255/32', false],
]

/** The IANA IPv6 Special-Purpose Address Registry, and multicast and site-local. */
const IPV6_ROWS: [block: string, isReachable: boolean][] = [
  ['::1/128', false],
  ['::/128', false],
  ['64:ff9b:1::/48', false],
  ['100::/64', false],
  ['100:0:0:1::/64', false],
  ['2001::/23', false],
  ['2001::/32', false],
  // The registry lists some blocks within 2001::/23 as reachable. None of them receives webhooks.
  ['2001:1::1/128', false],
  ['2001:1::2/128', false],
  ['2001:1::3/128', false],
  ['2001:2::/48', false],
  ['2001:3::/32', false],
  ['2001:4:112::/48', false],
  ['2001:10::/28', false],
  ['2001:20::/28', false],
  ['2001:30::/28', false],
  ['2001:db8::/32', false],
  ['2002::/16', false],
  ['2620:4f:8000::/48', true],
  ['3fff::/20', false],
  ['5f00::/16', false],
  ['fc00::/7', false],
  ['fe80::/10', false],
  ['fec0::/10', false],
  ['ff00::/8', false],
]

/** The addresses just outside of each block, unless another block has them or they are outside of global unicast. */
const PUBLIC_NEIGHBOURS = [...IPV4_ROWS, ...IPV6_ROWS].flatMap(([block]) => {
  const isIpv4 = block.includes('.')
  const { first, last } = endsOf(block)
  return [toNumber(first) - 1n, toNumber(last) + 1n]
    .filter((number) => number >= 0n && (isIpv4 ? number < 1n << 32n : number >> 125n === 1n))
    .map((number) => (isIpv4 ? ipv4(Number(number)) : ipv6(number)))
    .filter((ip) => {
      const rows = isIpv4 ? IPV4_ROWS : IPV6_ROWS
      return !rows.some(([row, isReachable]) => !isReachable && contains(row, toNumber(ip)))
    })
})

describe('addresses of the special-purpose registries', () => {
  test.each([...IPV4_ROWS, ...IPV6_ROWS])(
    '%s: reachable is %s, for its first and last address',
    (block, isReachable) => {
      const { first, last } = endsOf(block)
      expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([isReachable, isReachable])
    },
  )

  test.each(PUBLIC_NEIGHBOURS)('%s, just outside a special block, is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true)
  })

  test.each([
    '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '4000::',
    '64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff',
    '64:ff9b::1:0:0',
    '64:ff9b:2::',
    '200::1',
    'fbff::1',
    'fe00::1',
  ])('%s, outside of global unicast, is not public', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  test.each([
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:169.254.169.254',
    '::ffff:0:8.8.8.8',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::8.8.8.8',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ])('%s is not public, although it contains an IPv4 address', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })

  test.each(['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808'])(
    '%s is as public as the address in it',
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true)
    },
  )

  test.each([
    '',
    'example.com',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    '8.8.8.8%1',
    '8.8.8',
    '0x8.8.8.8',
    '010.8.8.8',
    '134744072',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '[2606:4700::1]',
    '8.8.8.8/32',
  ])('%j is not a plain IP address, so it is not public', (ip) => {
    expect(isPublicAddress(ip)).toBe(false)
  })
})

describe('every address', () => {
  test('of IPv4 is as public as the registry says', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (number) => {
        const row = IPV4_ROWS.find(([block]) => contains(block, BigInt(number)))
        expect(isPublicAddress(ipv4(number))).toBe(row?.[1] ?? true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('of IPv6 is as public as the registry and 2000::/3 say', () => {
    const anywhere = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
    const nearRow = fc
      .tuple(fc.constantFrom(...IPV6_ROWS), fc.bigInt({ min: -2n, max: 1n << 100n }))
      .map(([[block], offset]) => BigInt.asUintN(128, toNumber(endsOf(block).first) + offset))
    fc.assert(
      fc.property(fc.oneof(anywhere, nearRow), (number) => {
        const row = IPV6_ROWS.find(([block]) => contains(block, number))
        const isNat64 = contains('64:ff9b::/96', number)
        const isMapped = contains('::ffff:0:0/96', number)
        fc.pre(!isNat64 && !isMapped)
        expect(isPublicAddress(ipv6(number))).toBe(row?.[1] ?? number >> 125n === 1n)
      }),
      { numRuns: 2_000 },
    )
  })

  test('of IPv4 is equally public when IPv4-mapped or behind NAT64, and never public in another IPv6 form', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (number) => {
        const address = ipv4(number)
        const [high, low] = [(number >>> 16).toString(16), (number & 0xffff).toString(16)]
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address))
        expect(isPublicAddress(`64:ff9b::${high}:${low}`)).toBe(isPublicAddress(address))
        expect(isPublicAddress(`::${address}`)).toBe(false)
        expect(isPublicAddress(`::ffff:0:${address}`)).toBe(false)
        expect(isPublicAddress(`2002:${high}:${low}::1`)).toBe(false)
        expect(isPublicAddress(`2001:0:${high}:${low}::`)).toBe(false)
      }),
    )
  })

  test('is an IP address: other text is never public', () => {
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
  const rows = [...IPV4_ROWS, ...IPV6_ROWS].map(([block]) => block)
  expect(
    [...IPV4_SPECIAL_PURPOSE, ...IPV6_SPECIAL_PURPOSE].map(({ block }) => block).sort(),
  ).toEqual([...rows.filter((block) => !others.includes(block)), ...inside].sort())
})

describe('an address guard', () => {
  const guard = createAddressGuard(['127.0.0.0/8', '10.1.0.0/16', '::1/128', 'fd00::/8'])

  test.each([
    '8.8.8.8',
    '127.0.0.1',
    '127.255.255.255',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '::1',
    'fd12::1',
  ])('permits %s, public or allowed', (ip) => {
    expect(guard.permits(ip)).toBe(true)
  })

  test.each([
    '10.2.0.1',
    '169.254.169.254',
    '64:ff9b::127.0.0.1',
    'fc00::1',
    '::2',
    'fd12::1%eth0',
    'localhost',
    '',
  ])('refuses %j, neither public nor allowed', (ip) => {
    expect(guard.permits(ip)).toBe(false)
  })

  test('permits only public addresses when nothing is allowed', () => {
    expect(createAddressGuard([]).permits('127.0.0.1')).toBe(false)
    expect(createAddressGuard([]).permits('8.8.8.8')).toBe(true)
  })

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    'x/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fe80::%eth0/10',
  ])('cannot be created with %j', (cidr) => {
    expect(() => createAddressGuard([cidr])).toThrow(JSON.stringify(cidr))
  })
})

function endsOf(block: string): { first: string; last: string } {
  const [network = '', bits] = block.split('/')
  const width = isIP(network) === 4 ? 32 : 128
  const first = toNumber(network)
  const last = first + (1n << BigInt(width - Number(bits))) - 1n
  return { first: network, last: width === 32 ? ipv4(Number(last)) : ipv6(last) }
}

function contains(block: string, number: bigint): boolean {
  const [network = '', bits] = block.split('/')
  const rest = BigInt((isIP(network) === 4 ? 32 : 128) - Number(bits))
  return number >> rest === toNumber(network) >> rest
}

function toNumber(ip: string): bigint {
  if (isIP(ip) === 4) return ip.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n)
  const [left = '', right] = ip.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const tail = groups(right ?? '')
  const zeros = Array(8 - groups(left).length - tail.length).fill('0')
  return [...groups(left), ...zeros, ...tail].reduce(
    (sum, group) => (sum << 16n) + BigInt(`0x${group}`),
    0n,
  )
}

function ipv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.')
}

function ipv6(number: bigint): string {
  return Array.from({ length: 8 }, (_, i) =>
    ((number >> BigInt(112 - 16 * i)) & 0xffffn).toString(16),
  ).join(':')
}
