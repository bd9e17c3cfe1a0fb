import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A stretch of network before a server of this machine, which can be cut. */
export interface Relay extends AsyncDisposable {
  readonly port: number
  /** Nothing passes any more, in neither direction, and nobody is told: as when a machine stops. */
  silence(): void
  restore(): void
  /** Nothing passes any more, but nothing is lost: what was sent meanwhile arrives at `release`, as TCP sends it again. */
  hold(): void
  release(): void
  /** Ends a silence for new connections: those open now stay open at the server, and silent, for good. */
  abandon(): void
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const clients = new Set<Socket>()
  const targets = new Set<Socket>()
  /** Those whose other end is gone, which they are not told. */
  const dead = new WeakSet<Socket>()
  let silent = false
  let held = false

  function join(from: Socket, to: Socket, open: Set<Socket>): void {
    open.add(from)
    from.on('data', (chunk) => {
      if (!silent && !dead.has(to)) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      if (!silent && !dead.has(to)) to.destroy()
    })
    if (held) from.pause()
  }

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    join(client, target, clients)
    join(target, client, targets)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      silent = true
    },
    restore() {
      silent = false
      // The machine that answers now is another one. It knows nothing of what was open then, and says nothing.
      for (const client of clients) dead.add(client)
      for (const target of targets) target.destroy()
    },
    hold() {
      held = true
      for (const socket of [...clients, ...targets]) socket.pause()
    },
    release() {
      held = false
      for (const socket of [...clients, ...targets]) socket.resume()
    },
    abandon() {
      silent = false
      for (const socket of [...clients, ...targets]) dead.add(socket)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, ...targets]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The same database, reached through a relay. */
export function throughRelay(databaseUrl: string, { port }: Pick<Relay, 'port'>): string {
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
