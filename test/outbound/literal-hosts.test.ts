import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDestinationUrl } from '../../src/outbound/destination-url.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import {
  IPV4_SPECIAL_PURPOSE,
  IPV6_SPECIAL_PURPOSE,
  OTHER_SPECIAL_PURPOSE,
} from '../../src/outbound/special-purpose-blocks.ts'
import { contains, endsOf, toNumber, toText, widthOf } from './address-blocks.ts'
import { smuggledSpellingsOf, spellingsOf } from './spellings.ts'

const guard = createAddressGuard([])

const ALL = [...OTHER_SPECIAL_PURPOSE, ...IPV4_SPECIAL_PURPOSE, ...IPV6_SPECIAL_PURPOSE]
const ROWS_V4 = ALL.filter(({ block }) => block.includes('.'))
const ROWS_V6 = ALL.filter(({ block }) => block.includes(':'))

/** The IPv4 address inside decides; `spellingsOf` covers these forms. */
const IPV4_INSIDE = ['::ffff:0:0/96', '64:ff9b::/96']
const notReachable = ALL.filter(
  ({ block, globallyReachable }) => globallyReachable !== true && !IPV4_INSIDE.includes(block),
)

/** An address of a block; its first and last address more often than by chance. */
function addressIn(block: string): fc.Arbitrary<string> {
  const [min, max] = endsOf(block)
  return fc
    .oneof(fc.constantFrom(min, max), fc.bigInt({ min, max }))
    .map((number) => toText(number, widthOf(block)))
}

function expectRejected(url: string): void {
  expect(checkDestinationUrl(url, guard), url).toMatchObject({
    ok: false,
    code: 'address_not_public',
    detail: expect.stringMatching(/^The URL's host is not a public address: .+\. Give a host/),
  })
}

describe('an address that is not globally reachable', () => {
  test.each(notReachable)('of $block, $name, is rejected in every spelling', ({ block }) => {
    fc.assert(
      fc.property(addressIn(block), fc.constantFrom('', ':8443'), (ip, port) => {
        for (const host of spellingsOf(ip)) expectRejected(`https://${host}${port}/hooks?x=1`)
      }),
      { numRuns: 20 },
    )
  })
})

test('an address outside of all blocks is accepted in every spelling without a zone id', () => {
  const ipv4 = fc.nat(0xffff_ffff).map((number) => toText(BigInt(number), 32))
  const ipv6 = fc
    .bigInt({ min: 0n, max: (1n << 125n) - 1n })
    .map((low) => toText((1n << 125n) + low, 128))
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (ip) => {
      const rows = ip.includes(':') ? ROWS_V6 : ROWS_V4
      fc.pre(!rows.some(({ block }) => contains(block, toNumber(ip))))
      for (const host of spellingsOf(ip)) {
        const url = `https://${host}/`
        if (/%(25)?(eth0|1\])/.test(host)) expectRejected(url)
        else expect(checkDestinationUrl(url, guard)).toEqual({ ok: true, url })
      }
    }),
    { numRuns: 300 },
  )
})

test('no IPv4 address, public or not, is accepted in an IPv6 form that the internet does not route', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      for (const host of smuggledSpellingsOf(ip)) expectRejected(`https://${host}/`)
    }),
    { numRuns: 200 },
  )
})
