import { openDatabase } from '../db/client.ts'
import { START_CONNECT_TIMEOUT_MS } from '../db/connections.ts'
import { migrate } from './migrate.ts'
import type { PreflightOptions } from './preflight.ts'

/** Migrates at the start of a process, on connections that may take up to 30 s to open. Returns the applied migrations. */
export async function migrateDatabase(
  url: string,
  options: Partial<PreflightOptions>,
): Promise<string[]> {
  await using database = openDatabase(url, { connectTimeoutMs: START_CONNECT_TIMEOUT_MS })
  return await migrate(database.pool, options)
}
