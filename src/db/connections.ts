import pg from 'pg'
import { describeOnce } from './describe-once.ts'
import { APPLICATION_NAME } from './embedded.ts'

/** The connections of this process to one database. */
export interface Connections {
  /** A pool. It connects when first used, so this succeeds while Postgres is away. */
  open(options: PoolOptions): pg.Pool
  /** Breaks off those of all pools, whatever they wait for: their queries fail, and the pools replace them. */
  breakOff(): void
}

export interface PoolOptions {
  readonly maxConnections: number
  /** Told about connections that break while idle; the pool replaces them by itself. */
  readonly onError: (error: Error) => void
}

/** Longer than any connection takes that works, and than any statement is waited for that is not stuck. */
const CONNECT_WITHIN_MS = 2_000

/**
 * How long a connection that nobody uses is kept. A new one makes all its plans anew: with 30 days of partitions the first
 * event that is published, loaded and recorded on it takes 50 ms instead of 4. Kept, it takes some 15 MB of Postgres.
 */
const REST_FOR_MS = 300_000

export function createConnections(url: string): Connections {
  const open = new Set<pg.PoolClient>()
  return {
    open({ maxConnections, onError }) {
      const pool = new pg.Pool({
        connectionString: url,
        application_name: APPLICATION_NAME,
        max: maxConnections,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        idleTimeoutMillis: REST_FOR_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
      })
      // Without listeners, a connection that breaks would end the process.
      pool.on('error', onError)
      pool.on('connect', (client) => {
        client.on('error', onError)
        describeOnce(client)
        open.add(client)
      })
      pool.on('remove', (client) => open.delete(client as pg.PoolClient))
      return pool
    },

    breakOff() {
      for (const client of open) {
        const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
        connection.stream.destroy()
      }
    },
  }
}
