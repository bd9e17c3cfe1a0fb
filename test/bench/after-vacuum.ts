import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'
import type { Bench } from './bench.ts'
import { monotonicMs } from './clock.ts'
import { queueDeliveries } from './fill.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** A worker polls the queue ten times in this time. */
const POLLED_AFTER_MS = 1_000

const ROUNDS = 3

interface Bursts {
  readonly before: number[]
  readonly after: number[]
}

/** V: how long a burst takes, from publishing to the last recorded attempt, before and after a vacuum of the empty queue. */
export async function reportAfterVacuum(bench: Bench): Promise<void> {
  const bursts: Bursts = { before: [], after: [] }
  // A worker keeps its plans until it ends.
  for (let round = 0; round < ROUNDS; round++) await measureRound(bench, bursts)
  const name = `burst of ${bench.sizes.burst.toLocaleString('en')}`
  const before = { name: 'before', value: mean(bursts.before) }
  bench.report({ scenario: 'V', name, value: before.value, unit: 'ms', also: each(bursts.before) })
  bench.report({
    ...{ scenario: 'V', name: `${name}, after a vacuum of the empty queue` },
    ...{ value: mean(bursts.after), unit: 'ms', also: each(bursts.after) },
    bound: { kind: 'at most', limit: 1.2, of: before },
  })
}

async function measureRound(bench: Bench, { before, after }: Bursts): Promise<void> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const types = await addWebhooks(services, tenant, bench.receiver.url, 'ok', { count: 20 })
  await using server = await startPosthornServer(bench, database.url, 'worker')
  await using publisher = openBenchDatabase(database.url)
  const { pool } = publisher

  async function burst(): Promise<number> {
    const startedAt = monotonicMs()
    await queueDeliveries(pool, tenant, types, bench.sizes.burst)
    await until(
      async () => (await pool.query(UNFINISHED)).rows.length === 0,
      'the queue is empty',
      120_000,
    )
    return monotonicMs() - startedAt
  }

  await burst()
  before.push(await burst())
  await pool.query('vacuum')
  await sleep(POLLED_AFTER_MS)
  after.push(await burst())
  await server.kill()
}

/** Only the last deliveries have jobs, so this reads few rows. */
const UNFINISHED = `select from graphile_worker.jobs where task_identifier = 'posthorn:deliver' limit 1`

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const each = (values: readonly number[]): Record<string, number> =>
  Object.fromEntries(values.map((value, i) => [`round ${i + 1}`, value]))
