import { createConnections, START_CONNECT_TIMEOUT_MS } from '../db/connections.ts'
import { migrate } from './migrate.ts'
import type { PreflightOptions } from './preflight.ts'

/** Migrates at the start of a process, on connections that may take up to 30 s to open. Returns the applied migrations. */
export async function migrateDatabase(
  url: string,
  options: Partial<PreflightOptions>,
): Promise<string[]> {
  const connections = createConnections(url, START_CONNECT_TIMEOUT_MS)
  const pool = connections.open({ maxConnections: 5, onError: () => {} })
  try {
    return await migrate(pool, options)
  } finally {
    await pool.end()
  }
}
