import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A stretch of network before a server of this machine, which can be cut. */
export interface Relay extends AsyncDisposable {
  readonly port: number
  /** Nothing passes any more, in neither direction, and nobody is told: as when a machine stops. */
  silence(): void
  restore(): void
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  let silent = false

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (chunk) => {
      if (!silent) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      if (!silent) to.destroy()
    })
  }

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    join(client, target)
    join(target, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function cutAll(): void {
    for (const socket of sockets) socket.destroy()
  }

  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      silent = true
    },
    restore() {
      silent = false
      // What was open then stays dead: the machine that answers now is another one.
      cutAll()
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      server.close()
      await once(server, 'close')
    },
  }
}
