import { startApart } from './apart.ts'
import type { Bench } from './bench.ts'
import { DATA, queueDeliveries } from './fill.ts'
import {
  besides,
  type Latency,
  measureLatency,
  measureUsualLatency,
  USUAL_PER_SECOND,
} from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const FAILING_PER_SECOND = 50

/** F: what a healthy webhook notices of one that hangs with a long queue, and of one that always fails. */
export async function reportFairness(bench: Bench): Promise<void> {
  const usual = await measureUsualLatency(bench)
  for (const sameOrganization of [false, true]) {
    const latency = await measureBeside(bench, sameOrganization)
    bench.report({
      scenario: 'F',
      name: `the same at 200/s beside one hanging, ${sameOrganization ? 'same' : 'other'} organization, p95`,
      value: latency.p95,
      unit: 'ms',
      bound: { kind: 'at most', limit: 1.5, of: { name: 'E', value: usual.p95 } },
      also: besides(latency, 'p50', 'p99', 'max'),
    })
  }
}

async function measureBeside(bench: Bench, sameOrganization: boolean): Promise<Latency> {
  const { receiver, sizes } = bench
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const healthy = await createBenchTenant(services)
  const other = sameOrganization ? healthy : await createBenchTenant(services)
  const { url } = receiver
  const [type = ''] = await addWebhooks(services, healthy, url, 'stamp')
  const [failing = ''] = await addWebhooks(services, healthy, url, 'fail')
  const hanging = await addWebhooks(services, other, url, 'hang')
  await queueDeliveries(services.database.pool, other, hanging, sizes.hanging)
  await database.settle()

  await receiver.forget()
  await using server = await startPosthornServer(bench, database.url, 'all')
  await receiver.reached('hang', 1)
  await using publisher = startApart('publisher-main.ts')
  const publishingFailures = publisher.call('publishOnTime', {
    url: server.url,
    token: healthy.token,
    type: failing,
    perSecond: FAILING_PER_SECOND,
    connections: 10,
    data: DATA,
    warmUpMs: sizes.publishWarmUpMs,
    measureMs: sizes.publishMs,
  })
  const latency = await measureLatency(bench, server, {
    token: healthy.token,
    type,
    perSecond: USUAL_PER_SECOND,
  })
  await publishingFailures
  // Nothing waits for what hangs.
  await server.kill()
  return latency
}
