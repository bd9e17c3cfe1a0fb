import * as http from 'node:http'
import * as https from 'node:https'
import * as net from 'node:net'
import { listenInTest } from './raw-receivers.ts'

/** A forward proxy. `answer` is the status of its response; 2xx opens the tunnel. Closed at the end of the test. */
export async function openProxy(
  answer: (authority: string) => number = () => 200,
  server: http.Server | https.Server = http.createServer(),
) {
  const requests: { authority: string; authorization: string | undefined }[] = []
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
    target.on('error', () => {})
    socket.once('close', () => target.destroy())
  })
  const { port, sockets } = await listenInTest(server)
  const scheme = server instanceof https.Server ? 'https' : 'http'
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    requests,
    get openConnections() {
      return sockets.size
    },
  }
}
