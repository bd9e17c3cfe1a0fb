import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { createBlankDatabase } from './blank-database.ts'
import { createTestDatabase, PATIENT } from './database.ts'
import { HOSTILE_SETTINGS, hostileSettingsSql } from './hostile-settings.ts'

/** A database whose connections get hostile values for what other people set in Postgres. */
export async function createHostileDatabase({
  migrated = true,
  settings = HOSTILE_SETTINGS,
}: {
  readonly migrated?: boolean
  readonly settings?: Readonly<Record<string, string>>
} = {}): Promise<Database> {
  const database = migrated ? await createTestDatabase() : await createBlankDatabase()
  await makeHostile(database, settings)
  return database
}

/** Connections that open later get the values. */
export async function makeHostile(
  { url }: Database,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  // Not through the database itself, whose connections would stay as they are.
  await using server = openDatabase(inject('postgresUrl'), { ...PATIENT, maxConnections: 1 })
  await server.pool.query(hostileSettingsSql(new URL(url).pathname.slice(1), settings))
}
