import * as net from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HttpSenderOptions } from '../../src/outbound/http-sender.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { listen } from '../support/listen.ts'
import { type DnsAnswer, openDnsServer } from './dns-server.ts'
import { openProxy } from './forward-proxy.ts'
import { openReceiver, openSender, post, REFUSED } from './sending.ts'

/** Stands for the internet: the only address that the guard permits in these tests. */
const OUTSIDE = '127.0.0.1'
/** Stands for the operator's network. */
const INSIDE = '127.0.0.2'

/** A receiver outside, a service inside on the same port, and a sender that uses the test's name server. */
async function openNetwork(
  answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer,
  options: Partial<HttpSenderOptions> = {},
) {
  const outside = await openReceiver((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  const inside = { connections: 0 }
  const server = net.createServer((socket) => {
    inside.connections += 1
    socket.destroy()
  })
  await listen(server, { port: outside.port, host: INSIDE })
  onTestFinished(() => void server.close())
  const dns = await openDnsServer(answer)
  const guard = createAddressGuard([`${OUTSIDE}/32`])
  const names = { lookup: undefined, dnsServers: [dns.address] }
  const sender = openSender({ guard, ...names, ...options })
  return { outside, inside, dns, send: () => post(sender, outside) }
}

describe('a name server that changes its answers', () => {
  test('from one query to the next never makes the sender connect inside', async () => {
    let queries = 0
    const { outside, inside, dns, send } = await openNetwork((_name, type) => {
      if (type === 'AAAA') return {}
      queries += 1
      return { addresses: [queries % 2 === 1 ? OUTSIDE : INSIDE] }
    })
    for (let round = 0; round < 3; round += 1) {
      expect(await send()).toMatchObject({ kind: 'answered', status: 200 })
      expect(await send()).toEqual(REFUSED)
    }
    expect(outside.connections).toBe(3)
    expect(inside.connections).toBe(0)
    // One query per connection: there is no second query between the check and the connection.
    expect(dns.queries.filter((query) => query === 'A receiver.test')).toHaveLength(6)
  })

  test('does not make a proxy connect inside either: the proxy gets the checked address', async () => {
    const proxy = await openProxy()
    let queries = 0
    const { inside, send } = await openNetwork(
      (_name, type) => {
        if (type === 'AAAA') return {}
        queries += 1
        return { addresses: [queries === 1 ? OUTSIDE : INSIDE] }
      },
      { proxyUrl: proxy.url },
    )
    expect(await send()).toMatchObject({ kind: 'answered', status: 200 })
    expect(await send()).toEqual(REFUSED)
    expect(proxy.requests.map(({ authority }) => authority.split(':')[0])).toEqual([OUTSIDE])
    expect(inside.connections).toBe(0)
  })
})

test.each([
  ['an address outside and one inside', [OUTSIDE, INSIDE]],
  ['one inside among thirty outside', [...Array<string>(29).fill('8.8.8.8'), INSIDE]],
  ['IPv4 outside and IPv6 inside', [OUTSIDE, '::1']],
  ['IPv6 outside and IPv4 inside', ['2606:4700:4700::1111', INSIDE]],
  ['IPv4 outside and an IPv4-mapped one inside', [OUTSIDE, '::ffff:127.0.0.2']],
  ['IPv4 outside and one inside behind NAT64', [OUTSIDE, '64:ff9b::a00:1']],
])('a DNS answer that mixes %s is refused', async (_what, addresses) => {
  const { outside, inside, send } = await openNetwork(() => ({ addresses }))
  expect(await send()).toEqual(REFUSED)
  expect(outside.connections + inside.connections).toBe(0)
})

describe('a name server that', () => {
  test('answers slowly with an address inside is waited for, and refused', async () => {
    const { inside, send } = await openNetwork((_name, type) =>
      type === 'A' ? { addresses: [OUTSIDE] } : { addresses: ['::1'], delayMs: 10 },
    )
    expect(await send()).toEqual(REFUSED)
    expect(inside.connections).toBe(0)
  })

  test('never answers ends in a timeout', async () => {
    const silence = { failure: 'silence' } as const
    const { outside, send } = await openNetwork(() => silence, { connectTimeoutMs: 300 })
    expect(await send()).toMatchObject({
      code: 'connect_timed_out',
      reason: 'No TLS connection could be made within 300 ms.',
    })
    expect(outside.connections).toBe(0)
  })

  test.each([
    ['does not know the name', { failure: 'NXDOMAIN' }, 'name_not_found'],
    ['has no address for it', {}, 'name_not_found'],
    ['fails', { failure: 'SERVFAIL' }, 'name_lookup_failed'],
    ['answers with garbage', { failure: 'garbage' }, 'name_lookup_failed'],
  ] as const)('%s makes the attempt fail as %3$s', async (_what, answer, code) => {
    const { send } = await openNetwork(() => answer)
    expect(await send()).toMatchObject({ kind: 'failed', code })
  })
})
