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
  const clients = new Set<Socket>()
  const targets = new Set<Socket>()
  /** Those whose other end is gone, which they are not told. */
  const dead = new WeakSet<Socket>()
  let silent = false

  function join(from: Socket, to: Socket, open: Set<Socket>): void {
    open.add(from)
    from.on('data', (chunk) => {
      if (!silent) to.write(chunk)
    })
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      if (!silent && !dead.has(to)) to.destroy()
    })
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
    async [Symbol.asyncDispose]() {
      for (const socket of [...clients, ...targets]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
