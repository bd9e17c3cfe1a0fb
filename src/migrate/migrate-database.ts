import { createConnections, START_CONNECT_TIMEOUT_MS } from '../db/connections.ts'
import { migrate } from './migrate.ts'
import type { PreflightOptions } from './preflight.ts'

export interface DatabaseUrls {
  readonly databaseUrl: string
  readonly poolerUrl: string | null
}

export interface MigrateDatabaseOptions
  extends Pick<Partial<PreflightOptions>, 'restartOtherWorkers'> {
  readonly workerSchema: string
  /** Whether this process connects through the pooler, which must then lead to the same database. Default: true. */
  readonly usesPooler?: boolean
}

/** Migrates at the start of a process, on connections that may take up to 30 s to open. Returns the applied migrations. */
export async function migrateDatabase(
  { databaseUrl, poolerUrl }: DatabaseUrls,
  { usesPooler = true, ...options }: MigrateDatabaseOptions,
): Promise<string[]> {
  const connections = createConnections(databaseUrl, START_CONNECT_TIMEOUT_MS)
  const pool = connections.open({ maxConnections: 5, onError: () => {} })
  const probe = connections.open({ maxConnections: 2, onError: () => {}, kind: 'pooled' })
  const pooler =
    poolerUrl !== null && usesPooler
      ? connections.open({ maxConnections: 1, onError: () => {}, poolerUrl })
      : null
  try {
    return await migrate(pool, {
      ...options,
      urlSetting: poolerUrl === null ? 'DATABASE_URL' : 'POSTHORN_DIRECT_DATABASE_URL',
      probe,
      pooler,
    })
  } finally {
    await probe.end()
    await pool.end()
    await pooler?.end()
  }
}
