import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { testEnvironment } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

/* Postgres answers all the time: what fails waits for a lock or for a connection of Posthorn's own pools. */

let database: Database
let posthorn: PosthornProcess
let url: string
let token: string

beforeAll(async () => {
  database = await createTestDatabase()
  token = (await createTenant(database.prisma)).token
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  posthorn = startPosthorn(['start'], {
    environment: { ...testEnvironment(database.url), POSTHORN_LOG_LEVEL: 'info' },
  })
  url = (await logLine(posthorn, { msg: 'ready' }))['url']
  return () => posthorn[Symbol.asyncDispose]()
})

const LOCKED = /^The request waited too long for a lock in the database, or took too long there\./
const BUSY = /^Posthorn has too many requests in progress: all its connections to the database/

async function call(method: string, path: string, body?: object, key = token) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
  return { response, status: response.status, body: (await response.json()) as any }
}

const webhooks = '/api/connect/v1/webhooks'
const create = () =>
  call('POST', webhooks, { url: 'https://receiver.example', event_subscriptions: [JOINED] })

/** Keeps a table from everybody until it is released, or the test ends. */
async function lockTable(table: string) {
  const client = await database.pool.connect()
  await client.query(`begin; lock table posthorn.${table} in access exclusive mode`)
  const release = async () => void (await client.query('rollback'))
  onTestFinished(async () => {
    await release()
    client.release()
  })
  return {
    waiting: async () => {
      const { rows } = await client.query(
        `select count(*)::int as count from pg_locks where relation = 'posthorn.${table}'::regclass and not granted`,
      )
      return rows[0].count
    },
    release,
  }
}

function events(): string[] {
  return logLines(posthorn).flatMap(({ event }) => event ?? [])
}

function expectNoOutage(): void {
  const lines = logLines(posthorn).filter(({ level }) => level !== 'info')
  expect(JSON.stringify(lines)).not.toMatch(/unavailable|unreachable/i)
  expect(events()).not.toContain('postgres.unavailable')
}

test('while a table is locked, requests get 503 with the true cause, nothing is half done, and no outage is logged', async () => {
  const lock = await lockTable('webhooks')
  const creations = Array.from({ length: 3 }, create)
  await until(async () => (await lock.waiting()) >= 3, 'the creations wait for the lock')
  const lists = Array.from({ length: 12 }, () => call('GET', webhooks))
  await until(async () => (await lock.waiting()) >= 7, 'the organization has its connections')
  const query = await call('POST', '/graphql', { query: '{ webhooks { nodes { id } } }' })
  expect(query).toMatchObject({ status: 503 })
  expect(query.body.errors).toMatchObject([
    { message: expect.stringMatching(BUSY), extensions: { code: 'UNAVAILABLE' } },
  ])
  expect(await call('GET', '/readyz')).toMatchObject({ status: 200 })
  await new Promise((resolve) => setTimeout(resolve, PRISMA_TRANSACTION_MS))
  await lock.release()
  for (const { response, status, body } of await Promise.all(creations)) {
    expect(status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(body).toMatchObject({ detail: expect.stringMatching(LOCKED) })
  }
  const refused = (await Promise.all(lists)).filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, body } of refused) {
    expect(status).toBe(503)
    expect(body).toMatchObject({ detail: expect.stringMatching(BUSY) })
  }
  expect((await call('GET', webhooks)).body).toEqual([])
  expect(events()).toContain('postgres.contention')
  expect(events()).toContain('pool.exhausted')
  expectNoOutage()
})

/** The longest transaction of Prisma, by default. */
const PRISMA_TRANSACTION_MS = 5_500

test('while all connections wait for a lock, /readyz says that they are busy, and stays 200', async () => {
  const tenants = await Promise.all(Array.from({ length: 20 }, () => createTenant(database.prisma)))
  const lock = await lockTable('webhooks')
  const calls = tenants.map((tenant) => call('GET', webhooks, undefined, tenant.token))
  await until(async () => (await lock.waiting()) >= 15, 'all connections wait for the lock')
  expect(await call('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { status: 'ok', checks: { postgres: 'busy', migrations: 'busy', worker: 'ok' } },
  })
  await lock.release()
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(15)
  expect(statuses.filter((status) => status === 503)).toHaveLength(5)
  await until(
    async () => (await call('GET', '/readyz')).body.checks?.postgres === 'ok',
    'Postgres is no longer busy',
  )
  expectNoOutage()
})

test('replacing a runner and stopping close connections, which is no outage', async () => {
  await database.pool.query('delete from posthorn.workers')
  await logLine(posthorn, { msg: 'Replacing the worker runner.' }, 20_000)
  await until(async () => (await runnerConnections()) === 1, 'the old runner is gone', 20_000)
  posthorn.child.kill('SIGTERM')
  expect(await posthorn.ended).toBe(0)
  expectNoOutage()
})

async function runnerConnections(): Promise<number> {
  const { rows } = await database.pool.query(
    `select count(distinct application_name)::int as count from pg_stat_activity
     where application_name like 'posthorn-runner-%' and datname = current_database()`,
  )
  return rows[0].count
}
