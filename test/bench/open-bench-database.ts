import { type Database, openDatabase } from '../../src/db/client.ts'

/** Without limits of time: the statements of a benchmark fill tables, vacuum them and write checkpoints. */
export function openBenchDatabase(
  url: string,
  { maxConnections }: { readonly maxConnections?: number } = {},
): Database {
  return openDatabase(url, {
    purpose: 'migrations',
    ...(maxConnections !== undefined && { maxConnections }),
  })
}
