import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findUrlProblem, MAX_URL_LENGTH } from '../../src/outbound/destination-url.ts'
import { createAddressGuard, isPublicAddress } from '../../src/outbound/public-address.ts'
import { words } from './address-blocks.ts'

const guard = createAddressGuard([])

describe('a webhook URL is accepted, unchanged,', () => {
  test.each(
    words(`
      https://example.com https://example.com/hooks?tenant=1&x=%20 HTTPS://EXAMPLE.com/Hooks
      https://example.com:443/ https://example.com:8443/ https://example.com:65535/
      https://example.com./hooks https://bücher.example/hooks https://example.com/@user
      https://8.8.8.8/ https://[2606:4700:4700::1111]:8443/ https://localhost.example.com/`),
  )('when it is %s', (url) => {
    expect(findUrlProblem(url, guard)).toBeNull()
  })

  test('with 2,048 characters, but not with 2,049', () => {
    const longest = `https://example.com/${'a'.repeat(MAX_URL_LENGTH - 20)}`
    expect(longest).toHaveLength(2_048)
    expect(findUrlProblem(longest, guard)).toBeNull()
    expect(findUrlProblem(`${longest}a`, guard)).toMatchObject({ code: 'too_long' })
  })
})

describe('a webhook URL is rejected', () => {
  const REJECTED: Record<string, readonly string[]> = {
    not_a_url: [
      '',
      ' https://example.com',
      'https://example.com/a b',
      'https://exam\tple.com/',
      'https://example.com/\r\nx-injected: 1',
      'https://example.com/\0',
      ...words(`
      example.com/hooks //example.com/hooks https:// https:example.com https://:443/
      https:\\\\example.com https://example.com\\@127.0.0.1/ https://exam\u200bple.com/
      https://example.com/\ud800 https://exa<mple.com/ https://1.2.3.4.5/ https://[::1/
      https://127.0.0.1../ https://example.com:65536/ https://example.com:x/`),
    ],
    not_https: words(`
      http://example.com/ ftp://example.com/ file:///etc/passwd javascript:alert(1)
      example.com:8443/hooks`),
    has_userinfo: words(`
      https://user@example.com/ https://user:password@example.com/ https://:@example.com/
      https://example.com%40@127.0.0.1/`),
    has_fragment: words(`
      https://example.com/#section https://example.com#`),
    port_not_allowed: words(`
      https://example.com:0/ https://example.com:22/ https://example.com:1023/`),
  }
  const rejected = Object.entries(REJECTED).flatMap(([code, urls]) =>
    urls.map((url) => [code, url] as const),
  )
  test.each(rejected)('with %s: %j', (code, url) => {
    expect(findUrlProblem(url, guard)).toEqual({ code, detail: expect.any(String) })
  })

  test.each([
    ['http://127.0.0.1:3000/', true],
    ['http://LOCALHOST/hooks', true],
    ['http://shop.localhost:8080', true],
    ['http://[::1]:3000/', true],
    ['http://localhost.example.com/', false],
    ['http://127.example.com/', false],
  ])('%s: forwarding is advised: %s', (url, isAdvised) => {
    const check = findUrlProblem(url, guard)
    const advice = expect.stringContaining('posthorn listen --forward')
    expect(check).toMatchObject({
      detail: isAdvised ? advice : expect.not.stringContaining('listen'),
    })
  })

  // Every spelling that some parser reads as such an address. public-address.test.ts has the addresses.
  test.each(
    words(`
      https://127.0.0.1:8443/ https://127.0.0.1./ https://2130706433/ https://017700000001/
      https://0x7F000001/ https://0177.0.0.1/ https://00000177.0.0.1/ https://0x7f.0x0.0x0.0x1/
      https://0x7f.1/ https://127.0.1/ https://%31%32%37%2e%30%2e%30%2e%31/
      https://\uff11\uff12\uff17.0.0.1/ https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/
      https://127\u30020\uff0e0\uff611/ https://[::ffff:127.0.0.1]/ https://[::FFFF:7F00:1]/
      https://[64:ff9b::7f00:1]/ https://[::1]/ https://[0000:0:0:0:0:0:0:1]/
      https://[2606:4700::1%25eth0]/ https://[2606:4700::1%eth0]/ https://localhost/
      https://localhost./ https://api.localhost/ https://ⓛocalhost/`),
  )('as not public: %s', (url) => {
    expect(findUrlProblem(url, guard)).toMatchObject({
      code: 'address_not_public',
      detail: expect.stringMatching(/^The URL's host is not a public address: .+\. Give a host/),
    })
  })

  test('if and only if its literal address is not public', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
        const host = isIP(ip) === 4 ? ip : `[${ip}]`
        expect(findUrlProblem(`https://${host}/`, guard) === null).toBe(isPublicAddress(ip))
      }),
    )
  })
})

test('with loopback allowed, other private addresses are still rejected', () => {
  const allowing = createAddressGuard(['127.0.0.0/8', '::1/128'])
  for (const host of ['localhost', 'api.localhost', '127.0.0.1', '[::1]']) {
    expect(findUrlProblem(`https://${host}:8443/`, allowing), host).toBeNull()
  }
  expect(findUrlProblem('https://10.0.0.1/', allowing)).not.toBeNull()
})

test('for any text, an accepted URL is HTTPS without credentials, and nothing throws', () => {
  const nearly = fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'https:', ''),
      fc.oneof(fc.domain(), fc.ipV4(), fc.string()),
      fc.string(),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(nearly, fc.webUrl(), fc.string({ unit: 'binary' })), (text) => {
      if (findUrlProblem(text, guard) !== null) return
      const { protocol, username, password, hash } = new URL(text)
      expect([protocol, username, password, hash]).toEqual(['https:', '', '', ''])
    }),
    { numRuns: 500 },
  )
})
