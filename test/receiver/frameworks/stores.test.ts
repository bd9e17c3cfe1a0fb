import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DeliveryStore, deduplicate } from '../../../packages/receiver/src/index.ts'
import { createTestDatabase } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'
import { hostUrl } from '../../support/host-url.ts'
import { requirePackages } from '../../support/installed-packages.ts'
import { findProgram, programPath } from '../../support/installed-program.ts'
import { needsOptional } from '../../support/left-out.ts'
import { until } from '../../support/until.ts'
import { readmeFiles } from '../support/packed-receiver.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-stores-'))
  for (const [name, code] of await readmeFiles()) {
    if (!name.includes('/')) await writeFile(path.join(folder, name), code)
  }
})
afterAll(async () => await rm(folder, { recursive: true }))

/** What a file of the README exports. It imports types only. */
const load = async (file: string) => await import(path.join(folder, file))

const fails = () => {
  throw new Error('The disk is full.')
}

const redisOptions = findProgram('redis-server')
  ? await requirePackages('test/receiver/frameworks')
  : needsOptional('redis-server')

describe('the store in Redis', redisOptions, () => {
  let server: ReturnType<typeof spawn>
  let ended: Promise<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: its types are installed on demand.
  let redis: any
  let store: DeliveryStore

  beforeAll(async () => {
    const port = await freePort()
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '']
    server = spawn(programPath('redis-server'), options, { cwd: folder, stdio: 'ignore' })
    ended = once(server, 'close')
    const { createClient } = createRequire(path.join(import.meta.dirname, 'x.js'))('redis')
    redis = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {})
    await redis.connect()
    store = (await load('redis-store.ts')).redisStore(redis)
  })
  afterAll(async () => {
    redis?.destroy()
    server?.kill()
    await ended
  })

  test('remembers what was processed, and forgets what failed', async () => {
    const run = deduplicate(store)
    await expect(run('msg_1', fails)).rejects.toThrow('The disk is full.')
    expect(await run('msg_1', () => {})).toBe('processed')
    expect(await run('msg_1', fails)).toBe('duplicate')
    expect(await redis.ttl('webhooks:msg_1')).toBeGreaterThan(345_000)
  })

  test('of many requests at once, one is processed', async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => store.add('msg_2')))
    expect(added.filter((one) => one === true)).toHaveLength(1)
    expect(added.filter((one) => one === 'processing')).toHaveLength(19)
  })

  test('the claim of a process that died expires, and the retry is processed', async () => {
    expect(await store.add('msg_3')).toBe(true)
    const seconds = await redis.ttl('webhooks:msg_3')
    expect(seconds).toBeGreaterThan(200)
    expect(seconds).toBeLessThanOrEqual(300)
    await redis.pExpire('webhooks:msg_3', 20)
    const run = deduplicate(store)
    await until(async () => (await run('msg_3', () => {})) === 'processed', 'the claim expires')
    expect(await run('msg_3', fails)).toBe('duplicate')
  })
})

test('with the transaction in Postgres, a change and its id commit together, once', async () => {
  await using host = await openHostPool()
  const { pool } = host
  await pool.query(
    `create table processed_deliveries
       (id text primary key, processed_at timestamptz not null default now());
     create table orders (number int)`,
  )
  const { processOnce } = await load('process-once.ts')
  const insert = (client: pg.PoolClient) => client.query('insert into orders values (1)')
  const count = async () => (await pool.query('select count(*)::int from orders')).rows[0].count

  const failing = processOnce(pool, 'msg_1', async (client: pg.PoolClient) => {
    await insert(client)
    fails()
  })
  await expect(failing).rejects.toThrow('The disk is full.')
  expect(await count()).toBe(0)

  await Promise.all([1, 2, 3].map(() => processOnce(pool, 'msg_1', insert)))
  expect(await count()).toBe(1)
})

/** The pool of an application, in a database of its own. */
async function openHostPool() {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: hostUrl(database.url) })
  // The pool ends before its connections are closed, and the database is dropped.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
