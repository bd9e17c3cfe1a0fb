import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import * as net from 'node:net'
import { onTestFinished } from 'vitest'
import { listen } from '../support/listen.ts'

/** A forward proxy. `answer` is the status of its response; 2xx opens the tunnel. Closed at the end of the test. */
export async function openProxy(
  answer: (authority: string) => number = () => 200,
  server: http.Server | https.Server = http.createServer(),
) {
  const requests: { authority: string; authorization: string | undefined }[] = []
  const sockets = new Set<net.Socket>()
  const keep = (socket: net.Socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
  }
  server.on('connection', keep)
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    socket.on('error', () => {})
    const authority = request.url ?? ''
    requests.push({ authority, authorization: request.headers['proxy-authorization'] })
    const status = answer(authority)
    if (status < 200 || status > 299)
      return socket.end(`HTTP/1.1 ${status} No tunnel\r\ncontent-length: 0\r\n\r\n`)
    const { hostname, port } = new URL(`https://${authority}`)
    const target = net.connect(Number(port), hostname, () => {
      socket.write(`HTTP/1.1 ${status} Connection established\r\n\r\n`)
      socket.pipe(target).pipe(socket)
    })
    keep(target)
  })
  const port = await listen(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const scheme = server instanceof https.Server ? 'https' : 'http'
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    requests,
    get openConnections() {
      return sockets.size
    },
  }
}
