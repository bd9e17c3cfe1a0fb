import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Relay, startRelay } from '../../faults/relay.ts'

/** A stretch of network before a database, and the URL to reach it through. */
export async function startRelayTo(databaseUrl: string): Promise<Relay & { readonly url: string }> {
  const relay = await startRelay(Number(new URL(databaseUrl).port))
  return { ...relay, url: through(databaseUrl, relay.port) }
}

export interface AnswerLoss extends AsyncDisposable {
  readonly url: string
  /** A connection gets no more answers from the one on that contains this. */
  loseAnswersWith(text: string): void
  /** The connections that runners have open by now get no more answers. All others do. */
  loseAnswersToRunners(): void
  /** Breaks all connections, and answers arrive again on the next. */
  breakConnections(): void
}

/** Network before a database that can lose the answers of Postgres. */
export async function startAnswerLoss(databaseUrl: string): Promise<AnswerLoss> {
  const sockets = new Set<Socket>()
  const runners = new Set<Socket>()
  const lost = new WeakSet<Socket>()
  let losing: string | null = null
  const server = createServer((client) => {
    const target = connect(Number(new URL(databaseUrl).port), '127.0.0.1')
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        target.destroy()
      })
    }
    client.once('data', (startup) => {
      if (startup.includes('posthorn-runner')) runners.add(client)
    })
    client.on('data', (chunk) => target.write(chunk))
    target.on('data', (chunk) => {
      if (losing !== null && chunk.includes(losing)) lost.add(client)
      if (!lost.has(client)) client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  function breakConnections(): void {
    losing = null
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: through(databaseUrl, (server.address() as AddressInfo).port),
    loseAnswersWith(text) {
      losing = text
    },
    loseAnswersToRunners() {
      for (const client of runners) lost.add(client)
    },
    breakConnections,
    async [Symbol.asyncDispose]() {
      breakConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function through(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
