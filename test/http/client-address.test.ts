import { expect, test } from 'vitest'
import { createClientAddress } from '../../src/http/connection.ts'

const clientAddress = createClientAddress(['10.0.0.0/8', '2001:db8:ff::/48'])

test.each([
  ['no proxy, no header', '203.0.113.7', null, '203.0.113.7'],
  ['a header from an untrusted peer', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
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
  ['a client in the trusted range', '10.0.0.1', '10.0.0.3', '10.0.0.3'],
  ['a proxy without a header', '10.0.0.1', null, '10.0.0.1'],
  ['a proxy with an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['an invalid address', '10.0.0.1', '203.0.113.7, unknown', '10.0.0.1'],
  ['a dual-stack socket', '::ffff:10.0.0.1', '::ffff:203.0.113.7', '203.0.113.7'],
  ['a port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['a port over IPv6', '10.0.0.1', '[2001:db8:1::7]:4711', '2001:db8:1::7'],
  ['a zone', 'fe80::1%eth0', null, 'fe80::1'],
])('with %s, the client is the last address that is not a trusted proxy', (...row) => {
  const [, peer, forwardedFor, client] = row
  expect(clientAddress(peer, forwardedFor)).toBe(client)
})

test('without trusted proxies the client is the peer of the connection', () => {
  expect(createClientAddress([])('127.0.0.1', '203.0.113.7')).toBe('127.0.0.1')
})
