import { openDatabase } from '../../src/db/client.ts'
import { lowerBoundAt } from '../../src/lib/uuid-v7.ts'
import { until } from '../support/until.ts'
import type { Bench } from './bench.ts'
import { mean, monotonicMs } from './figures.ts'
import { DATA, fillRetries, parkDeliveries, queueDeliveries } from './fill.ts'
import { startPosthornServer } from './posthorn-server.ts'
import type { RowOptions } from './report.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

interface Drain {
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

interface DrainsOptions {
  /** Other deliveries with a retry scheduled in hours, and others that are parked behind webhooks on hold. */
  readonly waiting?: number
  readonly parked?: number
  /** The number of webhooks that the deliveries are spread over. */
  readonly webhooks?: number
}

/** Consecutive drains in one database. */
async function prepareDrains(
  bench: Bench,
  { waiting = 0, parked = 0, webhooks = 20 }: DrainsOptions = {},
) {
  const { receiver, sizes, server } = bench
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await server.createDatabase())
  await using services = openBenchServices(database.url)
  const { pool } = services.database
  const tenant = await createBenchTenant(services)
  const add = (behaviour: 'ok' | 'fail') =>
    addWebhooks(services, tenant, receiver.url, behaviour, { count: webhooks })
  if (waiting > 0) await fillRetries(pool, tenant, await add('fail'), waiting)
  if (parked > 0) await parkDeliveries(pool, tenant, await add('fail'), parked)
  const types = await add('ok')
  const prepared = resources.move()
  return {
    /**
     * Queues deliveries with no worker running, then measures how fast workers drain them: from the arrival of the last
     * warm-up delivery until every attempt is recorded.
     */
    async measure(count: number, processes = 1): Promise<Drain> {
      const total = sizes.warmUp + count
      const since = lowerBoundAt(new Date())
      {
        await using filling = openDatabase(database.url, { purpose: 'migrations' })
        await queueDeliveries(filling.pool, tenant, types, total)
      }
      await database.settle()
      const endMeter = await server.startMeter(database)
      await receiver.reset()
      const measured = { perSecond: 0, peakMb: 0, workerUs: 0 }
      {
        await using workers = new AsyncDisposableStack()
        await using polled = openDatabase(database.url, {
          purpose: 'migrations',
          maxConnections: 1,
        })
        const starting = Array.from({ length: processes }, async () =>
          workers.use(await startPosthornServer(bench, database.url, 'worker')),
        )
        const startedAt = await receiver.waitUntilReceived('ok', sizes.warmUp)
        const running = await Promise.all(starting)
        const cpuTimeMs = async () =>
          (await Promise.all(running.map((worker) => worker.cpuTimeMs()))).reduce((a, b) => a + b)
        const beforeMs = await cpuTimeMs()
        await receiver.waitUntilReceived('ok', total)
        await until(
          async () => (await polled.pool.query(UNRECORDED, [since])).rows.length === 0,
          'every attempt is recorded',
        )
        measured.perSecond = count / ((monotonicMs() - startedAt) / 1_000)
        measured.workerUs = ((await cpuTimeMs()) - beforeMs) * (1_000 / count)
        measured.peakMb = Math.max(
          ...(await Promise.all(running.map((worker) => worker.peakMemoryMb()))),
        )
      }
      const { transactions, cpuMs, walBytes } = await endMeter()
      return {
        ...measured,
        // Every statement of a worker is a separate transaction.
        statementsPerDelivery: transactions / total,
        postgresUs: cpuMs * (1_000 / total),
        walBytes: walBytes / total,
      }
    },
    [Symbol.asyncDispose]: () => prepared.disposeAsync(),
  }
}

/** Uses the primary key, to disturb the worker as little as possible. */
const UNRECORDED = `select from posthorn.deliveries where id >= $1 and state = 'pending' limit 1`

/** One drain in a new database. */
async function measureDrain(bench: Bench, count: number, options?: DrainsOptions): Promise<Drain> {
  await using drains = await prepareDrains(bench, options)
  return await drains.measure(count)
}

/** A: the upper limit of one process: signed POST requests per second, with nothing recorded. */
async function measureRawUndici({ receiver, sizes }: Bench): Promise<number> {
  await using sender = startScript('raw-undici-main.ts')
  const event = { id: 'evt_01kf0000000000000000000000', type: 'bench.ok_1', data: DATA }
  const { count, warmUp } = sizes
  return await sender.call<number>('send', {
    ...{ url: `${receiver.url}/ok/1`, authority: receiver.authority },
    body: JSON.stringify({ ...event, timestamp: new Date().toISOString() }),
    ...{ count, warmUp, concurrency: 200 },
  })
}

export async function reportRawUndici(bench: Bench): Promise<void> {
  bench.report('A', 'raw signed POSTs with undici', await measureRawUndici(bench), '/s')
}

/**
 * The speed of the machine varies, and a short drain takes only two seconds, so the measurements alternate and repeat: A,
 * a short drain, and the same drain with other deliveries waiting or parked. The mean time of their rounds is nearly the
 * same.
 */
const ROUNDS = [
  ...(['short', 'waiting', 'parked'] as const),
  ...(['parked', 'waiting', 'short'] as const),
  ...(['short', 'waiting', 'parked'] as const),
]

/** C: how fast queued deliveries are drained, with every attempt recorded. G: the memory of the longest drain. */
export async function reportDrains(bench: Bench): Promise<void> {
  const { count, stored, parked } = bench.sizes
  const raw = [await measureRawUndici(bench)]
  const rounds = { short: [] as Drain[], waiting: [] as Drain[], parked: [] as Drain[] }
  {
    await using alone = await prepareDrains(bench)
    await using withWaiting = await prepareDrains(bench, { waiting: stored })
    await using withParked = await prepareDrains(bench, { parked })
    const drains = { short: alone, waiting: withWaiting, parked: withParked }
    for (const [i, round] of ROUNDS.entries()) {
      rounds[round].push(await drains[round].measure(count))
      if (i % 3 === 2) raw.push(await measureRawUndici(bench))
    }
  }
  const ofRaw = { name: 'A', value: overallRate(raw) }
  bench.report('A', 'the same, alternating with C', ofRaw.value, '/s')
  const ofShort = { name: 'the short drain', value: overallRate(ratesOf(rounds.short)) }
  const reportDrain = (name: string, drains: readonly Drain[], bound: RowOptions = {}) =>
    bench.report('C', name, overallRate(ratesOf(drains)), '/s', {
      ...bound,
      also: {
        'worker µs': mean(drains.map(({ workerUs }) => workerUs)),
        'Postgres µs': mean(drains.map(({ postgresUs }) => postgresUs)),
        'peak MB': Math.max(...drains.map(({ peakMb }) => peakMb)),
      },
    })
  reportDrain(`drain of ${format(count)}`, rounds.short, { atLeast: 0.4, of: ofRaw })
  const statements = mean(rounds.short.map((drain) => drain.statementsPerDelivery))
  const name = 'statements per delivery in this drain'
  bench.report('C', name, statements, 'statements', { atMost: 0.1 })
  const nearlyShort = { atLeast: 0.9, of: ofShort }
  const [waits, parks] = [`${format(stored)} others waiting`, `${format(parked)} others parked`]
  reportDrain(`the same drain with ${waits}`, rounds.waiting, nearlyShort)
  reportDrain(`the same drain with ${parks}`, rounds.parked, nearlyShort)
  reportDrain('the same drain to one webhook', [await measureDrain(bench, count, { webhooks: 1 })])
  const long = await measureDrain(bench, stored)
  reportDrain(`drain of ${format(stored)}`, [long], nearlyShort)
  const peak = `peak of the worker draining ${format(stored)}`
  bench.report('G', peak, long.peakMb, 'MB', { atMost: 300 })
}

const ratesOf = (drains: readonly Drain[]) => drains.map(({ perSecond }) => perSecond)

/** The rate of all rounds together, which have the same size. */
const overallRate = (rates: readonly number[]) => 1 / mean(rates.map((rate) => 1 / rate))

const format = (count: number) => count.toLocaleString('en')

/** H: drains by one, two and four worker processes. */
export async function reportWorkers(bench: Bench): Promise<void> {
  const { count } = bench.sizes
  await using drains = await prepareDrains(bench)
  const rounds = new Map<number, Drain[]>([1, 2, 4].map((processes) => [processes, []]))
  for (const processes of [1, 2, 4, 4, 2, 1]) {
    rounds.get(processes)?.push(await drains.measure(count, processes))
  }
  const single = overallRate(ratesOf(rounds.get(1) ?? []))
  for (const [processes, drained] of rounds) {
    const perSecond = overallRate(ratesOf(drained))
    const name = `drain of ${format(count)} by ${processes} worker processes`
    bench.report('H', name, perSecond, '/s', {
      also: {
        'of one process': perSecond / single,
        'worker µs': mean(drained.map(({ workerUs }) => workerUs)),
        'Postgres µs': mean(drained.map(({ postgresUs }) => postgresUs)),
        statements: mean(drained.map(({ statementsPerDelivery }) => statementsPerDelivery)),
        'bytes of WAL': mean(drained.map(({ walBytes }) => walBytes)),
      },
    })
  }
}
