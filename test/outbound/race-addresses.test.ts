import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { describe, onTestFinished, test } from 'vitest'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { freePort } from '../support/free-port.ts'
import { openFullReceiver } from './raw-receivers.ts'
import { assertAnswered, certificate, openSender, post } from './sending.ts'

const HOSTS = { IPv4: '127.0.0.1', IPv6: '::1' }
type Family = keyof typeof HOSTS

const hasIpv6 = await canListen(HOSTS.IPv6)
if (!hasIpv6) console.log('Not tested: addresses of two families, as this machine has no IPv6.')

/** Sends to a name with these addresses. */
async function send(port: number, hosts: readonly string[], connectTimeoutMs = 5_000) {
  const addresses: LookupAddress[] = hosts.map((address) => ({
    address,
    family: net.isIP(address),
  }))
  const guard = createAddressGuard(['127.0.0.0/8', '::1/128'])
  const sender = openSender({ guard, lookup: async () => addresses, connectTimeoutMs })
  return await post(sender, { port })
}

/** Answers at an address, on a given port or on any. */
async function answerAt(host: string, port = 0): Promise<number> {
  const server = tls.createServer(certificate, (socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  })
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as net.AddressInfo).port
}

describe.skipIf(!hasIpv6)('a name with IPv4 and IPv6', () => {
  const both = Object.values(HOSTS)

  test.each<[Family, Family]>([
    ['IPv4', 'IPv6'],
    ['IPv6', 'IPv4'],
  ])('of which %s accepts no connection is reached at %s', async (dead, living) => {
    // Of both families: connections of other programs may use any port that the system gives.
    const port = await answerAt(HOSTS[living], await freePort())
    await openFullReceiver({}, { host: HOSTS[dead], port })
    assertAnswered(await send(port, both))
  })
})

test('the addresses of one family are tried one after the other', async () => {
  const { port } = await openFullReceiver({}, { port: await freePort() })
  await answerAt('127.0.0.3', port)
  assertAnswered(await send(port, ['127.0.0.1', '127.0.0.2', '127.0.0.3']))
})

async function canListen(host: string): Promise<boolean> {
  const server = net.createServer().listen(0, host)
  return await once(server, 'listening').then(
    () => {
      server.close()
      return true
    },
    () => false,
  )
}
