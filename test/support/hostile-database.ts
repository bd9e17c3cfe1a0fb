import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { SESSION_SETTINGS, TIME_LIMITS } from '../../src/db/session-settings.ts'
import { createTestDatabase, PATIENT } from './database.ts'
import { HOSTILE_SETTINGS, hostileSettingsSql } from './hostile-settings.ts'

/** A database whose connections get hostile values for what other people set in Postgres. */
export async function createHostileDatabase({
  settings = HOSTILE_SETTINGS,
} = {}): Promise<Database> {
  const database = await createTestDatabase()
  await makeHostile(database, settings)
  return database
}

/** Gives a database the settings that Posthorn needs, as an operator does for a transaction pooler. */
export async function makeUsual(database: Database): Promise<void> {
  await makeHostile(database, {})
}

const USUAL_SETTINGS = Object.fromEntries(
  [...SESSION_SETTINGS, ...TIME_LIMITS.requests].map(({ name, value }) => [name, value]),
)

/** Connections that open later get the values. What `settings` does not name is as Posthorn needs it. */
export async function makeHostile(
  { url }: Database,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  // Not through the database itself, whose connections would stay as they are.
  await using server = openDatabase(inject('postgresUrl'), { ...PATIENT, maxConnections: 1 })
  await server.pool.query(
    hostileSettingsSql(new URL(url).pathname.slice(1), { ...USUAL_SETTINGS, ...settings }),
  )
}
