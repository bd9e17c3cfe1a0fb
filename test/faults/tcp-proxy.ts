import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a server on this machine. Its traffic can be dropped or paused. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** Drops all traffic in both directions without closing connections, as if a machine had stopped. */
  blackhole(): void
  /** Closes the connections to the server and passes new ones. Open connections of clients stay without answers. */
  restore(): void
  /** Delays all traffic until `resume`, like packets that TCP retransmits. */
  pause(): void
  resume(): void
  /** Ends `blackhole` for new connections. Open connections stay open at the server, without traffic. */
  restoreForNewConnections(): void
  /** Closes all connections, and each new one until `connect`. */
  disconnect(): void
  connect(): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const clients = new Set<Socket>()
  const targets = new Set<Socket>()
  /** Sockets that get no more traffic and are not closed. */
  const dead = new WeakSet<Socket>()
  let isBlackhole = false
  let isPaused = false
  let isDisconnected = false

  function join(from: Socket, to: Socket, open: Set<Socket>): void {
    open.add(from)
    from.on('data', (chunk) => {
      if (!isBlackhole && !dead.has(to)) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      if (!isBlackhole && !dead.has(to)) to.destroy()
    })
    if (isPaused) from.pause()
  }

  const server = createServer((client) => {
    if (isDisconnected) {
      client.destroy()
      return
    }
    const target = connect(targetPort, '127.0.0.1')
    join(client, target, clients)
    join(target, client, targets)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    blackhole() {
      isBlackhole = true
    },
    restore() {
      isBlackhole = false
      // The server behind a restored network does not know the old connections, and the network drops their packets.
      for (const client of clients) dead.add(client)
      for (const target of targets) target.destroy()
    },
    pause() {
      isPaused = true
      for (const socket of [...clients, ...targets]) socket.pause()
    },
    resume() {
      isPaused = false
      for (const socket of [...clients, ...targets]) socket.resume()
    },
    restoreForNewConnections() {
      isBlackhole = false
      for (const socket of [...clients, ...targets]) dead.add(socket)
    },
    disconnect() {
      isDisconnected = true
      for (const socket of [...clients, ...targets]) socket.destroy()
    },
    connect() {
      isDisconnected = false
    },
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, ...targets]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The URL of a database through a proxy. */
export function proxiedUrl(databaseUrl: string, { port }: Pick<TcpProxy, 'port'>): string {
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
