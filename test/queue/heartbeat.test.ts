import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test as sequentialTest } from 'vitest'
import { type Heartbeat, startHeartbeat } from '../../src/queue/heartbeat.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { runnerIds } from './support/deliveries.ts'
import { startProxyTo } from './support/proxy.ts'

/** The tests mostly wait for heartbeats, each with its own database, so they run at the same time. */
const test = sequentialTest.concurrent

interface StartedHeartbeat extends AsyncDisposable {
  readonly heartbeat: Heartbeat
  /** The runners that it reported as lost, and those of other processes that it found dead. */
  readonly lost: readonly string[]
  readonly dead: readonly string[]
}

function start(databaseUrl: string): StartedHeartbeat {
  const lost: string[] = []
  const dead: string[] = []
  const heartbeat = startHeartbeat({
    databaseUrl,
    onHeartbeat() {},
    onLost: (id) => lost.push(id),
    onDead: (ids) => dead.push(...ids),
    onError() {},
  })
  return { heartbeat, lost, dead, [Symbol.asyncDispose]: () => heartbeat[Symbol.asyncDispose]() }
}

const never = new AbortController().signal

test('a runner with a fresh heartbeat has its claims', async () => {
  await using database = await createTestDatabase()
  await using started = start(database.url)
  const { heartbeat } = started
  await heartbeat.register('pool-a')
  expect(await runnerIds(database)).toEqual(['pool-a'])
  expect(heartbeat.ensureClaimed('pool-a', never)).toBeUndefined()
})

test('a runner that was rescued or never registered has lost its claims', async () => {
  await using database = await createTestDatabase()
  await using started = start(database.url)
  const { heartbeat, lost } = started
  await heartbeat.register('pool-a')
  await database.pool.query('delete from posthorn.workers')
  await until(() => lost.length > 0, 'the lost runner is reported')
  expect(lost).toEqual(['pool-a'])
  expect(() => heartbeat.ensureClaimed('pool-a', never)).toThrow('has lost its claims')
  expect(() => heartbeat.ensureClaimed('pool-b', never)).toThrow('has lost its claims')
})

test('after 8 s without a heartbeat, the check of the claims waits for one, and succeeds if no process rescued', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startProxyTo(database.url)
  await using started = start(proxy.url)
  const { heartbeat, lost } = started
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
  await using database = await createTestDatabase()
  await using proxy = await startProxyTo(database.url)
  await using started = start(proxy.url)
  const { heartbeat } = started
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
  await using database = await createTestDatabase()
  await using started = start(database.url)
  const { dead } = started
  await database.pool.query(
    `insert into posthorn.workers (id, heartbeat_at) values ('pool-x', '-infinity')`,
  )
  await until(() => dead.includes('pool-x'), 'the runner is found', 3_000)
})
