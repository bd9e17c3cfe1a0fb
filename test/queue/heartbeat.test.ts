import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { type Heartbeat, startHeartbeat } from '../../src/queue/heartbeat.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { runnerIds } from './support/deliveries.ts'
import { startRelayTo } from './support/relay.ts'

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
    onBeat() {},
    onLost: (id) => lost.push(id),
    onDead: (ids) => dead.push(...ids),
    onError() {},
  })
}

const never = new AbortController().signal

test('a runner whose heartbeat is fresh passes the fence at once', async () => {
  await using heartbeat = start()
  await heartbeat.register('pool-a')
  expect(await runnerIds(database)).toEqual(['pool-a'])
  expect(heartbeat.ensureClaimed('pool-a', never)).toBeUndefined()
})

test('a runner that was rescued, or never registered, does not', async () => {
  await using heartbeat = start()
  await heartbeat.register('pool-a')
  await database.pool.query('delete from posthorn.workers')
  await until(() => lost.length > 0, 'it is told')
  expect(lost).toEqual(['pool-a'])
  expect(() => heartbeat.ensureClaimed('pool-a', never)).toThrow('may run elsewhere')
  expect(() => heartbeat.ensureClaimed('pool-b', never)).toThrow('may run elsewhere')
})

test('without a heartbeat for 8 s the fence waits for one; then it passes, as nobody rescued', async () => {
  await using relay = await startRelayTo(database.url)
  await using heartbeat = start(relay.url)
  await heartbeat.register('pool-a')
  relay.silence()
  let waiting: Promise<void> | undefined
  await until(() => {
    waiting = heartbeat.ensureClaimed('pool-a', never) ?? undefined
    return waiting !== undefined
  }, 'it has to wait')
  const first = await Promise.race([waiting, sleep(500, 'still waiting')])
  expect(first).toBe('still waiting')
  relay.restore()
  await waiting
  expect(lost).toEqual([])
})

test('a fence that waits ends when the run is aborted', async () => {
  await using relay = await startRelayTo(database.url)
  await using heartbeat = start(relay.url)
  await heartbeat.register('pool-a')
  relay.silence()
  const aborting = new AbortController()
  let waiting: Promise<void> | undefined
  await until(() => {
    waiting = heartbeat.ensureClaimed('pool-a', aborting.signal) ?? undefined
    return waiting !== undefined
  }, 'it has to wait')
  aborting.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

test('a runner that its process gave up is found at the next look', async () => {
  await using _heartbeat = start()
  await database.pool.query(
    `insert into posthorn.workers (id, heartbeat_at) values ('pool-x', '-infinity')`,
  )
  await until(() => dead.includes('pool-x'), 'it is found', 3_000)
})
