import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer } from 'node:tls'
import { createTestAuthority } from '../../outbound/certificates.ts'

export interface TlsFront extends AsyncDisposable {
  readonly url: string
  readonly authority: string
  /** The port of the receiver. */
  port: number
}

/** Ends TLS in front of a receiver, as a web server does. */
export async function startTlsFront(): Promise<TlsFront> {
  const authority = await createTestAuthority()
  const { key, cert } = await authority.issue(['localhost'])
  const server = createServer({ key, cert }, (socket) => {
    const upstream = connect(tls.port, '127.0.0.1')
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const tls: TlsFront = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hooks`,
    authority: authority.pem,
    port: 0,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
  return tls
}
