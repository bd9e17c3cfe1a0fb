import { SYSTEM } from '../../src/auth/access/actor.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import type { Bench } from './bench.ts'
import { monotonicMs } from './figures.ts'
import { DATA } from './fill.ts'
import type { Protocol } from './http-client.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** The number of connections that publish batches of a hundred events. */
const BATCH_CONNECTIONS = 20

/** D: the rate of publishing, with one webhook per event and no worker running. */
export async function reportPublishing(bench: Bench): Promise<void> {
  const name = 'events in batches of 100'
  let withoutKeys = 0
  for (const by of ['GraphQL', 'REST'] as const) {
    const single = await measurePublishing(bench, by, 100, null)
    const singly = `single publishes by ${by}, 100 connections`
    bench.report('D', singly, single.perSecond, '/s', { atLeast: 2_500, also: single.also })
    const { perSecond, also } = await measurePublishing(bench, by, BATCH_CONNECTIONS, 100)
    bench.report('D', `${name} by ${by}`, perSecond, '/s', { atLeast: 20_000, also })
    withoutKeys = perSecond
  }
  const keys = ['$.attendee', '$.seat']
  const keyed = await measurePublishing(bench, 'REST', BATCH_CONNECTIONS, 100, keys)
  // Search keys add at most 30 % to the time of publishing.
  const of = { name: 'without search keys', value: withoutKeys }
  const { 'API µs': api, 'Postgres µs': postgres } = keyed.also
  const also = { 'API µs': api, 'Postgres µs': postgres }
  const bound = { atLeast: 1 / 1.3, of, also }
  bench.report('D', `${name} by REST, with two search keys`, keyed.perSecond, '/s', bound)
}

/** Starts an API, and publishes to it. `batch` null: one event per call. */
async function measurePublishing(
  bench: Bench,
  by: Protocol,
  connections: number,
  batch: number | null,
  searchKeys: readonly string[] = [],
) {
  await using database = await bench.server.createDatabase()
  const { token, type } = await createPublisher(bench, database.url, searchKeys)
  await database.settle()
  const { warmUp } = bench.sizes
  const count = bench.sizes.count * (batch === null ? 1 : 5)
  const endMeter = await bench.server.startMeter(database)
  let perSecond = 0
  let serverMs = 0
  {
    await using server = await startPosthornServer(bench, database.url, 'api')
    await using publisher = startScript('publisher-main.ts')
    const publish = (events: number) =>
      publisher.call('publishBackToBack', {
        ...{ url: server.url, token, by, connections, batch, type, count: events },
        data: { ...DATA, seat: 87_012 },
      })
    const serverBeforeMs = await server.cpuTimeMs()
    await publish(warmUp)
    const startedAt = monotonicMs()
    await publish(count)
    perSecond = count / ((monotonicMs() - startedAt) / 1_000)
    serverMs = (await server.cpuTimeMs()) - serverBeforeMs
  }
  const { transactions, cpuMs, walBytes } = await endMeter()
  const all = warmUp + count
  return {
    perSecond,
    /** Per event. */
    also: {
      'API µs': (serverMs * 1_000) / all,
      'Postgres µs': (cpuMs * 1_000) / all,
      // Nearly every statement of the API is a transaction.
      statements: transactions / all,
      'bytes of WAL': walBytes / all,
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
