import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddressGuard, isPublicAddress } from '../../src/outbound/public-address.ts'
import {
  contains,
  endsOf,
  NOT_REACHABLE,
  REACHABLE,
  toText,
  widthOf,
  words,
} from './address-blocks.ts'

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
  ])('of %s is public: %s, and so are its IPv6 forms', (block, isPublic) => {
    const [min, max] = endsOf(block)
    const number = fc.oneof(fc.constantFrom(min, max), fc.bigInt({ min, max }))
    fc.assert(
      fc.property(number, (one) => {
        const ip = toText(one, widthOf(block))
        const forms = isIP(ip) === 4 ? [ip, `::ffff:${ip}`, `64:ff9b::${ip}`] : [ip]
        expect(forms.map(isPublicAddress)).toEqual(forms.map(() => isPublic))
      }),
      { numRuns: 20, examples: [[min], [max]] },
    )
  })

  test.each(NEIGHBORS)('%s, just outside a special block, is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true)
  })

  // The last seven are forms of a public IPv4 address that the internet does not route.
  test.each(
    words(`1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: 64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff
      64:ff9b::1:0:0 64:ff9b:2:: 200::1 fbff::1 fe00::1 ::8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b:1::8.8.8.8
      2002:808:808::1 2001:0:808:808::1 2001::f7f7:f7f7 fe80::5efe:8.8.8.8`),
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

  test.each(words('10.0.0.0 10.0.0.0/33 fd00::/129 x/8 10.0.0.0/ 10.0.0.0/8/8 fe80::%eth0/10'))(
    'cannot be created with %j',
    (cidr) => {
      expect(() => createAddressGuard([cidr])).toThrow(JSON.stringify(cidr))
    },
  )
})
