import { createTenant } from '../support/factories.ts'
import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { queueDeliveries } from './fill.ts'
import { RESOURCES, WORK } from './greedy.ts'
import { measureLatencies, spread, type Times } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, openBenchServices } from './tenant.ts'

const NEIGHBORS = { ...RESOURCES, ...WORK }

type Neighbor = keyof typeof NEIGHBORS

const PER_SECOND = 50

const MEASURED = {
  publish: 'publishing',
  receipt: 'publish to receipt',
  read: 'a page of 20 deliveries',
} satisfies Record<keyof Times, string>

/** T: the p99 of one tenant beside another one at its worst, compared with its p99 alone. */
export async function reportNeighbors(bench: Bench): Promise<void> {
  const rounds: Times[] = []
  const beside = new Map<Neighbor, Times>()
  // The speed of the machine varies, so the rounds alternate.
  for (const neighbor of Object.keys(NEIGHBORS) as Neighbor[]) {
    rounds.push(await measureRound(bench, null))
    beside.set(neighbor, await measureRound(bench, neighbor))
  }
  rounds.push(await measureRound(bench, null))
  for (const measured of Object.keys(MEASURED) as (keyof Times)[]) {
    const name = MEASURED[measured]
    const alone = rounds.flatMap((times) => times[measured])
    const own = percentile(alone, 0.99)
    const of = { name: 'alone', value: own }
    bench.report('T', `${name}, alone, p99`, own, 'ms', { also: spread(alone) })
    for (const [neighbor, { [measured]: times }] of beside) {
      // Beside work, at most 3 times the time alone, and never above 500 ms.
      const atMost = neighbor in WORK ? Math.min(3, 500 / own) : 2
      const options = { atMost, of, also: spread(times) }
      bench.report('T', `${name}, beside ${neighbor}, p99`, percentile(times, 0.99), 'ms', options)
    }
  }
}

async function measureRound(bench: Bench, neighbor: Neighbor | null): Promise<Times> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createTenant(services.database.prisma)
  const greedy = await createTenant(services.database.prisma)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'stamp')
  const [greedyType = ''] = await addWebhooks(services, greedy, bench.receiver.url, 'ok')
  const { pool } = services.database
  for (const each of [
    { tenant, type },
    { tenant: greedy, type: greedyType },
  ])
    await queueDeliveries(pool, each.tenant, [each.type], 500)
  await database.settle()
  await bench.receiver.reset()
  await using server = await startPosthornServer(bench, database.url, 'all')
  await bench.receiver.waitUntilReceived('stamp', 500)
  await using script = startScript('greedy-main.ts')
  if (neighbor) {
    const own = { tenant: greedy, type: greedyType, measured: tenant }
    await NEIGHBORS[neighbor]({ bench, services, server, script, ...own })
  }
  const stream = { token: tenant.token, type, perSecond: PER_SECOND, reads: true }
  const times = await measureLatencies(bench, server, stream)
  // A graceful stop would wait for hanging requests.
  await server.kill()
  return times
}
