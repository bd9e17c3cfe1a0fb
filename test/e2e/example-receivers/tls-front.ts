import { once } from 'node:events'
import { request as forward } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createTestAuthority } from '../../outbound/certificates.ts'

export interface TlsFront extends AsyncDisposable {
  readonly url: string
  /** The certificate of the authority, as PEM. */
  readonly authority: string
  /** The port of the receiver. */
  port: number
}

/** Ends TLS in front of a receiver, and sends the receiver's own address as `Host`, as nginx does. */
export async function startTlsFront(): Promise<TlsFront> {
  const authority = await createTestAuthority()
  const { key, cert } = await authority.issue(['localhost'])
  const server = createServer({ key, cert }, (request, response) => {
    const host = `127.0.0.1:${front.port}`
    const { url: path, method, headers } = request
    const upstream = forward(`http://${host}`, { path, method, headers: { ...headers, host } })
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const front: TlsFront = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hooks`,
    authority: authority.pem,
    port: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return front
}
