import type { Bench } from './bench.ts'
import { DATA, queueDeliveries } from './fill.ts'
import {
  measureLatencies,
  measureOneWebhook,
  selectFields,
  toLatency,
  USUAL_PER_SECOND,
} from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const FAILING_PER_SECOND = 50

/** The organization of the hanging webhook, relative to that of the healthy one. */
type Neighbour = 'none' | 'other' | 'same'

/**
 * The speed of the machine varies, so the measurements alternate and repeat. The mean time of the rounds is the same for
 * all three.
 */
const ROUNDS: readonly Neighbour[] = ['none', 'other', 'same', 'none', 'same', 'other', 'none']

/** F: the latency of a healthy webhook next to one that hangs with a long queue and one that always fails. */
export async function reportFairness(bench: Bench): Promise<void> {
  const latencies: Record<Neighbour, number[][]> = { none: [], other: [], same: [] }
  for (const neighbour of ROUNDS) latencies[neighbour].push(await measureRound(bench, neighbour))

  const alone = toLatency(latencies.none.flat())
  bench.report({
    scenario: 'E',
    name: `publish to receipt at ${USUAL_PER_SECOND}/s, p95, alternating with F`,
    value: alone.p95,
    unit: 'ms',
    also: { ...selectFields(alone, 'p50', 'p99', 'max'), ...eachP95(latencies.none) },
  })
  const report = (organization: 'other' | 'same') => {
    const latency = toLatency(latencies[organization].flat())
    bench.report({
      scenario: 'F',
      name: `the same next to a hanging webhook, ${organization} organization, p95`,
      value: latency.p95,
      unit: 'ms',
      bound: { kind: 'at most', limit: 2, of: { name: 'E', value: alone.p95 } },
      also: { ...selectFields(latency, 'p50', 'p99', 'max'), ...eachP95(latencies[organization]) },
    })
  }
  report('other')
  report('same')
}

function eachP95(rounds: readonly number[][]): Record<string, number> {
  return Object.fromEntries(
    rounds.map((latencies, i) => [`p95 of round ${i + 1}`, toLatency(latencies).p95]),
  )
}

function measureRound(bench: Bench, neighbour: Neighbour): Promise<number[]> {
  return neighbour === 'none'
    ? measureOneWebhook(bench, USUAL_PER_SECOND)
    : measureNextToHanging(bench, neighbour === 'same')
}

async function measureNextToHanging(bench: Bench, sameOrganization: boolean): Promise<number[]> {
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

  await receiver.reset()
  await using server = await startPosthornServer(bench, database.url, 'all')
  await receiver.waitUntilReceived('hang', 1)
  await using publisher = startScript('publisher-main.ts')
  const publishingFailures = publisher.call('publishAtRate', {
    url: server.url,
    token: healthy.token,
    type: failing,
    perSecond: FAILING_PER_SECOND,
    connections: 10,
    data: DATA,
    warmUpMs: sizes.publishWarmUpMs,
    measureMs: sizes.publishMs,
  })
  const latencies = await measureLatencies(bench, server, {
    token: healthy.token,
    type,
    perSecond: USUAL_PER_SECOND,
  })
  await publishingFailures
  // A graceful stop would wait for the hanging requests.
  await server.kill()
  return latencies
}
