import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { startHeartbeat } from '../../src/db/heartbeat.ts'
import { openRunnerPool } from '../../src/queue/runner-pool.ts'
import { proxiedUrl, startTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

let database: Database
let proxy: TcpProxy
let url: string

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  proxy = await startTcpProxy(Number(new URL(database.url).port))
  url = proxiedUrl(database.url, proxy)
})
afterEach(() => proxy[Symbol.asyncDispose]())

/** Tries to connect while Postgres does not answer, as often as given, until each try has failed. */
async function failToConnect(times = 1): Promise<void> {
  await using started = openDatabase(url)
  for (let time = 0; time < times; time++) {
    await expect(started.pool.query('select 1')).rejects.toThrow('connection timeout')
  }
}

test('a process that starts waits for a Postgres that answers slowly, and one that has started does not', async () => {
  await using starting = openDatabase(url, { isStarting: true })
  const runner = openRunnerPool(starting, 'a runner', () => {})
  proxy.pause()
  const answers = Promise.all([
    starting.pool.query('select 1'),
    starting.pipeline.query('select 1'),
    starting.prisma.$queryRaw`select 1`,
    runner.pool.query('select 1'),
  ])
  await failToConnect()
  proxy.resume()
  expect(await answers).toHaveLength(4)
  runner.destroy()
})

test('after the start, the pools of the start limit connecting like all others', async () => {
  await using started = openDatabase(url, { isStarting: true })
  const runner = openRunnerPool(started, 'a runner', () => {})
  started.connections.endStart()
  proxy.pause()
  for (const pool of [started.pool, started.pipeline, runner.pool]) {
    await expect(pool.query('select 1')).rejects.toThrow('connection timeout')
  }
  runner.destroy()
})

test('the heartbeat does not take the slow start of a process for a Postgres that does not answer', async () => {
  await using starting = openDatabase(url, { isStarting: true })
  const errors: unknown[] = []
  let answers = 0
  proxy.pause()
  await using _heartbeat = startHeartbeat({
    ...starting,
    onAnswer: () => {
      answers += 1
    },
    onError: (error) => errors.push(error),
  })
  // Longer than the heartbeat of a started process waits.
  await failToConnect(3)
  expect({ answers, errors }).toEqual({ answers: 0, errors: [] })
  proxy.resume()
  await until(() => answers > 0, 'Postgres answers the heartbeat')
  expect(errors).toEqual([])
})

test('once connected, the heartbeat reports that Postgres does not answer', async () => {
  await using starting = openDatabase(url, { isStarting: true })
  const errors: Error[] = []
  let answers = 0
  await using _heartbeat = startHeartbeat({
    ...starting,
    onAnswer: () => {
      answers += 1
    },
    onError: (error) => errors.push(error as Error),
  })
  await until(() => answers > 0, 'Postgres answers the heartbeat')
  proxy.blackhole()
  await until(() => errors.length > 0, 'the heartbeat reports')
  expect(errors[0]).toMatchObject({ code: 'ETIMEDOUT' })
  proxy.restore()
  const before = answers
  await until(() => answers > before, 'Postgres answers again')
})
