import pg from 'pg'
import type { Database } from '../db/client.ts'
import { createOwnedSockets } from '../db/owned-sockets.ts'

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
 * graphile-worker looks rows up by an index, and claims in the order of one. Left to itself, Postgres may read all of a
 * table that was small when it planned, and a bitmap scan reads all that is due to claim a few. What is switched off
 * counts as so expensive before PostgreSQL 18 that it would be compiled.
 */
const SETTINGS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((method) => `set enable_${method} = off`)
  .concat('set jit = off')
  .join('; ')

export function openRunnerPool(
  { url, connections }: Pick<Database, 'url' | 'connections'>,
  applicationName: string,
  onError: (error: Error) => void,
): RunnerPool {
  const sockets = createOwnedSockets(connections.openSocket)
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    // Not by `options` of the connection, which poolers refuse.
    onConnect: async (client) => {
      await client.query(SETTINGS)
    },
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    stream: sockets.open,
  })
  // Without listeners, a connection that breaks would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  return {
    pool,
    destroy() {
      if (!pool.ended) pool.end().catch(onError)
      sockets.destroy()
    },
  }
}
