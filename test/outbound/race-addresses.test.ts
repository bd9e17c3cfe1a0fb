import type { LookupAddress } from 'node:dns'
import * as net from 'node:net'
import { describe, test } from 'vitest'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { openFullReceiver, openTlsReceiver } from './raw-receivers.ts'
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

const answerAt = openTlsReceiver(certificate, (socket) =>
  socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
)

describe.skipIf(!hasIpv6)('a name with IPv4 and IPv6', () => {
  const both = Object.values(HOSTS)

  test.each<[Family, Family]>([
    ['IPv4', 'IPv6'],
    ['IPv6', 'IPv4'],
  ])('of which %s accepts no connection is reached at %s', async (dead, living) => {
    // Of both families: connections of other programs may use any port that the system gives.
    const { port } = await answerAt({ host: HOSTS[living], port: await freePort() })
    await openFullReceiver({ host: HOSTS[dead], port })
    assertAnswered(await send(port, both))
  })
})

test('the addresses of one family are tried one after the other', async () => {
  const { port } = await openFullReceiver({ port: await freePort() })
  await answerAt({ host: '127.0.0.3', port })
  assertAnswered(await send(port, ['127.0.0.1', '127.0.0.2', '127.0.0.3']))
})

async function canListen(host: string): Promise<boolean> {
  const server = net.createServer()
  const port = await listen(server, { host }).catch(() => null)
  server.close()
  return port !== null
}
