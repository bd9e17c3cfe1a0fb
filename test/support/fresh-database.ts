import { afterEach, beforeEach } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { createTestDatabase } from './database.ts'

/** Another database for each test. */
export function useFreshDatabase(): Database {
  const database = {} as Database
  beforeEach(async () => {
    Object.assign(database, await createTestDatabase())
  })
  afterEach(() => database[Symbol.asyncDispose]())
  return database
}
