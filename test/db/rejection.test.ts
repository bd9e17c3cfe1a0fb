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

const errorOf = (asking: Promise<unknown>) =>
  asking.then(
    () => null,
    (error: unknown) => error,
  )

test.each([
  ['refuses it', 'select 1 / 0', true],
  ['ends the session', 'select pg_terminate_backend(pg_backend_pid())', false],
])('where Postgres %s, that says whether nothing was done', async (_what, text, nothing) => {
  const client = await database.pool.connect()
  client.on('error', () => {})
  expect(hadNoEffect(await errorOf(client.query(text)))).toBe(nothing)
  client.release(true)
})

test.each([
  ['at a port where nobody is', 'postgres://posthorn@127.0.0.1:1/posthorn'],
  ['over a socket file that is not there', 'postgres://posthorn@%2Fnowhere/posthorn'],
  ['at a name that is none', 'postgres://posthorn@nobody.invalid/posthorn'],
])('nothing was done where Postgres is not reached, %s', async (_where, url) => {
  const pool = new pg.Pool({ connectionString: url })
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  await pool.end()
})

test('nothing was done where no connection is free in time', async () => {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const client = await pool.connect()
  pool.options.connectionTimeoutMillis = 20
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  client.release()
  await pool.end()
})

test('nothing was done where a new connection is not answered in time', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const connectionString = `postgres://posthorn@127.0.0.1:${port}/posthorn`
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 20 })
  expect(hadNoEffect(await errorOf(pool.query('select 1')))).toBe(true)
  await pool.end()
  silent.close()
})

test('all may have been done where the connection broke', async () => {
  const client = await database.pool.connect()
  client.on('error', () => {})
  const asking = errorOf(client.query('select pg_sleep(60)'))
  await until(async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  }, 'it runs')
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
  expect(hadNoEffect(await asking)).toBe(false)
  client.release(true)
})
