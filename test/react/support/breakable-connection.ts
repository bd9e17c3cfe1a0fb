import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between a page and a server, which a test can break. */
export interface BreakableConnection extends AsyncDisposable {
  readonly url: string
  /** Breaks all connections, and accepts no other. */
  break(): void
  repair(): void
}

export async function openBreakableConnection(serverUrl: string): Promise<BreakableConnection> {
  const { port, hostname } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isBroken = false
  const server = createServer((downstream) => {
    if (isBroken) return downstream.destroy()
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break() {
      isBroken = true
      cut()
    },
    repair() {
      isBroken = false
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
