import type pg from 'pg'
import type { Database } from '../db/client.ts'
import { CONNECT_TIMEOUT_MS } from '../db/connections.ts'
import { FairPool } from '../db/fair-pool.ts'
import { createOwnedSockets } from '../db/owned-sockets.ts'
import { sessionOptions } from '../db/session-settings.ts'

/** The Postgres connections of one worker runner. */
export interface RunnerPool {
  readonly pool: pg.Pool
  /** Closes all connections, also busy ones. */
  destroy(): void
}

/** One listens, one claims, and the others complete jobs. */
const MAX_CONNECTIONS = 5

/**
 * graphile-worker looks up and claims rows in the order of an index. By default, Postgres may scan a whole table that was
 * small when the plan was made, and a bitmap scan reads all due jobs to claim a few. Before PostgreSQL 18, a disabled scan
 * also has so high a cost that it triggers JIT compilation.
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
  const pool = new FairPool({
    connectionString: url,
    application_name: applicationName,
    ...sessionOptions('direct', 'jobs', SETTINGS),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: sockets.open,
  })
  let isDestroyed = false
  function report(error: Error): void {
    if (!isDestroyed) onError(error)
  }
  // Without listeners, a broken connection would end the process.
  pool.on('error', report)
  pool.on('connect', (client) => client.on('error', report))
  return {
    pool,
    destroy() {
      isDestroyed = true
      if (!pool.ended) pool.end().catch(report)
      sockets.destroy()
    },
  }
}
