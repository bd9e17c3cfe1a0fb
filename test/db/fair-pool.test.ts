import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { FairPool } from '../../src/db/fair-pool.ts'
import { unavailabilityOf } from '../../src/db/faults.ts'
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
  const client = await pool.connect()
  await client.query('select pg_advisory_lock($1)', [key])
  return async () => {
    await client.query('select pg_advisory_unlock($1)', [key])
    client.release()
  }
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
  const unlock = await lock(database, key)
  const slow = Array.from({ length: 20 }, () => owner.run('a', () => run(database, wait(key))))
  await until(async () => (await waitingFor(database, key)) >= 3, 'some wait for the lock')
  for (let i = 0; i < 5; i++) await owner.run('b', () => run(database, 'select 1'))
  // One connection has the lock. Of the other seven, an owner gets half.
  expect(await waitingFor(database, key)).toBe(3)
  await unlock()
  await Promise.all(slow)
})

test('a statement that waits too long for a connection fails, and those that have one do not', async () => {
  // A connect may take longer.
  const { connections } = await open()
  const pool = connections.open({ ...UNLIMITED, maxWaitMs: 1_000, onError: () => {} })
  onTestFinished(() => pool.end())
  const unlock = await lock({ pool }, 7004)
  const slow = Array.from({ length: 10 }, () => owner.run('a', () => pool.query(wait(7004))))
  const results = Promise.allSettled(slow)
  for (const one of slow.slice(3)) {
    await expect(one).rejects.toThrow('No connection of the pool was free within 1000 ms.')
  }
  await unlock()
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

describe('a connection whose set-up takes too long', () => {
  test.each([
    ['is opened for a statement', 0],
    ['is opened for one of two statements, as there is one idle connection', 1],
  ])('is an outage, and raises no limit: it %s', async (_, idle) => {
    let setUpSeconds = 0
    const pool = new FairPool({
      connectionString: inject('postgresUrl'),
      max: 2,
      connectionTimeoutMillis: 1_000,
      onConnect: async (client) => {
        await client.query('select pg_sleep($1)', [setUpSeconds])
      },
    })
    onTestFinished(() => pool.end())
    for (let i = 0; i < idle; i++) await pool.query('select 1')
    setUpSeconds = 2
    const statements = Array.from({ length: idle + 1 }, () => failureOf(pool.query('select 1')))
    const failures = await Promise.all(statements)
    expect(failures.filter((failure) => failure !== null).map(unavailabilityOf)).toEqual([
      'unreachable',
    ])
    setUpSeconds = 0
    await until(() => pool.idleCount === idle + 1, 'the late connection is idle')
    const clients = [await pool.connect(), await pool.connect()]
    expect(unavailabilityOf(await failureOf(pool.connect()))).toBe('pool_exhausted')
    for (const client of clients) client.release()
    await Promise.all([pool.query('select 1'), pool.query('select 1')])
  })
})

test('a statement that waits for a connection while its pool closes gets no outage', async () => {
  const pool = new FairPool({
    connectionString: inject('postgresUrl'),
    max: 1,
    connectionTimeoutMillis: 60_000,
  })
  const client = await pool.connect()
  const failure = failureOf(pool.query('select 1'))
  const ended = pool.end()
  client.release()
  expect(unavailabilityOf(await failure)).toBe('stopping')
  await ended
})

/** The error of a statement, or null. */
const failureOf = (statement: Promise<unknown>) =>
  statement.then(
    () => null,
    (error: unknown) => error,
  )

test('a statement waits for `maxWaitMs` for a connection that others use, by default as long as for a connect', async () => {
  const poolWith = (options: { maxWaitMs?: number }) => {
    const config = {
      connectionString: inject('postgresUrl'),
      max: 1,
      connectionTimeoutMillis: 1_000,
    }
    const pool = new FairPool(config, options)
    onTestFinished(() => pool.end())
    return pool
  }
  const [patient, usual] = [poolWith({ maxWaitMs: 60_000 }), poolWith({})]
  const clients = [await patient.connect(), await usual.connect()]
  const failures = [failureOf(patient.query('select 1')), failureOf(usual.query('select 1'))]
  expect(unavailabilityOf(await failures[1])).toBe('pool_exhausted')
  for (const client of clients) client.release()
  expect(await failures[0]).toBeNull()
})
