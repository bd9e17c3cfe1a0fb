import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { proxiedUrl, startTcpProxy, type TcpProxy } from '../../faults/tcp-proxy.ts'

/** Starts a TCP proxy in front of a database. `url` is the URL of the database through the proxy. */
export async function startProxyTo(
  databaseUrl: string,
): Promise<TcpProxy & { readonly url: string }> {
  const proxy = await startTcpProxy(Number(new URL(databaseUrl).port))
  return { ...proxy, url: proxiedUrl(databaseUrl, proxy) }
}

export interface AnswerLoss extends AsyncDisposable {
  readonly url: string
  /** On each connection, drops the first answer that contains the text and all later ones. */
  loseAnswersWith(text: string): void
  /** Drops all answers to the open connections of worker runners. */
  loseAnswersToRunners(): void
  /** Breaks all connections. New connections lose no answers. */
  breakConnections(): void
}

/** Starts a proxy in front of a database that can drop the answers of Postgres. */
export async function startAnswerLoss(databaseUrl: string): Promise<AnswerLoss> {
  const sockets = new Set<Socket>()
  const runners = new Set<Socket>()
  const muted = new WeakSet<Socket>()
  let lostText: string | null = null
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
      if (lostText !== null && chunk.includes(lostText)) muted.add(client)
      if (!muted.has(client)) client.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  function breakConnections(): void {
    lostText = null
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: proxiedUrl(databaseUrl, server.address() as AddressInfo),
    loseAnswersWith(text) {
      lostText = text
    },
    loseAnswersToRunners() {
      for (const client of runners) muted.add(client)
    },
    breakConnections,
    async [Symbol.asyncDispose]() {
      breakConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
