import { Socket } from 'node:net'
import pg from 'pg'

/** The connections of one worker runner. */
export interface RunnerPool {
  readonly pool: pg.Pool
  /** Closes all connections, whatever they wait for. Nothing can be written from then on. */
  destroy(): void
}

/** One listens, one claims, and the others complete. */
const MAX_CONNECTIONS = 5

const CONNECT_WITHIN_MS = 2_000

/**
 * graphile-worker looks rows up by an index in every statement. Left to itself, Postgres may plan one on an empty table,
 * and read all of a million scheduled jobs with that plan later.
 */
const SETTINGS = '-c enable_seqscan=off -c jit=off'

export function openRunnerPool(
  databaseUrl: string,
  applicationName: string,
  onError: (error: Error) => void,
): RunnerPool {
  const sockets = new Set<Socket>()
  function openSocket(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: applicationName,
    options: SETTINGS,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    stream: openSocket,
  })
  // Without listeners, a connection that breaks would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  return {
    pool,
    destroy() {
      if (!pool.ended) pool.end().catch(onError)
      for (const socket of sockets) socket.destroy()
    },
  }
}
