import { startApart } from './apart.ts'
import type { Bench } from './bench.ts'
import { DATA, queueDeliveries } from './fill.ts'
import { besides, measureAlone, measureArrivals, toLatency, USUAL_PER_SECOND } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const FAILING_PER_SECOND = 50

/** What a healthy webhook shares the process with: nothing, or webhooks of another organization, or of its own. */
type Beside = 'nothing' | 'other' | 'same'

/**
 * The machine is not equally fast all the time, so each is measured more than once, by turns; the mean moment of all
 * three is the same.
 */
const TURNS: readonly Beside[] = ['nothing', 'other', 'same', 'nothing', 'same', 'other', 'nothing']

/** F: what a healthy webhook notices of one that hangs with a long queue, and of one that always fails. */
export async function reportFairness(bench: Bench): Promise<void> {
  const arrivals: Record<Beside, number[][]> = { nothing: [], other: [], same: [] }
  for (const beside of TURNS) arrivals[beside].push(await measureTurn(bench, beside))

  const alone = toLatency(arrivals.nothing.flat())
  bench.report({
    scenario: 'E',
    name: `publish to receipt at ${USUAL_PER_SECOND}/s, p95, in turns with F`,
    value: alone.p95,
    unit: 'ms',
    also: { ...besides(alone, 'p50', 'p99', 'max'), ...eachP95(arrivals.nothing) },
  })
  const report = (organization: 'other' | 'same') => {
    const latency = toLatency(arrivals[organization].flat())
    bench.report({
      scenario: 'F',
      name: `the same beside one hanging, ${organization} organization, p95`,
      value: latency.p95,
      unit: 'ms',
      bound: { kind: 'at most', limit: 2, of: { name: 'E', value: alone.p95 } },
      also: { ...besides(latency, 'p50', 'p99', 'max'), ...eachP95(arrivals[organization]) },
    })
  }
  report('other')
  report('same')
}

function eachP95(turns: readonly number[][]): Record<string, number> {
  return Object.fromEntries(
    turns.map((arrivals, i) => [`p95 of turn ${i + 1}`, toLatency(arrivals).p95]),
  )
}

function measureTurn(bench: Bench, beside: Beside): Promise<number[]> {
  return beside === 'nothing'
    ? measureAlone(bench, USUAL_PER_SECOND)
    : measureBeside(bench, beside === 'same')
}

async function measureBeside(bench: Bench, sameOrganization: boolean): Promise<number[]> {
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
  const arrivals = await measureArrivals(bench, server, {
    token: healthy.token,
    type,
    perSecond: USUAL_PER_SECOND,
  })
  await publishingFailures
  // Nothing waits for what hangs.
  await server.kill()
  return arrivals
}
