import { expect, test } from 'vitest'
import { createClientAddress } from '../../src/http/client-address.ts'

const trusting = createClientAddress(['10.0.0.0/8', '2001:db8:ff::/48'])

test.each([
  ['no proxy, no header', '203.0.113.7', null, '203.0.113.7'],
  ['a header that a stranger wrote', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a trusted proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['a trusted proxy over IPv6', '2001:db8:ff::1', '2001:db8:1::7', '2001:db8:1::7'],
  ['two trusted proxies', '10.0.0.1', '203.0.113.7, 10.0.0.2', '203.0.113.7'],
  ['a client that claims to be another', '10.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  [
    'a client that claims to be a proxy',
    '10.0.0.1',
    '198.51.100.1, 10.0.0.9, 203.0.113.7',
    '203.0.113.7',
  ],
  ['a client inside', '10.0.0.1', '10.0.0.3', '10.0.0.3'],
  ['a proxy without a header', '10.0.0.1', null, '10.0.0.1'],
  ['a proxy that says nothing', '10.0.0.1', '', '10.0.0.1'],
  ['what is no address', '10.0.0.1', '203.0.113.7, unknown', '10.0.0.1'],
  ['a socket of both families', '::ffff:10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
  ['a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['a port over IPv6', '10.0.0.1', '[2001:db8:1::7]:4711', '2001:db8:1::7'],
  ['a zone', 'fe80::1%eth0', null, 'fe80::1'],
])('with %s, the client is the last address that no trusted proxy has', (...given) => {
  const [, peer, forwardedFor, client] = given
  expect(trusting(peer, forwardedFor)).toBe(client)
})

test('without trusted proxies the address of the connection counts', () => {
  expect(createClientAddress([])('127.0.0.1', '203.0.113.7')).toBe('127.0.0.1')
})
