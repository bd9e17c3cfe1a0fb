import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestAuthority } from '../../outbound/certificates.ts'

export interface TlsFront extends AsyncDisposable {
  /** `https://localhost:…` */
  readonly url: string
}

/** What stands in front of a framework in production: takes HTTPS and passes each request on over HTTP. */
export async function startTlsFront(authority: TestAuthority, port: number): Promise<TlsFront> {
  const server = createServer(await authority.issue(['localhost']), (request, response) => {
    const { method, url, headers } = request
    const passed = httpRequest({ host: '127.0.0.1', port, method, path: url, headers })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
