import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { createTestAuthority } from '../../outbound/certificates.ts'

/** The response of a host, and its delay. */
export interface EndpointBehavior {
  readonly status: number
  readonly body?: string
  readonly delayMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Endpoints with their own host names, such as `https://crm.example/`. */
export interface FakeEndpoints extends AsyncDisposable {
  /** The settings with which a server reaches the endpoints. */
  readonly environment: Readonly<Record<string, string>>
  /** The certificate authority to trust, as PEM. */
  readonly authority: string
  /** Changes the response of a host. */
  answer(host: string, behavior: EndpointBehavior): void
}

/** All hosts are one server behind a forward proxy, so that their URLs need no port. */
export async function openFakeEndpoints(
  behaviors: Readonly<Record<string, EndpointBehavior>>,
): Promise<FakeEndpoints> {
  const byHost = new Map(Object.entries(behaviors))
  const authority = await createTestAuthority('Posthorn test endpoints')
  const { key, cert } = await authority.issue([...byHost.keys()])
  const receiver = https.createServer({ key, cert }, (request, response) => {
    const {
      status,
      body = '',
      delayMs = 0,
      headers,
    } = byHost.get(request.headers.host ?? '') ?? {
      status: 404,
    }
    request.resume().once('end', () => {
      setTimeout(() => response.writeHead(status, headers).end(body), delayMs)
    })
  })
  const proxy = http.createServer().on('connect', (_request, socket: net.Socket) => {
    const target = net.connect(portOf(receiver), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    for (const end of [socket, target]) {
      open.add(end)
      end.on('error', () => {}).once('close', () => open.delete(end))
    }
  })
  const open = new Set<net.Socket>()
  for (const server of [receiver, proxy]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  return {
    authority: authority.pem,
    environment: {
      NODE_OPTIONS: `--import=${import.meta.resolve('./fake-endpoint-names.ts')}`,
      POSTHORN_EGRESS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
    },
    answer(host, behavior) {
      byHost.set(host, behavior)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      for (const server of [receiver, proxy]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

function portOf(server: http.Server | https.Server): number {
  return (server.address() as AddressInfo).port
}
