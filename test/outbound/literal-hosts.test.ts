import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDestinationUrl } from '../../src/outbound/destination-url.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import {
  contains,
  endsOf,
  NOT_REACHABLE,
  REACHABLE,
  toNumber,
  toText,
  widthOf,
} from './address-blocks.ts'
import { smuggledSpellingsOf, spellingsOf } from './spellings.ts'

const guard = createAddressGuard([])

/** The IPv4 address inside decides; `spellingsOf` covers these forms. */
const IPV4_INSIDE = ['::ffff:0:0/96', '64:ff9b::/96']
/** Other blocks outside of the public part of IPv6. */
const OTHERS = ['::/96', '::ffff:0:0:0/96']
const BLOCKS = [...NOT_REACHABLE, ...REACHABLE, ...IPV4_INSIDE, ...OTHERS]

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

test.each([...NOT_REACHABLE, ...OTHERS])(
  'an address that is not globally reachable, of %s, is rejected in every spelling',
  (block) => {
    fc.assert(
      fc.property(addressIn(block), fc.constantFrom('', ':8443'), (ip, port) => {
        for (const host of spellingsOf(ip)) expectRejected(`https://${host}${port}/hooks?x=1`)
      }),
      { numRuns: 20 },
    )
  },
)

test('an address outside of all blocks is accepted in every spelling without a zone id', () => {
  const ipv4 = fc.nat(0xffff_ffff).map((number) => toText(BigInt(number), 32))
  const ipv6 = fc
    .bigInt({ min: 0n, max: (1n << 125n) - 1n })
    .map((low) => toText((1n << 125n) + low, 128))
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (ip) => {
      const blocks = BLOCKS.filter((block) => block.includes(':') === ip.includes(':'))
      fc.pre(!blocks.some((block) => contains(block, toNumber(ip))))
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
