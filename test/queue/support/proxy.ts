import type { ProxiedConnection } from '../../faults/proxied-connection.ts'
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
  const started = new WeakSet<ProxiedConnection>()
  const runners = new Set<ProxiedConnection>()
  const muted = new WeakSet<ProxiedConnection>()
  let lostText: string | null = null
  const proxy = await startTcpProxy(
    Number(new URL(databaseUrl).port),
    (from, chunk, connection) => {
      if (from === 'client') {
        // The first message has the name of the application.
        if (!started.has(connection) && chunk.includes('posthorn-runner')) runners.add(connection)
        started.add(connection)
        return true
      }
      if (lostText !== null && chunk.includes(lostText)) muted.add(connection)
      return !muted.has(connection)
    },
  )
  return {
    url: proxiedUrl(databaseUrl, proxy),
    loseAnswersWith(text) {
      lostText = text
    },
    loseAnswersToRunners() {
      for (const connection of runners) muted.add(connection)
    },
    breakConnections() {
      lostText = null
      proxy.disconnect()
      proxy.connect()
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
