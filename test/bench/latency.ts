import type { Bench } from './bench.ts'
import { percentile } from './figures.ts'
import { DATA } from './fill.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import type { Behaviour } from './receiver.ts'
import { startScript } from './script-process.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

/** How long to wait for arrivals after all events are published. */
const ARRIVE_WITHIN_MS = 10_000

interface Stream {
  readonly token: string
  readonly type: string
  readonly perSecond: number
  readonly behaviour?: Behaviour
  readonly measureMs?: number
}

/** The times from publishing to receipt, in ms; infinite for an event that did not arrive. */
export async function measureLatencies(
  { receiver, sizes }: Bench,
  server: PosthornServer,
  { behaviour = 'stamp', measureMs = sizes.publishMs, ...stream }: Stream,
): Promise<readonly number[]> {
  await receiver.reset()
  await using publisher = startScript('publisher-main.ts')
  const { measured, sent } = await publisher.call<Record<'measured' | 'sent', number>>(
    'publishAtRate',
    {
      ...{ by: 'REST', ...stream, measureMs, warmUpMs: sizes.publishWarmUpMs },
      ...{ url: server.url, connections: 200, data: DATA },
    },
  )
  await receiver.waitUntilReceived(behaviour, sent, ARRIVE_WITHIN_MS).catch(() => {})
  const arrived = await receiver.latenciesMs()
  const missing = Math.max(0, measured - arrived.length)
  return [...arrived, ...new Array<number>(missing).fill(NEVER)]
}

const NEVER = Number.POSITIVE_INFINITY

/** Further numbers beside the p99, and how many events did not arrive, if any. */
export function spread(times: readonly number[]): Record<string, number> {
  const missing = times.filter((ms) => ms === NEVER).length
  return {
    ...{ p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: percentile(times, 1) },
    ...(missing > 0 && { missing }),
  }
}

const SLOW = [
  { behaviour: 'slow50', perSecond: 200 },
  { behaviour: 'slow50', perSecond: 500 },
  { behaviour: 'slow200', perSecond: 500 },
] as const

/** W: single events published at a steady rate to one webhook whose endpoint is slow. */
export async function reportEndpoints(bench: Bench): Promise<void> {
  for (const { behaviour, perSecond } of SLOW) {
    await using database = await bench.server.createDatabase()
    await using services = openBenchServices(database.url)
    const tenant = await createBenchTenant(services)
    const [type = ''] = await addWebhooks(services, tenant, bench.receiver.url, behaviour)
    await database.settle()
    await using server = await startPosthornServer(bench, database.url, 'all')
    const stream = { token: tenant.token, type, perSecond, behaviour }
    const receipt = await measureLatencies(bench, server, stream)
    const name = `${perSecond}/s to an endpoint that takes ${behaviour.slice('slow'.length)} ms`
    bench.report('W', `${name}, p50`, percentile(receipt, 0.5), 'ms', { atMost: 4 })
    const also = spread(receipt)
    bench.report('W', `${name}, p99`, percentile(receipt, 0.99), 'ms', { atMost: 20, also })
  }
}
