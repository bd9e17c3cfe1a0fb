import { createConnections, START_CONNECT_TIMEOUT_MS } from '../pools.ts'
import { migrate } from './migrate.ts'

interface DatabaseUrls {
  readonly databaseUrl: string
  readonly poolerUrl: string | null
}

interface MigrateDatabaseOptions {
  readonly workerSchema: string
  /** Whether this process connects through the pooler. Default: true. */
  readonly usesPooler?: boolean
}

const SETTINGS = { purpose: 'migrations', onError: () => {} } as const

/** Migrates at the start of a process, on connections that may take up to 30 s to open. Returns the applied migrations. */
export async function migrateDatabase(
  { databaseUrl, poolerUrl }: DatabaseUrls,
  { usesPooler = true, ...options }: MigrateDatabaseOptions,
): Promise<string[]> {
  const connections = createConnections(databaseUrl, START_CONNECT_TIMEOUT_MS)
  const pool = connections.open({ ...SETTINGS, maxConnections: 5 })
  const probe = connections.open({ ...SETTINGS, maxConnections: 2, kind: 'pooled' })
  const pooler =
    poolerUrl !== null && usesPooler
      ? connections.open({ ...SETTINGS, maxConnections: 1, poolerUrl })
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
