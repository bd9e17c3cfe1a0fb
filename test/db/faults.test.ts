import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { type Unavailability, unavailabilityOf } from '../../src/db/faults.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Database

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const CODES: [code: string, meaning: string, kind: Unavailability | null][] = [
  ['53100', 'the disk is full', 'disk_full'],
  ['53200', 'the server has no memory left', 'unreachable'],
  ['53300', 'the server has no connection left', 'unreachable'],
  ['57P03', 'the server starts up', 'unreachable'],
  ['25006', 'the server is read-only', 'unreachable'],
  ['55P03', 'a lock is not available', 'contention'],
  ['57014', 'a statement took too long', 'contention'],
  ['40P01', 'there is a deadlock', 'contention'],
  ['23505', 'a row exists already', null],
  ['42601', 'the statement is wrong', null],
]

test.each(CODES)('%s, %s, is %o, over pg and over Prisma', async (code, meaning, kind) => {
  const statement = `do $$ begin raise sqlstate '${code}' using message = '${meaning}'; end $$`
  const errors = await Promise.all([
    database.pool.query(statement).catch((error: unknown) => error),
    database.prisma.$executeRawUnsafe(statement).catch((error: unknown) => error),
  ])
  for (const error of errors) {
    expect(error).toBeInstanceOf(Error)
    expect(unavailabilityOf(error)).toBe(kind)
  }
})
