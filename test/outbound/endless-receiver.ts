import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import * as tls from 'node:tls'

// A process that receives its certificate, reports its port, and answers every request without end, in the way that
// its argument names.
const [certificate] = (await once(process, 'message')) as [tls.TlsOptions]
const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNK = `8000\r\n${'x'.repeat(0x8000)}\r\n`
const ANSWERS: Record<string, [beginning: string, piece: string]> = {
  'a body': [`${HEAD}content-length: 9000000000\r\n\r\n`, 'x'.repeat(65_536)],
  'a body in chunks': [`${HEAD}transfer-encoding: chunked\r\n\r\n`, CHUNK],
  'a head': [HEAD, `x-a: ${'b'.repeat(8_000)}\r\n`.repeat(8)],
  'interim responses': ['', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'.repeat(1_000)],
}
const [beginning = '', piece = ''] = ANSWERS[process.argv[2] ?? ''] ?? []

const server = tls.createServer(certificate, (socket) => {
  const pour = () => {
    while (socket.writable && socket.write(piece)) {}
  }
  socket.on('error', () => {}).on('drain', pour)
  socket.once('data', () => {
    socket.resume().write(beginning)
    pour()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
