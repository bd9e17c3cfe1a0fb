import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { type Unavailability, unavailabilityOf } from '../../src/db/faults.ts'
import { useTestDatabase } from '../support/database.ts'
import { listen } from '../support/listen.ts'

const database = await useTestDatabase()

const CODES: [code: string, meaning: string, kind: Unavailability | null][] = [
  ['53100', 'the disk is full', 'disk_full'],
  ['53200', 'the server has no memory left', 'unreachable'],
  ['53300', 'the server has no connection left', 'unreachable'],
  ['57P03', 'the server starts up', 'unreachable'],
  ['25006', 'the server is read-only', 'unreachable'],
  ['55P03', 'a lock is not available', 'contention'],
  ['57014', 'a statement took too long', 'time_limit'],
  ['25P03', 'a transaction waited too long for its next statement', 'time_limit'],
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

const STATEMENTS: [name: string, run: (database: Database) => Promise<unknown>][] = [
  ['pg', ({ pool }) => pool.query('select 1')],
  // Awaited, because a statement of Prisma starts when it is awaited.
  ['Prisma', async ({ prisma }) => await prisma.$queryRaw`select 1`],
  ['a transaction of Prisma', ({ prisma }) => prisma.$transaction((tx) => tx.$queryRaw`select 1`)],
]

test.each(STATEMENTS)('waiting for a free connection is not an outage: over %s', async (_, run) => {
  await using busy = openDatabase(database.url, { maxConnections: 1, connectTimeoutMs: 1_000 })
  const client = await busy.pool.connect()
  try {
    expect(unavailabilityOf(await failureOf(run(busy)))).toBe('pool_exhausted')
  } finally {
    client.release()
  }
  await run(busy)
})

test.each(STATEMENTS)('waiting for a silent Postgres is one: over %s', async (_, run) => {
  const server = createServer()
  const url = `postgres://posthorn@127.0.0.1:${await listen(server)}/none`
  await using silent = openDatabase(url, { connectTimeoutMs: 200 })
  expect(unavailabilityOf(await failureOf(run(silent)))).toBe('unreachable')
  server.close()
})

test.each(STATEMENTS)('a closed pool is not an outage: over %s', async (_, run) => {
  const closed = openDatabase(database.url)
  await closed.pool.end()
  expect(unavailabilityOf(await failureOf(run(closed)))).toBe('stopping')
})

test('a transaction of Prisma that takes too long, or cannot start in time, is not an outage', async () => {
  await using busy = openDatabase(database.url, { maxConnections: 1 })
  const slow = busy.prisma.$transaction((tx) => tx.$queryRaw`select from pg_sleep(0.5)`, {
    timeout: 50,
  })
  expect(unavailabilityOf(await failureOf(slow))).toBe('time_limit')
  const client = await busy.pool.connect()
  const late = busy.prisma.$transaction((tx) => tx.$queryRaw`select 1`, { maxWait: 50 })
  expect(unavailabilityOf(await failureOf(late))).toBe('time_limit')
  client.release()
})

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.fail('It did not fail.'),
    (error: unknown) => error,
  )
}
