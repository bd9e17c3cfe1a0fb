import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { hadNoEffect } from '../../src/db/rejection.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: Database

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(async () => await database[Symbol.asyncDispose]())

const errorOf = (query: Promise<unknown>) =>
  query.then(
    () => null,
    (error: unknown) => error,
  )

test.each([
  ['a rejected statement had no effect', 'select 1 / 0', true],
  [
    'a statement that ended the session may have had an effect',
    'select pg_terminate_backend(pg_backend_pid())',
    false,
  ],
])('%s', async (_case, text, isCertain) => {
  const client = await database.pool.connect()
  client.on('error', () => {})
  expect(hadNoEffect(await errorOf(client.query(text)))).toBe(isCertain)
  client.release(true)
})

test.each([
  ['a closed port', 'postgres://posthorn@127.0.0.1:1/posthorn'],
  ['a missing socket file', 'postgres://posthorn@%2Fnowhere/posthorn'],
  ['an unknown host name', 'postgres://posthorn@nobody.invalid/posthorn'],
])('a statement had no effect if Postgres is unreachable: %s', async (_case, url) => {
  const pool = new pg.Pool({ connectionString: url })
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  await pool.end()
})

test('a statement had no effect if no connection is free in time', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const client = await pool.connect()
  pool.options.connectionTimeoutMillis = 20
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  client.release()
  await pool.end()
})

test('a statement had no effect if connecting times out', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const connectionString = `postgres://posthorn@127.0.0.1:${port}/posthorn`
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 20 })
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  await pool.end()
  silent.close()
})

test('a statement may have had an effect if the connection broke', async () => {
  const client = await database.pool.connect()
  client.on('error', () => {})
  const error = errorOf(client.query('select pg_sleep(60)'))
  await until(async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  }, 'the query runs')
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
  expect(hadNoEffect(await error)).toBe(false)
  client.release(true)
})
