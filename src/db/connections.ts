import pg from 'pg'
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
  /** How values are read. Default: as `pg` does. */
  readonly types?: pg.CustomTypesConfig
}

/** Longer than any connection takes that works, and than any statement is waited for that is not stuck. */
const CONNECT_WITHIN_MS = 2_000

export function createConnections(url: string): Connections {
  const open = new Set<pg.PoolClient>()
  return {
    open({ maxConnections, onError, types }) {
      const pool = new pg.Pool({
        connectionString: url,
        application_name: APPLICATION_NAME,
        max: maxConnections,
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        idleTimeoutMillis: 30_000,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        types,
      })
      // Without listeners, a connection that breaks would end the process.
      pool.on('error', onError)
      pool.on('connect', (client) => {
        client.on('error', onError)
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
