import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { NO_FREE_CONNECTION, shareConnections } from '../../src/db/pools.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

const owner = new AsyncLocalStorage<string>()

const ownerOf = () => owner.getStore() ?? null

/** Statements may wait for locks as long as the test holds them: only those of migrations have no time limit. */
const UNLIMITED = { maxConnections: 8, purpose: 'migrations', ownerOf } as const

async function open() {
  const database = openDatabase(inject('postgresUrl'), { ...UNLIMITED, connectTimeoutMs: 60_000 })
  onTestFinished(() => database[Symbol.asyncDispose]())
  return database
}

/** Locks, so that statements that want the same lock wait. */
async function lock({ pool }: Pick<Database, 'pool'>, key: number) {
  const locked = await openTransaction(pool)
  await locked.query('select pg_advisory_xact_lock($1)', [key])
  return locked
}

async function waitingFor({ pool }: Database, key: number): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
    [key],
  )
  return rows[0].count
}

const wait = (key: number) =>
  `select count(*) from (select pg_advisory_xact_lock_shared(${key})) as locked`

test.each<[string, number, (database: Database, sql: string) => Promise<unknown>]>([
  ['plain SQL', 7001, ({ pool }, sql) => pool.query(sql)],
  // Awaited, because a statement of Prisma starts when it is awaited.
  ['Prisma', 7002, async ({ prisma }, sql) => await prisma.$queryRawUnsafe(sql)],
  [
    'transactions of Prisma',
    7003,
    ({ prisma }, sql) =>
      prisma.$transaction((tx) => tx.$queryRawUnsafe(sql), { maxWait: 60_000, timeout: 60_000 }),
  ],
])('slow statements of one owner leave connections to others: %s', async (_, key, run) => {
  const database = await open()
  using locked = await lock(database, key)
  const slow = Array.from({ length: 20 }, () => owner.run('a', () => run(database, wait(key))))
  await until(async () => (await waitingFor(database, key)) >= 3, 'some wait for the lock')
  for (let i = 0; i < 5; i++) await owner.run('b', () => run(database, 'select 1'))
  // One connection has the lock. Of the other seven, an owner gets half.
  expect(await waitingFor(database, key)).toBe(3)
  await locked.query('commit')
  await Promise.all(slow)
})

test('a statement that waits too long for a connection fails, and those that have one do not', async () => {
  // A connect may take longer.
  const { connections } = await open()
  const pool = connections.open({ ...UNLIMITED, onError: () => {} })
  shareConnections(pool, { ownerOf, maxWaitMs: 1_000 })
  onTestFinished(() => pool.end())
  using locked = await lock({ pool }, 7004)
  const slow = Array.from({ length: 10 }, () => owner.run('a', () => pool.query(wait(7004))))
  const results = Promise.allSettled(slow)
  for (const one of slow.slice(3)) {
    await expect(one).rejects.toThrow(NO_FREE_CONNECTION)
  }
  await locked.query('commit')
  expect((await results).slice(0, 3).map(({ status }) => status)).toEqual(
    Array(3).fill('fulfilled'),
  )
  await owner.run('a', () => pool.query('select 1'))
})

test('a failed connection is not counted', async () => {
  const database = openDatabase('postgres://nobody:wrong@127.0.0.1:1/none', {
    maxConnections: 2,
    ownerOf: () => 'a',
  })
  onTestFinished(() => database[Symbol.asyncDispose]())
  for (let i = 0; i < 5; i++) {
    await expect(database.pool.query('select 1')).rejects.toThrow('ECONNREFUSED')
  }
})
