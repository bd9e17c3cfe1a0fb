import { openDatabase } from '../../src/db/client.ts'
import { startApart } from './apart.ts'
import type { Bench } from './bench.ts'
import { DATA } from './fill.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** How many connections publish batches: each has a hundred events under way. */
const BATCH_CONNECTIONS = 20

/** D: how many events are published over GraphQL, each for one webhook, with no worker running. */
export async function reportPublishing(bench: Bench): Promise<void> {
  const single = await measurePublishing(bench, 100, null)
  reportRate(bench, 'single publishes over GraphQL, 100 connections', single, 2_500)
  const batches = await measurePublishing(bench, BATCH_CONNECTIONS, 100)
  reportRate(bench, 'events in batches of 100', batches, 20_000)
}

interface Publishing {
  readonly perSecond: number
  /** Processor time for each event. */
  readonly serverUs: number
  readonly postgresUs: number
}

function reportRate(bench: Bench, name: string, found: Publishing, limit: number): void {
  bench.report({
    scenario: 'D',
    name,
    value: found.perSecond,
    unit: '/s',
    bound: { kind: 'at least', limit },
    also: { 'API µs': found.serverUs, 'Postgres µs': found.postgresUs },
  })
}

async function measurePublishing(
  bench: Bench,
  connections: number,
  batch: number | null,
): Promise<Publishing> {
  const { publishWarmUpMs: warmUpMs, publishMs } = bench.sizes
  const measureMs = publishMs / 2
  await using database = await bench.server.createDatabase()
  const { tenant, type } = await createPublisher(bench, database.url)
  await database.settle()
  await database.transactions()
  const postgresBeforeMs = await bench.server.cpuTimeMs()
  let answers = { accepted: 0, acceptedInTime: 0 }
  let serverMs = 0
  {
    await using server = await startPosthornServer(bench, database.url, 'api')
    await using publisher = startApart('publisher-main.ts')
    const serverBeforeMs = await server.cpuTimeMs()
    answers = await publisher.call('publishInTurn', {
      url: server.url,
      token: tenant.token,
      ...{ connections, batch, type, data: DATA, warmUpMs, measureMs },
    })
    serverMs = (await server.cpuTimeMs()) - serverBeforeMs
  }
  await database.transactions()
  const postgresMs = (await bench.server.cpuTimeMs()) - postgresBeforeMs
  const { accepted, acceptedInTime } = answers
  await assertStored(database.url, accepted)
  return {
    perSecond: acceptedInTime / (measureMs / 1_000),
    serverUs: (serverMs * 1_000) / accepted,
    postgresUs: (postgresMs * 1_000) / accepted,
  }
}

async function createPublisher({ receiver }: Bench, databaseUrl: string) {
  await using services = openBenchServices(databaseUrl)
  const tenant = await createBenchTenant(services)
  const [type] = await addWebhooks(services, tenant, receiver.url, 'ok')
  return { tenant, type }
}

async function assertStored(databaseUrl: string, accepted: number): Promise<void> {
  await using database = openDatabase(databaseUrl, { maxConnections: 1 })
  const { rows } = await database.pool.query(
    'select count(*)::int as stored from posthorn.deliveries',
  )
  if (rows[0].stored === accepted) return
  throw new Error(`${accepted} events were accepted, but ${rows[0].stored} deliveries are stored.`)
}
