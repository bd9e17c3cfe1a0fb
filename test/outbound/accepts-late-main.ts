import { once } from 'node:events'
import { readSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'

// A process that listens with the shortest possible queue, reports its port, and accepts no connection until it reads a byte.
const { host, port, ...certificate } = JSON.parse(process.argv[2] ?? '{}')
const server = createServer(certificate, (socket) => {
  socket.on('error', () => {})
  socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
})
server.on('tlsClientError', () => {})
server.listen({ port, host, backlog: 1 })
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port, () => {
  readSync(0, Buffer.alloc(1))
})
