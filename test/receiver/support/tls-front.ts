import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import type { TestAuthority } from '../../outbound/certificates.ts'
import { listen } from '../../support/listen.ts'

export type TlsFront = Awaited<ReturnType<typeof startTlsFront>>

/** What stands in front of a server in production: it takes HTTPS and passes each request on over HTTP, as nginx does. */
export async function startTlsFront(authority: TestAuthority, port = 0) {
  const server = createServer(await authority.issue(['localhost']), (request, response) => {
    const { method, url: path, headers } = request
    const host = `127.0.0.1:${front.port}`
    const options = { method, path, headers: { ...headers, host } }
    const passed = httpRequest(`http://${host}`, options)
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  const front = {
    url: `https://localhost:${await listen(server)}`,
    /** Of the server behind it. */
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return front
}
