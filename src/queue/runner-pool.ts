import type pg from 'pg'
import { createConnections } from '../db/connections.ts'

/** The connections of one worker runner. */
export interface RunnerPool {
  readonly pool: pg.Pool
  /** Closes all connections, whatever they wait for. Nothing can be written from then on. */
  destroy(): void
}

/** One listens, one claims, and the others complete. */
const MAX_CONNECTIONS = 5

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
  const connections = createConnections(databaseUrl)
  const pool = connections.open({
    maxConnections: MAX_CONNECTIONS,
    applicationName,
    sessionOptions: SETTINGS,
    onError,
  })
  return {
    pool,
    destroy() {
      if (!pool.ended) pool.end().catch(onError)
      connections.breakOff()
    },
  }
}
