import pg from 'pg'
import { APPLICATION_NAME } from './embedded/embedded-postgres.ts'
import { createOwnedSockets, type OwnedSockets } from './owned-sockets.ts'

/** The connections of this process to one database. */
export interface Connections {
  /** A pool. It connects when first used, so this succeeds while Postgres is unreachable. */
  open(options: PoolOptions): pg.Pool
  /** For a pool that is opened elsewhere: the option `stream` of `pg`. */
  readonly openSocket: OwnedSockets['open']
  /** Breaks off those of all pools, whatever they wait for: their queries fail, and the pools replace them. */
  breakOff(): void
}

export interface PoolOptions {
  readonly maxConnections: number
  /** Called for connections that break while idle; the pool replaces them by itself. */
  readonly onError: (error: Error) => void
  /** A statement that every session of the pool begins with, such as `set jit = off`. Default: none. */
  readonly beginWith?: string
}

/** Longer than any connection takes that works, and than any statement is waited for that is not stuck. */
const CONNECT_WITHIN_MS = 2_000

/**
 * How long an unused connection is kept. A new one plans everything again: with 30 days of partitions the first event
 * that is published, loaded and recorded on it takes 50 ms instead of 4. Kept, it takes some 15 MB of Postgres.
 */
const IDLE_TIMEOUT_MS = 300_000

export function createConnections(url: string): Connections {
  const sockets = createOwnedSockets()
  return {
    open({ maxConnections, onError, beginWith }) {
      const pool = new pg.Pool({
        connectionString: url,
        application_name: APPLICATION_NAME,
        max: maxConnections,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        stream: sockets.open,
        // Not by `options` of the connection, which poolers refuse.
        ...(beginWith !== undefined && {
          onConnect: async (client) => {
            await client.query(beginWith)
          },
        }),
      })
      // Without listeners, a connection that breaks would end the process.
      pool.on('error', onError)
      pool.on('connect', (client) => client.on('error', onError))
      return pool
    },

    openSocket: sockets.open,
    breakOff: sockets.destroy,
  }
}
