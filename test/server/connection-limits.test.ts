import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, limitConnections } from '../../src/server/http-server.ts'
import { startTestApp } from '../support/app.ts'
import { listen } from '../support/listen.ts'
import { until } from '../support/until.ts'

test('connections beyond the limit of their address are closed, and other addresses still connect', async () => {
  const server = await openServer({ maxPerAddress: 3 })
  const first = await Promise.all([1, 2, 3].map(() => server.connect('127.0.0.2')))
  const fourth = await server.connect('127.0.0.2')
  await until(() => fourth.closed, 'the fourth connection is closed')
  expect(first.map(({ closed }) => closed)).toEqual([false, false, false])
  const other = await server.connect('127.0.0.3')
  expect(await get(other)).toContain('200 OK')
  expect(await get(first[0] as Socket)).toContain('200 OK')
})

test('the log names the address and the setting, once for many connections', async () => {
  const server = await openServer({ maxPerAddress: 1 })
  expect(await get(await server.connect('127.0.0.2'))).toContain('200 OK')
  const rejected = await Promise.all([1, 2, 3].map(() => server.connect('127.0.0.2')))
  await until(() => rejected.every(({ closed }) => closed), 'the other connections are closed')
  expect(server.warnings).toEqual([
    [
      { event: 'connections.rejected', address: '127.0.0.2', limit: 1 },
      expect.stringContaining('POSTHORN_TRUSTED_PROXIES'),
    ],
  ])
})

test('a proxy on the same machine may have more connections than another address', async () => {
  await using posthorn = await startTestApp({ role: 'api' })
  const { hostname, port } = new URL(posthorn.app.url)
  const idle = await Promise.all(Array.from({ length: 600 }, () => open(Number(port), hostname)))
  expect((await fetch(`${posthorn.app.url}/healthz`)).status).toBe(200)
  expect(idle.filter(({ closed }) => closed)).toEqual([])
  for (const socket of idle) socket.destroy()
})

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

async function openServer(limits: Partial<ConnectionLimits>) {
  const warnings: unknown[][] = []
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) }
  const server = createServer((_request, response) => response.end())
  limitConnections(server, { exempt: [], logger, ...limits })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { warnings, connect: (localAddress: string) => open(port, '127.0.0.1', localAddress) }
}

async function open(port: number, host: string, localAddress?: string): Promise<Socket> {
  const socket = connect({ port, host, ...(localAddress && { localAddress }) })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  // Without a listener for data, a socket does not notice that it is closed.
  socket.resume()
  return socket
}

/** Sends a request. Returns what arrives until the first response, or until the connection is closed. */
async function get(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.write(REQUEST)
  await until(() => received.includes('\r\n\r\n') || socket.closed, 'a response or an end')
  return received
}
