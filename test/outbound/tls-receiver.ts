import * as tls from 'node:tls'
import type { KeyAndCertificate } from './certificates.ts'
import { listenInTest } from './raw-receivers.ts'

export interface ReceivedRequest {
  readonly requestLine: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The number of its connection, from 1. */
  readonly connection: number
}

/** Writes the response directly to the socket, so that a test can misbehave in any way. */
export type Answer = (socket: tls.TLSSocket, request: ReceivedRequest) => void

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Closed at the end of the test. */
export async function openTlsServer(
  certificate: KeyAndCertificate,
  answer: Answer = (socket) => socket.write(OK),
) {
  const requests: ReceivedRequest[] = []
  let connections = 0
  const server = tls.createServer(certificate, (socket) => {
    connections += 1
    const connection = connections
    readRequests(socket, (request) => {
      const received = { ...request, connection }
      requests.push(received)
      answer(socket, received)
    })
  })
  server.on('tlsClientError', () => {})
  const { port, sockets } = await listenInTest(server)
  return {
    port,
    requests,
    /** The number of TLS connections so far. */
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
  }
}

function readRequests(
  socket: tls.TLSSocket,
  onRequest: (request: Omit<ReceivedRequest, 'connection'>) => void,
): void {
  let unread = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1')
    for (;;) {
      const [head = '', ...after] = unread.split('\r\n\r\n')
      if (after.length === 0) return
      const [requestLine = '', ...fields] = head.split('\r\n')
      const headers = Object.fromEntries(
        fields.map((field) => {
          const [name = '', ...value] = field.split(': ')
          return [name.toLowerCase(), value.join(': ')]
        }),
      )
      const rest = after.join('\r\n\r\n')
      const length = Number(headers['content-length'] ?? 0)
      if (rest.length < length) return
      unread = rest.slice(length)
      onRequest({ requestLine, headers, body: rest.slice(0, length) })
    }
  })
}
