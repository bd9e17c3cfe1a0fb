import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to a server on this machine that the test can cut. */
export interface Cable extends AsyncDisposable {
  readonly url: string
  /** Closes all connections, and each new one, until `join`. */
  cut(): void
  join(): void
}

export async function layCable(target: string): Promise<Cable> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false

  function track(socket: Socket, peer: Socket) {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      peer.destroy()
    })
  }

  const server = createServer((client) => {
    if (isCut) return client.destroy()
    const upstream = connect(Number(port), hostname)
    track(client, upstream)
    track(upstream, client)
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    join() {
      isCut = false
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
