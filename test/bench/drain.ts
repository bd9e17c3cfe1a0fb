import { openDatabase } from '../../src/db/client.ts'
import { lowerBoundAt } from '../../src/lib/uuid-v7.ts'
import { until } from '../support/until.ts'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './bench-server.ts'
import { monotonicMs } from './clock.ts'
import { fillRetries, parkDeliveries, queueDeliveries } from './fill.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

export interface Drain {
  readonly perSecond: number
  readonly statementsPerDelivery: number
  /** Of the largest of its processes. */
  readonly peakMb: number
  readonly endMb: number
  /** Processor time for each delivery. */
  readonly workerUs: number
  readonly postgresUs: number
}

export interface DrainsOptions {
  /** Deliveries beside them that are to be retried in hours. Default: none. */
  readonly waiting?: number
  /** Deliveries beside them that are parked behind webhooks on hold. Default: none. */
  readonly parked?: number
  /** How many webhooks they go to in equal parts. Default: 20. */
  readonly webhooks?: number
}

export interface DrainOptions {
  readonly count: number
  /** How many worker processes share the work. Default: 1. */
  readonly processes?: number
}

/** Drains in a database of their own, one after the other. */
export interface Drains extends AsyncDisposable {
  /**
   * Queues deliveries with no worker running, then measures how fast workers drain them: from the moment that those of
   * the warm-up have arrived until every attempt is on record.
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
  const kept = resources.move()
  return {
    async measure({ count, processes = 1 }) {
      const due = bench.sizes.warmUp + count
      const since = lowerBoundAt(new Date())
      {
        await using filling = openDatabase(database.url)
        await queueDeliveries(filling.pool, tenant, types, due)
      }
      await database.settle()
      return await drain(bench, database, since, { count, processes })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** One drain in a database that has had no other. */
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
  await receiver.forget()

  const measured = { perSecond: 0, peakMb: 0, endMb: 0, workerUs: 0 }
  {
    await using workers = new AsyncDisposableStack()
    await using watched = openDatabase(database.url, { maxConnections: 1 })
    const starting = Array.from({ length: processes }, async () =>
      workers.use(await startPosthornServer(bench, database.url, 'worker')),
    )
    const startedAt = await receiver.reached('ok', sizes.warmUp)
    const servers = await Promise.all(starting)
    const workersBeforeMs = await cpuTimeOf(servers)
    await receiver.reached('ok', total)
    await until(
      async () => (await watched.pool.query(UNRECORDED, [since])).rows.length === 0,
      'every attempt is on record',
    )
    measured.perSecond = count / ((monotonicMs() - startedAt) / 1_000)
    measured.workerUs = ((await cpuTimeOf(servers)) - workersBeforeMs) * (1_000 / count)
    for (const { memory } of servers) {
      measured.peakMb = Math.max(measured.peakMb, await memory.peak())
      measured.endMb = Math.max(measured.endMb, await memory.now())
    }
  }
  // Every statement of a worker is a transaction of its own, so the server's count of them counts statements.
  const statements = (await database.transactions()) - transactionsBefore
  const postgresMs = (await bench.server.cpuTimeMs()) - postgresBeforeMs
  return {
    ...measured,
    statementsPerDelivery: statements / total,
    postgresUs: postgresMs * (1_000 / total),
  }
}

/** By the primary key: the worker is at work beside it. */
const UNRECORDED = `select from posthorn.deliveries where id >= $1 and state = 'pending' limit 1`

async function cpuTimeOf(servers: readonly PosthornServer[]): Promise<number> {
  const times = await Promise.all(servers.map((server) => server.cpuTimeMs()))
  return times.reduce((sum, ms) => sum + ms, 0)
}
