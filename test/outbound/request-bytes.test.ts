import { describe, expect, test } from 'vitest'
import type { Destination } from '../../src/outbound/destination.ts'
import { toRequestBytes } from '../../src/outbound/request-bytes.ts'

const destination: Destination = {
  origin: { href: 'https://example.com:8443', hostname: 'example.com', port: 8443 },
  host: 'example.com:8443',
  path: '/hooks?a=%20b',
}

function write(headers: Record<string, string>, body = ''): string {
  const parts = { userAgent: 'Posthorn/test', headers, body: Buffer.from(body) }
  return toRequestBytes(destination, parts).toString('latin1')
}

test('a request is its line, its headers and its body, with the length in bytes', () => {
  expect(write({ 'wh-id': 'msg_1', 'X-Custom': 'caf\xe9\t1' }, '"é"')).toBe(
    [
      'POST /hooks?a=%20b HTTP/1.1',
      'host: example.com:8443',
      'connection: keep-alive',
      'user-agent: Posthorn/test',
      'accept-encoding: identity',
      'wh-id: msg_1',
      'X-Custom: caf\xe9\t1',
      'content-length: 4',
      '',
      '"\xc3\xa9"',
    ].join('\r\n'),
  )
})

test('what the sender itself says is left out, in whatever case', () => {
  const text = write({ 'User-Agent': 'curl', 'ACCEPT-ENCODING': 'gzip' })
  expect(text).not.toMatch(/curl|gzip/)
})

describe('a header that is not valid HTTP is refused by its name:', () => {
  test.each([
    ['a line break', 'a\r\nb: c'],
    ['a line feed', 'a\nb'],
    ['a NUL', 'a\0b'],
    ['a letter beyond Latin-1', 'Ж'],
    ['DEL', 'a\x7f'],
  ])('%s in its value', (_what, value) => {
    expect(() => write({ 'x-bad': value })).toThrow(
      'The header "x-bad" has a character in its value that HTTP does not allow.',
    )
  })

  test.each(['', 'x bad', 'x:bad', 'x\r\nbad', 'é'])('the name %j', (name) => {
    expect(() => write({ [name]: 'a' })).toThrow(
      `The header name ${JSON.stringify(name)} is not a token of HTTP.`,
    )
  })

  test.each([
    'Host',
    'connection',
    'Content-Length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'keep-alive',
    'te',
    'trailer',
  ])('%s, which would lead the receiver astray', (name) => {
    expect(() => write({ [name]: '1' })).toThrow(
      `The header "${name}" is for the connection itself to say; leave it out.`,
    )
  })
})
