import pg from 'pg'
import { APPLICATION_NAME } from './embedded.ts'

export interface PoolOptions {
  readonly maxConnections: number
  /** Told about connections that break while idle; the pool replaces them by itself. */
  readonly onError: (error: Error) => void
}

/** Longer than any connection takes that works, and than any statement is waited for that is not stuck. */
const CONNECT_WITHIN_MS = 2_000

/** Connections to Postgres. They are made when first used, so this succeeds while Postgres is away. */
export function openPool(url: string, { maxConnections, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: APPLICATION_NAME,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // Without listeners, a connection that breaks would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}
