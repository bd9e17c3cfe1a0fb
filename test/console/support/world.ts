import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { createTestAuthority } from '../../outbound/certificates.ts'

/** What a host answers, and after how long. */
export interface Manner {
  readonly status: number
  readonly body?: string
  readonly delayMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Receivers with names of their own, such as `https://crm.example/`, each of which answers in its manner. */
export interface World extends AsyncDisposable {
  /** What a server needs to be set to reach them. */
  readonly environment: Readonly<Record<string, string>>
  /** The authority to trust, as PEM. */
  readonly authority: string
  /** How a host answers from now on. */
  answer(host: string, manner: Manner): void
}

/** One server behind a forward proxy that takes every connection to it, so that the names need no port. */
export async function openWorld(manners: Readonly<Record<string, Manner>>): Promise<World> {
  const known = new Map(Object.entries(manners))
  const authority = await createTestAuthority('Posthorn test world')
  const { key, cert } = await authority.issue([...known.keys()])
  const receiver = https.createServer({ key, cert }, (request, response) => {
    const {
      status,
      body = '',
      delayMs = 0,
      headers,
    } = known.get(request.headers.host ?? '') ?? {
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
      NODE_OPTIONS: `--import=${import.meta.resolve('./names.ts')}`,
      POSTHORN_EGRESS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
    },
    answer(host, manner) {
      known.set(host, manner)
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
