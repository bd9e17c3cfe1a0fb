import { Socket } from 'node:net'

/** The sockets of a pool or of a client, opened by the `stream` option of `pg`, so that they can be destroyed while queries run. */
export interface OwnedSockets {
  open(): Socket
  destroy(): void
}

export function createOwnedSockets(openSocket = () => new Socket()): OwnedSockets {
  const sockets = new Set<Socket>()
  return {
    open() {
      const socket = openSocket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
