import { SYSTEM } from '../../src/access/actor.ts'
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
  reportRate(bench, 'single publishes over GraphQL, 100 connections', single, 2_500)
  const batches = await measurePublishing(bench, BATCH_CONNECTIONS, 100)
  reportRate(bench, 'events in batches of 100', batches, 20_000)
  const keyed = await measurePublishing(bench, BATCH_CONNECTIONS, 100, ['$.attendee', '$.seat'])
  reportKeyed(bench, 'events in batches of 100, with two search keys', keyed, batches)
}

/** Search keys add at most 30 % to the time of publishing. */
function reportKeyed(bench: Bench, name: string, keyed: Publishing, plain: Publishing): void {
  bench.report({
    scenario: 'D',
    name,
    value: keyed.perSecond,
    unit: '/s',
    bound: {
      kind: 'at least',
      limit: 1 / 1.3,
      of: { name: 'without search keys', value: plain.perSecond },
    },
    also: { 'API µs': keyed.serverUs, 'Postgres µs': keyed.postgresUs },
  })
}

interface Publishing {
  readonly perSecond: number
  /** CPU time per event. */
  readonly serverUs: number
  readonly postgresUs: number
  /** SQL statements and bytes of WAL, per event. */
  readonly statements: number
  readonly walBytes: number
}

function reportRate(bench: Bench, name: string, publishing: Publishing, limit: number): void {
  bench.report({
    scenario: 'D',
    name,
    value: publishing.perSecond,
    unit: '/s',
    bound: { kind: 'at least', limit },
    also: {
      'API µs': publishing.serverUs,
      'Postgres µs': publishing.postgresUs,
      statements: publishing.statements,
      'bytes of WAL': publishing.walBytes,
    },
  })
}

/** Starts an API, and publishes to it. `batch` null: one event per call. */
async function measurePublishing(
  bench: Bench,
  connections: number,
  batch: number | null,
  searchKeys: readonly string[] = [],
): Promise<Publishing> {
  await using database = await bench.server.createDatabase()
  const { tenant, type } = await createPublisher(bench, database.url, searchKeys)
  await database.settle()
  const { publishWarmUpMs: warmUpMs, publishMs } = bench.sizes
  const measureMs = publishMs / 2
  const transactionsBefore = await database.transactions()
  const postgresBeforeMs = await bench.server.cpuTimeMs()
  const walBefore = await bench.server.walBytes()
  let answers = { accepted: 0, acceptedInTime: 0 }
  let serverMs = 0
  {
    await using server = await startPosthornServer(bench, database.url, 'api')
    await using publisher = startScript('publisher-main.ts')
    const serverBeforeMs = await server.cpuTimeMs()
    answers = await publisher.call('publishBackToBack', {
      url: server.url,
      token: tenant.token,
      ...{ connections, batch, type, data: { ...DATA, seat: 87_012 }, warmUpMs, measureMs },
    })
    serverMs = (await server.cpuTimeMs()) - serverBeforeMs
  }
  const transactions = (await database.transactions()) - transactionsBefore
  const postgresMs = (await bench.server.cpuTimeMs()) - postgresBeforeMs
  const { accepted, acceptedInTime } = answers
  const walBytes = (await bench.server.walBytes()) - walBefore
  await assertStored(database.url, accepted)
  return {
    perSecond: acceptedInTime / (measureMs / 1_000),
    serverUs: (serverMs * 1_000) / accepted,
    postgresUs: (postgresMs * 1_000) / accepted,
    // Nearly every statement of the API is a transaction.
    statements: transactions / accepted,
    walBytes: walBytes / accepted,
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
  return { tenant, type }
}

async function assertStored(databaseUrl: string, accepted: number): Promise<void> {
  await using database = openBenchDatabase(databaseUrl, { maxConnections: 1 })
  const { rows } = await database.pool.query(
    'select count(*)::int as stored from posthorn.deliveries',
  )
  if (rows[0].stored === accepted) return
  throw new Error(`${accepted} events were accepted, but ${rows[0].stored} deliveries are stored.`)
}
