import { SYSTEM } from '../../src/auth/access/actor.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import type { Bench } from './bench.ts'
import { DATA } from './fill.ts'
import { openBenchDatabase } from './open-bench-database.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** The number of connections that publish batches of a hundred events. */
const BATCH_CONNECTIONS = 20

/** D: the rate of publishing over GraphQL, with one webhook per event and no worker running. */
export async function reportPublishing(bench: Bench): Promise<void> {
  const single = await measurePublishing(bench, 100, null)
  const singly = 'single publishes over GraphQL, 100 connections'
  bench.report('D', singly, single.perSecond, '/s', { atLeast: 2_500, also: single.also })
  const batches = await measurePublishing(bench, BATCH_CONNECTIONS, 100)
  const name = 'events in batches of 100'
  bench.report('D', name, batches.perSecond, '/s', { atLeast: 20_000, also: batches.also })
  const keyed = await measurePublishing(bench, BATCH_CONNECTIONS, 100, ['$.attendee', '$.seat'])
  // Search keys add at most 30 % to the time of publishing.
  const of = { name: 'without search keys', value: batches.perSecond }
  const { 'API µs': api, 'Postgres µs': postgres } = keyed.also
  const also = { 'API µs': api, 'Postgres µs': postgres }
  const bound = { atLeast: 1 / 1.3, of, also }
  bench.report('D', `${name}, with two search keys`, keyed.perSecond, '/s', bound)
}

/** Starts an API, and publishes to it. `batch` null: one event per call. */
async function measurePublishing(
  bench: Bench,
  connections: number,
  batch: number | null,
  searchKeys: readonly string[] = [],
) {
  await using database = await bench.server.createDatabase()
  const { token, type } = await createPublisher(bench, database.url, searchKeys)
  await database.settle()
  const { publishWarmUpMs: warmUpMs, publishMs } = bench.sizes
  const measureMs = publishMs / 2
  const endMeter = await bench.server.startMeter(database)
  let answers = { accepted: 0, acceptedInTime: 0 }
  let serverMs = 0
  {
    await using server = await startPosthornServer(bench, database.url, 'api')
    await using publisher = startScript('publisher-main.ts')
    const serverBeforeMs = await server.cpuTimeMs()
    answers = await publisher.call('publishBackToBack', {
      ...{ url: server.url, token, connections, batch, type, warmUpMs, measureMs },
      data: { ...DATA, seat: 87_012 },
    })
    serverMs = (await server.cpuTimeMs()) - serverBeforeMs
  }
  const { transactions, cpuMs, walBytes } = await endMeter()
  const { accepted, acceptedInTime } = answers
  await assertStored(database.url, accepted)
  return {
    perSecond: acceptedInTime / (measureMs / 1_000),
    /** Per event. */
    also: {
      'API µs': (serverMs * 1_000) / accepted,
      'Postgres µs': (cpuMs * 1_000) / accepted,
      // Nearly every statement of the API is a transaction.
      statements: transactions / accepted,
      'bytes of WAL': walBytes / accepted,
    },
  }
}

async function createPublisher(
  { receiver }: Bench,
  databaseUrl: string,
  searchKeys: readonly string[],
) {
  await using services = openBenchServices(databaseUrl)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, receiver.url, 'ok')
  if (searchKeys.length > 0) {
    await updateEventType(services.database.prisma, type, { searchKeys: [...searchKeys] }, SYSTEM)
  }
  return { token: tenant.token, type }
}

async function assertStored(databaseUrl: string, accepted: number): Promise<void> {
  await using database = openBenchDatabase(databaseUrl, { maxConnections: 1 })
  const { rows } = await database.pool.query(
    'select count(*)::int as stored from posthorn.deliveries',
  )
  if (rows[0].stored === accepted) return
  throw new Error(`${accepted} events were accepted, but ${rows[0].stored} deliveries are stored.`)
}
