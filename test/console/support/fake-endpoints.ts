import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { createTestAuthority } from '../../outbound/certificates.ts'
import { closeServer, listen } from '../../support/listen.ts'

/** The response of a host, and its delay. */
export interface EndpointBehavior {
  readonly status: number
  readonly body?: string
  readonly delayMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

export type FakeEndpoints = Awaited<ReturnType<typeof openFakeEndpoints>>

/**
 * Endpoints with their own host names, such as `https://crm.example/`. All are one server behind a forward proxy, so that
 * their URLs need no port.
 */
export async function openFakeEndpoints(behaviors: Readonly<Record<string, EndpointBehavior>>) {
  const byHost = new Map(Object.entries(behaviors))
  const authority = await createTestAuthority('Posthorn test endpoints')
  const { key, cert } = await authority.issue([...byHost.keys()])
  const receiver = https.createServer({ key, cert }, (request, response) => {
    const behavior: EndpointBehavior = byHost.get(request.headers.host ?? '') ?? { status: 404 }
    const { status, body = '', delayMs = 0, headers } = behavior
    request.resume().once('end', () => {
      setTimeout(() => response.writeHead(status, headers).end(body), delayMs)
    })
  })
  const proxy = http.createServer().on('connect', (_request, socket: net.Socket) => {
    const target = net.connect(receiverPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    for (const end of [socket, target]) {
      open.add(end)
      end.on('error', () => {}).once('close', () => open.delete(end))
    }
  })
  const open = new Set<net.Socket>()
  const receiverPort = await listen(receiver)
  const proxyPort = await listen(proxy)
  return {
    /** The certificate authority to trust, as PEM. */
    authority: authority.pem,
    /** The settings with which a server reaches the endpoints. */
    environment: {
      NODE_OPTIONS: `--import=${import.meta.resolve('./fake-endpoint-names.ts')}`,
      POSTHORN_EGRESS_PROXY: `http://127.0.0.1:${proxyPort}`,
    },
    /** Changes the response of a host. */
    answer(host: string, behavior: EndpointBehavior) {
      byHost.set(host, behavior)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await Promise.all([receiver, proxy].map(closeServer))
    },
  }
}
