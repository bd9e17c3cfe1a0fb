import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { connectClient } from '../../src/db/session-settings.ts'
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
export function sharedDatabase(): Promise<Database> {
  shared ??= createTestDatabase()
  return shared
}
let shared: Promise<Database> | undefined

/** A database of its own for the tests of a file, which change or count what is not of one organization. */
export async function useTestDatabase(): Promise<Database> {
  return await useResource(createTestDatabase())
}

/** Creates or drops a database. A `Database` would cost as much as the creation. */
export async function onServer(url: string, statement: string): Promise<void> {
  const server = new pg.Client({ connectionString: url })
  await connectClient(server, 'direct', 'migrations')
  try {
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
