import type { ProxiedConnection } from '../../faults/proxied-connection.ts'
import { startTcpProxy } from '../../faults/tcp-proxy.ts'

/** Starts a proxy in front of a database that can drop the answers of Postgres. */
export async function startAnswerLoss(databaseUrl: string) {
  const started = new WeakSet<ProxiedConnection>()
  const runners = new Set<ProxiedConnection>()
  const muted = new WeakSet<ProxiedConnection>()
  let lostText: string | null = null
  const proxy = await startTcpProxy(databaseUrl, (from, chunk, connection) => {
    if (from === 'client') {
      // The first message has the name of the application.
      if (!started.has(connection) && chunk.includes('posthorn-runner')) runners.add(connection)
      started.add(connection)
      return true
    }
    if (lostText !== null && chunk.includes(lostText)) muted.add(connection)
    return !muted.has(connection)
  })
  return {
    url: proxy.url,
    /** On each connection, drops the first answer that contains the text and all later ones. */
    loseAnswersWith(text: string) {
      lostText = text
    },
    /** Drops all answers to the open connections of worker runners. */
    loseAnswersToRunners() {
      for (const connection of runners) muted.add(connection)
    },
    /** Breaks all connections. New connections lose no answers. */
    breakConnections() {
      lostText = null
      proxy.disconnect()
      proxy.connect()
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
