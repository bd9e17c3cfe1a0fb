import type { Bench } from './bench.ts'
import { queueDeliveries } from './fill.ts'
import { measureLatencies, selectFields, toLatency, USUAL_PER_SECOND } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const UNRESPONSIVE = 300
const EVENTS_FOR_EACH = 3

/** The speed of the machine varies, so the rounds alternate. */
const ROUNDS = ['alone', 'beside', 'alone', 'beside', 'alone'] as const

/** L: the latency of a healthy webhook beside hundreds of its organization whose endpoints complete no connection. */
export async function reportUnresponsive(bench: Bench): Promise<void> {
  const latencies: Record<(typeof ROUNDS)[number], number[]> = { alone: [], beside: [] }
  for (const round of ROUNDS) latencies[round].push(...(await measureRound(bench, round)))
  const alone = toLatency(latencies.alone)
  const beside = toLatency(latencies.beside)
  const name = `publish to receipt at ${USUAL_PER_SECOND}/s`
  const also = (latency: typeof alone) => selectFields(latency, 'p50', 'p95', 'max')
  bench.report({
    ...{ scenario: 'L', name: `${name}, alone, p99`, value: alone.p99, unit: 'ms' },
    also: also(alone),
  })
  bench.report({
    ...{ scenario: 'L', name: `${name}, beside ${UNRESPONSIVE} dead endpoints, p99` },
    ...{ value: beside.p99, unit: 'ms', also: also(beside) },
    bound: { kind: 'at most', limit: 2, of: { name: 'alone', value: alone.p99 } },
  })
}

async function measureRound(bench: Bench, round: (typeof ROUNDS)[number]): Promise<number[]> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  await using script = startScript('greedy-main.ts')
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'stamp')
  if (round === 'beside') {
    const url = `https://127.0.0.1:${await script.call<number>('listenSilently')}`
    const dead = await addWebhooks(services, tenant, url, 'hang', { count: UNRESPONSIVE })
    await queueDeliveries(services.database.pool, tenant, dead, UNRESPONSIVE * EVENTS_FOR_EACH)
  }
  await database.settle()
  await bench.receiver.reset()
  await using server = await startPosthornServer(bench, database.url, 'all')
  const stream = { token: tenant.token, type, perSecond: USUAL_PER_SECOND }
  const measured = await measureLatencies(bench, server, stream)
  // A graceful stop would wait for the dead endpoints.
  await server.kill()
  return measured
}
