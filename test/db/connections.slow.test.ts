import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { unavailabilityOf } from '../../src/db/faults.ts'
import { migrateDatabase } from '../../src/db/migrate/migrate.ts'
import { openRunnerPool } from '../../src/queue/runner-pool.ts'
import { startTcpProxy } from '../faults/tcp-proxy.ts'
import { createTestDatabase } from '../support/database.ts'

test('a process that starts waits for a Postgres that answers slowly; afterwards connecting is limited', async () => {
  await using proxied = await createTestDatabase()
  await using proxy = await startTcpProxy(proxied.url)
  const { url } = proxy
  await using database = openDatabase(url)
  const runner = openRunnerPool(database, 'a runner', () => {})
  proxy.pause()
  const migrating = migrateDatabase({ databaseUrl: url, poolerUrl: null }, 'graphile_worker')
  const pools = [database.pool, database.pipeline, runner.pool]
  const connecting = pools.map((pool) => pool.query('select 1'))
  for (const { reason } of (await Promise.allSettled(connecting)) as PromiseRejectedResult[]) {
    expect(unavailabilityOf(reason)).toBe('unreachable')
  }
  proxy.resume()
  expect(await migrating).toEqual([])
  runner.destroy()
})
