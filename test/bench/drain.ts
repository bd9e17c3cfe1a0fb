import { lowerBoundAt } from '../../src/lib/uuid-v7.ts'
import { until } from '../support/until.ts'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './bench-server.ts'
import { monotonicMs } from './clock.ts'
import { fillRetries, parkDeliveries, queueDeliveries } from './fill.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

export interface Drain {
  readonly perSecond: number
  readonly statementsPerDelivery: number
  /** The largest of the worker processes. */
  readonly peakMb: number
  /** CPU time per delivery. */
  readonly workerUs: number
  readonly postgresUs: number
  /** WAL per delivery. */
  readonly walBytes: number
}

export interface DrainsOptions {
  /** The number of other deliveries with a retry scheduled in hours. Default: 0. */
  readonly waiting?: number
  /** The number of other deliveries that are parked behind webhooks on hold. Default: 0. */
  readonly parked?: number
  /** The number of webhooks that the deliveries are spread over. Default: 20. */
  readonly webhooks?: number
}

export interface DrainOptions {
  readonly count: number
  /** The number of worker processes. Default: 1. */
  readonly processes?: number
}

/** Consecutive drains in one database. */
export interface Drains extends AsyncDisposable {
  /**
   * Queues deliveries with no worker running, then measures how fast workers drain them: from the arrival of the last
   * warm-up delivery until every attempt is recorded.
   */
  measure(options: DrainOptions): Promise<Drain>
}

export async function prepareDrains(bench: Bench, options: DrainsOptions = {}): Promise<Drains> {
  const { receiver } = bench
  const { waiting = 0, parked = 0, webhooks = 20 } = options
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await bench.server.createDatabase())
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  if (waiting > 0) {
    const failing = await addWebhooks(services, tenant, receiver.url, 'fail', { count: webhooks })
    await fillRetries(services.database.pool, tenant, failing, waiting)
    await database.settle()
  }
  if (parked > 0) {
    const onHold = await addWebhooks(services, tenant, receiver.url, 'fail', { count: webhooks })
    await parkDeliveries(services.database.pool, tenant, onHold, parked)
    await database.settle()
  }
  const types = await addWebhooks(services, tenant, receiver.url, 'ok', { count: webhooks })
  const preparedResources = resources.move()
  return {
    async measure({ count, processes = 1 }) {
      const total = bench.sizes.warmUp + count
      const since = lowerBoundAt(new Date())
      {
        await using filling = openBenchDatabase(database.url)
        await queueDeliveries(filling.pool, tenant, types, total)
      }
      await database.settle()
      return await drain(bench, database, since, { count, processes })
    },
    [Symbol.asyncDispose]: () => preparedResources.disposeAsync(),
  }
}

/** One drain in a new database. */
export async function measureDrain(
  bench: Bench,
  options: DrainsOptions & DrainOptions,
): Promise<Drain> {
  await using drains = await prepareDrains(bench, options)
  return await drains.measure(options)
}

async function drain(
  bench: Bench,
  database: BenchDatabase,
  since: string,
  { count, processes }: Required<DrainOptions>,
): Promise<Drain> {
  const { receiver, sizes } = bench
  const total = sizes.warmUp + count
  const transactionsBefore = await database.transactions()
  const postgresBeforeMs = await bench.server.cpuTimeMs()
  const walBefore = await bench.server.walBytes()
  await receiver.reset()

  const measured = { perSecond: 0, peakMb: 0, workerUs: 0 }
  {
    await using workers = new AsyncDisposableStack()
    await using polled = openBenchDatabase(database.url, { maxConnections: 1 })
    const starting = Array.from({ length: processes }, async () =>
      workers.use(await startPosthornServer(bench, database.url, 'worker')),
    )
    const startedAt = await receiver.waitUntilReceived('ok', sizes.warmUp)
    const servers = await Promise.all(starting)
    const workersBeforeMs = await cpuTimeOf(servers)
    await receiver.waitUntilReceived('ok', total)
    await until(
      async () => (await polled.pool.query(UNRECORDED, [since])).rows.length === 0,
      'every attempt is recorded',
    )
    measured.perSecond = count / ((monotonicMs() - startedAt) / 1_000)
    measured.workerUs = ((await cpuTimeOf(servers)) - workersBeforeMs) * (1_000 / count)
    const peaks = await Promise.all(servers.map((server) => server.peakMemoryMb()))
    measured.peakMb = Math.max(...peaks)
  }
  // Every statement of a worker is a separate transaction, so the number of transactions is the number of statements.
  const statements = (await database.transactions()) - transactionsBefore
  const postgresMs = (await bench.server.cpuTimeMs()) - postgresBeforeMs
  return {
    ...measured,
    statementsPerDelivery: statements / total,
    postgresUs: postgresMs * (1_000 / total),
    walBytes: ((await bench.server.walBytes()) - walBefore) / total,
  }
}

/** Uses the primary key, to disturb the worker as little as possible. */
const UNRECORDED = `select from posthorn.deliveries where id >= $1 and state = 'pending' limit 1`

async function cpuTimeOf(servers: readonly PosthornServer[]): Promise<number> {
  const times = await Promise.all(servers.map((server) => server.cpuTimeMs()))
  return times.reduce((sum, ms) => sum + ms, 0)
}
