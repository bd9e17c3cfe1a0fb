import { startApart } from './apart.ts'
import type { Bench } from './bench.ts'
import { DATA, queueDeliveries } from './fill.ts'
import {
  besides,
  type Latency,
  measureLatency,
  measureUsualLatency,
  measureUsualLatencyAnew,
  USUAL_PER_SECOND,
} from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const FAILING_PER_SECOND = 50

/** F: what a healthy webhook notices of one that hangs with a long queue, and of one that always fails. */
export async function reportFairness(bench: Bench): Promise<void> {
  const before = await measureUsualLatency(bench)
  const besideOther = await measureBeside(bench, false)
  const besideSame = await measureBeside(bench, true)
  // The machine is not equally fast all the time, so what is compared with is measured on both sides.
  const after = await measureUsualLatencyAnew(bench)
  bench.report({
    scenario: 'E',
    name: `publish to receipt at ${USUAL_PER_SECOND}/s, p95, after F`,
    value: after.p95,
    unit: 'ms',
    also: { ...besides(after, 'p50', 'p99'), 'p95 before': before.p95 },
  })
  const usual = { name: 'E', value: (before.p95 + after.p95) / 2 }
  const report = (organization: string, latency: Latency) =>
    bench.report({
      scenario: 'F',
      name: `the same beside one hanging, ${organization} organization, p95`,
      value: latency.p95,
      unit: 'ms',
      bound: { kind: 'at most', limit: 1.5, of: usual },
      also: besides(latency, 'p50', 'p99', 'max'),
    })
  report('other', besideOther)
  report('same', besideSame)
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
