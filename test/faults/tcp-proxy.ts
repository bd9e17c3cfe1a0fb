import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { listen } from '../support/listen.ts'
import { joinSockets, type ProxiedConnection } from './proxied-connection.ts'

/** A TCP proxy in front of a server on this machine. Its traffic can be dropped or paused. */
export interface TcpProxy extends AsyncDisposable {
  /** The URL of the server through the proxy. */
  readonly url: string
  readonly connections: ReadonlySet<ProxiedConnection>
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

/** `passes` decides about the data of a client or of the server; without it, all pass. */
export async function startTcpProxy(
  targetUrl: string,
  passes: (
    from: 'client' | 'server',
    chunk: Buffer,
    connection: ProxiedConnection,
  ) => boolean = () => true,
): Promise<TcpProxy> {
  const targetPort = Number(new URL(targetUrl).port)
  const connections = new Set<ProxiedConnection>()
  let isBlackhole = false
  let isPaused = false
  let isDisconnected = false

  const server = createServer((client) => {
    if (isDisconnected) {
      client.destroy()
      return
    }
    const connection: ProxiedConnection = joinSockets(client, connect(targetPort, '127.0.0.1'), {
      isOpen: () => !isBlackhole,
      passes: (from, chunk) => passes(from, chunk, connection),
      onClose: () => connections.delete(connection),
    })
    connections.add(connection)
    if (isPaused) connection.pause()
  })
  const destroyAll = () => {
    for (const connection of connections) connection.destroy()
  }

  const host = `127.0.0.1:${await listen(server)}`
  return {
    url: Object.assign(new URL(targetUrl), { host }).href,
    connections,
    blackhole() {
      isBlackhole = true
    },
    restore() {
      isBlackhole = false
      // The server behind a restored network does not know the old connections, and the network drops their packets.
      for (const connection of connections) connection.closeServerSide()
    },
    pause() {
      isPaused = true
      for (const connection of connections) connection.pause()
    },
    resume() {
      isPaused = false
      for (const connection of connections) connection.resume()
    },
    restoreForNewConnections() {
      isBlackhole = false
      for (const connection of connections) connection.silence()
    },
    disconnect() {
      isDisconnected = true
      destroyAll()
    },
    connect() {
      isDisconnected = false
    },
    async [Symbol.asyncDispose]() {
      destroyAll()
      server.close()
      await once(server, 'close')
    },
  }
}
