import type { Bench } from './bench.ts'
import { measureLatencies, measureOneWebhook, toLatency } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const PER_SECOND = 500

/** W: single events published at a steady rate to one webhook whose endpoint is slow or overloaded. */
export async function reportEndpoints(bench: Bench): Promise<void> {
  for (const behaviour of ['slow50', 'slow200'] as const) {
    const latency = toLatency(await measureOneWebhook(bench, PER_SECOND, { behaviour }))
    const name = `${PER_SECOND}/s to an endpoint that takes ${behaviour.slice('slow'.length)} ms`
    const also = { max: latency.max, missing: latency.missing }
    bench.report({
      ...{ scenario: 'W', name: `${name}, p50`, value: latency.p50, unit: 'ms', also },
      bound: { kind: 'at most', limit: 4 },
    })
    bench.report({
      ...{ scenario: 'W', name: `${name}, p99`, value: latency.p99, unit: 'ms' },
      bound: { kind: 'at most', limit: 20 },
    })
  }
  const { answered, rejected } = await measureBusy(bench)
  bench.report({
    scenario: 'W',
    name: `${PER_SECOND}/s to one with 503 beyond 50 in parallel, failed`,
    value: (100 * rejected) / answered,
    unit: '%',
    bound: { kind: 'at most', limit: 10 },
    also: { answered, rejected },
  })
}

async function measureBusy(bench: Bench): Promise<{ answered: number; rejected: number }> {
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const tenant = await createBenchTenant(services)
  const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, 'busy')
  await database.settle()
  await using server = await startPosthornServer(bench, database.url, 'all')
  await measureLatencies(bench, server, {
    ...{ token: tenant.token, type, perSecond: PER_SECOND, behaviour: 'busy' },
    measureMs: bench.sizes.busyMs,
  })
  return await bench.receiver.busyCounts()
}
