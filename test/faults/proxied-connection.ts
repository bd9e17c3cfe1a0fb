import type { Socket } from 'node:net'

/** A connection through a proxy: one socket to the client, and one to the server. */
export interface ProxiedConnection {
  /** Passes nothing any more and closes nothing, as if packets were lost. */
  silence(): void
  /** Passes nothing until `resume`. */
  pause(): void
  resume(): void
  /** Closes the side of the server only, and passes nothing to the client. */
  closeServerSide(): void
  /** Closes both sides. */
  destroy(): void
}

/** Passes data and closes in both directions while `isOpen` returns true. Calls `onClose` when both sides are closed. */
export function joinSockets(
  client: Socket,
  server: Socket,
  options: {
    readonly isOpen: () => boolean
    readonly passes: (from: 'client' | 'server', chunk: Buffer) => boolean
    readonly onClose: () => void
  },
): ProxiedConnection {
  /** Sockets that get no more traffic and are not closed when the other side closes. */
  const silent = new Set<Socket>()
  const sockets = [client, server] as const

  function pass(from: Socket, to: Socket): void {
    const passes = () => options.isOpen() && !silent.has(to)
    from.on('data', (chunk) => {
      const isWanted = options.passes(from === client ? 'client' : 'server', chunk)
      if (isWanted && passes() && to.writable) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      if (passes()) to.destroy()
      if (sockets.every(({ closed }) => closed)) options.onClose()
    })
  }
  pass(client, server)
  pass(server, client)

  const each = (act: (socket: Socket) => void) => () => sockets.forEach(act)
  return {
    silence: each((socket) => silent.add(socket)),
    pause: each((socket) => socket.pause()),
    resume: each((socket) => socket.resume()),
    closeServerSide() {
      silent.add(client)
      server.destroy()
    },
    destroy: each((socket) => socket.destroy()),
  }
}
