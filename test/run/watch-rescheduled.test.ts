import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { watchRescheduled } from '../../src/run/watch-rescheduled.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: Database
let searches: number
const errors: unknown[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  searches = 0
  errors.length = 0
})
afterEach(async () => await database[Symbol.asyncDispose]())

const watch = () =>
  watchRescheduled({
    pool: database.pool,
    workerSchema: 'graphile_worker',
    report: () => {
      searches += 1
    },
    onError: (error) => errors.push(error),
  })

/** Searches wait for the lock of the deliveries. */
async function blockSearches(): Promise<AsyncDisposable> {
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query('lock posthorn.deliveries in access exclusive mode')
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

async function running(): Promise<number> {
  const { rows } = await database.pool.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%rescheduled as materialized%'`,
  )
  return rows[0].n
}

async function passes(ms: number): Promise<void> {
  const before = Date.now()
  await until(() => Date.now() - before > ms, 'a while passes')
}

test('one of several workers searches, and a long search is followed by a pause for all', async () => {
  await using _first = watch()
  await using _second = watch()
  let endedBefore = 0
  {
    await using _blocked = await blockSearches()
    await until(async () => (await running()) > 0, 'a search runs')
    // Each worker would have begun another search.
    await passes(4_000)
    expect(await running()).toBe(1)
    endedBefore = searches
  }
  await until(() => searches > endedBefore, 'the search ends')
  const { rows } = await database.pool.query(
    `select extract(epoch from reached_at - now())::float8 as "inSeconds" from posthorn.cursors where name = 'rescheduled_jobs'`,
  )
  expect(rows[0].inSeconds).toBeGreaterThan(60)
  const before = searches
  await passes(4_000)
  expect(searches).toBe(before)
  expect(errors).toEqual([])
})

test('stopping waits for no search, and another worker searches next', async () => {
  const stopped = watch()
  const blocked = await blockSearches()
  await until(async () => (await running()) === 1, 'a search runs')
  const endedBefore = searches
  await stopped[Symbol.asyncDispose]()
  expect(await running()).toBe(1)
  expect(searches).toBe(endedBefore)
  expect(errors).toEqual([])
  await blocked[Symbol.asyncDispose]()
  await using _next = watch()
  await until(() => searches > endedBefore, 'another worker searches')
})
