import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { type Heartbeat, startHeartbeat } from '../../src/queue/heartbeat.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { runnerIds } from './support/deliveries.ts'
import { startProxyTo } from './support/proxy.ts'

let database: Database
let lost: string[]
let dead: string[]

beforeEach(async () => {
  database = await createTestDatabase()
  lost = []
  dead = []
})
afterEach(async () => await database[Symbol.asyncDispose]())

function start(databaseUrl = database.url): Heartbeat {
  return startHeartbeat({
    databaseUrl,
    onHeartbeat() {},
    onLost: (id) => lost.push(id),
    onDead: (ids) => dead.push(...ids),
    onError() {},
  })
}

const never = new AbortController().signal

test('a runner with a fresh heartbeat has its claims', async () => {
  await using heartbeat = start()
  await heartbeat.register('pool-a')
  expect(await runnerIds(database)).toEqual(['pool-a'])
  expect(heartbeat.ensureClaimed('pool-a', never)).toBeUndefined()
})

test('a runner that was rescued or never registered has lost its claims', async () => {
  await using heartbeat = start()
  await heartbeat.register('pool-a')
  await database.pool.query('delete from posthorn.workers')
  await until(() => lost.length > 0, 'the lost runner is reported')
  expect(lost).toEqual(['pool-a'])
  expect(() => heartbeat.ensureClaimed('pool-a', never)).toThrow('has lost its claims')
  expect(() => heartbeat.ensureClaimed('pool-b', never)).toThrow('has lost its claims')
})

test('after 8 s without a heartbeat, the check of the claims waits for one, and succeeds if no process rescued', async () => {
  await using proxy = await startProxyTo(database.url)
  await using heartbeat = start(proxy.url)
  await heartbeat.register('pool-a')
  proxy.blackhole()
  let waiting: Promise<void> | undefined
  await until(() => {
    waiting = heartbeat.ensureClaimed('pool-a', never) ?? undefined
    return waiting !== undefined
  }, 'the check waits')
  const first = await Promise.race([waiting, sleep(500, 'still waiting')])
  expect(first).toBe('still waiting')
  proxy.restore()
  await waiting
  expect(lost).toEqual([])
})

test('a waiting check of the claims ends when the run is aborted', async () => {
  await using proxy = await startProxyTo(database.url)
  await using heartbeat = start(proxy.url)
  await heartbeat.register('pool-a')
  proxy.blackhole()
  const controller = new AbortController()
  let waiting: Promise<void> | undefined
  await until(() => {
    waiting = heartbeat.ensureClaimed('pool-a', controller.signal) ?? undefined
    return waiting !== undefined
  }, 'the check waits')
  controller.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

test('a runner that was marked as abandoned is found with the next heartbeat', async () => {
  await using _heartbeat = start()
  await database.pool.query(
    `insert into posthorn.workers (id, heartbeat_at) values ('pool-x', '-infinity')`,
  )
  await until(() => dead.includes('pool-x'), 'the runner is found', 3_000)
})
