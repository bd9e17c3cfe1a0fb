import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { unavailabilityOf } from '../../src/db/faults.ts'
import { watchPostgres } from '../../src/db/postgres-watch.ts'
import { migrateDatabase } from '../../src/migrate/migrate-database.ts'
import { openRunnerPool } from '../../src/queue/runner-pool.ts'
import { proxiedUrl, startTcpProxy } from '../faults/tcp-proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

async function openProxiedDatabase() {
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await createTestDatabase())
  const proxy = resources.use(await startTcpProxy(Number(new URL(database.url).port)))
  const kept = resources.move()
  return {
    proxy,
    url: proxiedUrl(database.url, proxy),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

test('a process that starts waits for a Postgres that answers slowly; afterwards connecting is limited', async () => {
  await using proxied = await openProxiedDatabase()
  const { proxy, url } = proxied
  await using database = openDatabase(url)
  const runner = openRunnerPool(database, 'a runner', () => {})
  proxy.pause()
  const migrating = migrateDatabase(
    { databaseUrl: url, poolerUrl: null },
    { workerSchema: 'graphile_worker' },
  )
  const pools = [database.pool, database.pipeline, runner.pool]
  const connecting = pools.map((pool) => pool.query('select 1'))
  for (const { reason } of (await Promise.allSettled(connecting)) as PromiseRejectedResult[]) {
    expect(unavailabilityOf(reason)).toBe('unreachable')
  }
  proxy.resume()
  expect(await migrating).toEqual([])
  runner.destroy()
})

test('the watch reports that Postgres does not answer, and when Postgres answers again', async () => {
  await using proxied = await openProxiedDatabase()
  const { proxy, url } = proxied
  await using database = openDatabase(url)
  const errors: Error[] = []
  let answers = 0
  await using _watch = watchPostgres({
    ...database,
    onAnswer: () => {
      answers += 1
    },
    onError: (error) => errors.push(error as Error),
  })
  await until(() => answers > 0, 'Postgres answers')
  proxy.blackhole()
  await until(() => errors.length > 0, 'the watch reports')
  expect(errors[0]).toMatchObject({ code: 'ETIMEDOUT' })
  proxy.restore()
  const before = answers
  await until(() => answers > before, 'Postgres answers again')
})

test('the watch also reports a pooler that does not answer, and ends the queries through it', async () => {
  await using proxied = await openProxiedDatabase()
  const { proxy, url } = proxied
  await using direct = await createTestDatabase()
  await using database = openDatabase(direct.url, { poolerUrl: url })
  const errors: Error[] = []
  let answers = 0
  await using _watch = watchPostgres({
    ...database,
    onAnswer: () => {
      answers += 1
    },
    onError: (error) => errors.push(error as Error),
  })
  await database.pool.query('select 1')
  await until(() => answers > 0, 'both answer')
  proxy.blackhole()
  await expect(database.pool.query('select 1')).rejects.toThrow()
  expect(errors[0]).toMatchObject({ code: 'ETIMEDOUT' })
  await database.pipeline.query('select 1')
})
