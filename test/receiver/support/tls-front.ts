import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestAuthority } from '../../outbound/certificates.ts'

export interface TlsFront extends AsyncDisposable {
  /** `https://localhost:…` */
  readonly url: string
  /** Of the server behind it. */
  port: number
}

/** What stands in front of a server in production: it takes HTTPS and passes each request on over HTTP, as nginx does. */
export async function startTlsFront(authority: TestAuthority, port = 0): Promise<TlsFront> {
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const front: TlsFront = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return front
}
