import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { createKeyring } from '../../src/auth/encryption/keyring.ts'
import { requireListedKeys } from '../../src/auth/encryption/stored-secrets.ts'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { applySessionSettings } from '../../src/db/session-settings.ts'
import { ENCRYPTION_KEY, JOINED, TICKET } from './factories.ts'
import { useResource } from './use-resource.ts'
import { withDatabase } from './with-database.ts'

/** A machine that runs the tests is busy: Postgres may take longer than a process in production would wait for it, and
 * tests hold locks. */
export const PATIENT = { connectTimeoutMs: 30_000, purpose: 'migrations' } as const

/** Creates a migrated database; disposing it drops the database. */
export async function createTestDatabase(): Promise<Database> {
  const name = `posthorn_test_${randomBytes(6).toString('hex')}`
  const server = inject('postgresUrl')
  // Copying files takes a quarter of the time of writing the pages to the write-ahead log, the default.
  const options = `template ${inject('templateDatabase')} strategy file_copy`
  await onServer(server, `create database ${name} ${options}`)
  const database = openDatabase(withDatabase(server, name), PATIENT)
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await onServer(server, `drop database if exists ${name} with (force)`)
    },
  }
}

/** The database that the files of a worker process share. No worker of Posthorn runs there. The run deletes it. */
export async function sharedDatabase(): Promise<Database> {
  shared ??= createTestDatabase()
  await leaveAsFound(await shared)
  return await shared
}
let shared: Promise<Database> | undefined

/**
 * Gives the event types of the contract back what the tests of a file change of them, and fails a file whose secrets others
 * cannot read.
 */
export async function leaveAsFound({ pool }: Database): Promise<void> {
  const { rows: found } = await pool.query(
    `select name, schema::text, search_keys, archived_at from posthorn.event_types where name = any ($1)`,
    [[JOINED, TICKET]],
  )
  afterAll(async () => {
    for (const type of found)
      await pool.query(
        `update posthorn.event_types
         set schema = $2::text::json, search_keys = $3::text[], archived_at = $4::timestamptz, revision = revision + 1
         where name = $1 and (schema::text, search_keys, archived_at) is distinct from ($2, $3, $4)`,
        Object.values(type),
      )
    await requireListedKeys(pool, createKeyring([ENCRYPTION_KEY]))
  })
}

/** A database of its own for the tests of a file, which change or count what is not of one organization. */
export async function useTestDatabase(): Promise<Database> {
  return await useResource(createTestDatabase())
}

/** Creates or drops a database. A `Database` would cost as much as the creation. */
export async function onServer(url: string, statement: string): Promise<void> {
  const server = new pg.Client({ connectionString: url })
  await server.connect()
  try {
    await applySessionSettings(server, 'direct', 'migrations')
    // Postgres rejects concurrent clones of one template, which other test files may create.
    for (let tries = 0; ; tries++) {
      try {
        await server.query(statement)
        return
      } catch (error) {
        if ((error as { code?: string }).code !== '55006' || tries >= 50) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  } finally {
    await server.end()
  }
}
