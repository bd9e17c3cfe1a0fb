import { createWebhook } from '../../src/webhooks/webhook.ts'
import { createTenant } from '../support/factories.ts'
import type { Bench } from './bench.ts'
import { DATA, queueDeliveries } from './fill.ts'
import { percentile } from './percentile.ts'
import { type PosthornServer, startPosthornServer } from './posthorn-server.ts'
import { type ScriptProcess, startScript } from './script-process.ts'
import { addWebhooks, type BenchTenant, openBenchServices } from './tenant.ts'

/** What a tenant saturates, by its name in the report. */
const RESOURCES = {
  'name lookups': async ({ queue }) => await queue((i) => `https://${i}.never.invalid/`),
  connections: async ({ queue, bench }) => await queue((i) => `${bench.receiver.url}/hang/${i}`),
  handshakes: async ({ queue, script }) => {
    const port = await script.call<number>('listenSilently')
    await queue((i) => `https://127.0.0.1:${port}/${i}`)
  },
  'slow requests': async ({ call }) => await call('sendSlowly'),
  subscriptions: async ({ call, publish }) => {
    await publish()
    await call('subscribe')
  },
  publishing: async ({ publish }) => await publish(),
  'GraphQL queries': async ({ call }) => await call('query'),
} satisfies Record<string, (greedy: Greedy) => Promise<void>>

type Resource = keyof typeof RESOURCES

/** The tools of the greedy tenant. */
interface Greedy {
  readonly bench: Bench
  readonly script: ScriptProcess
  /** Queues deliveries to twenty webhooks of these URLs. */
  queue(urlOf: (number: number) => string): Promise<void>
  /** Starts a load on the API. */
  call(name: string, input?: object): Promise<void>
  /** Publishes without end, to an endpoint that responds. */
  publish(): Promise<void>
}

const PER_SECOND = 50

interface Times {
  readonly publish: number[]
  readonly receipt: number[]
  readonly read: number[]
}

const MEASURED = {
  publish: 'publishing',
  receipt: 'publish to receipt',
  read: 'a page of 20 deliveries',
} satisfies Record<keyof Times, string>

/** T: the p99 of one tenant beside another one at its worst on each resource, compared with its p99 alone. */
export async function reportNeighbors(bench: Bench): Promise<void> {
  const alone: Times = { publish: [], receipt: [], read: [] }
  const beside = new Map<Resource, Times>()
  // The speed of the machine varies, so the rounds alternate.
  for (const resource of Object.keys(RESOURCES) as Resource[]) {
    add(alone, await measureRound(bench, null))
    beside.set(resource, await measureRound(bench, resource))
  }
  add(alone, await measureRound(bench, null))
  for (const measured of Object.keys(MEASURED) as (keyof Times)[]) {
    const name = MEASURED[measured]
    const own = percentile(alone[measured], 0.99)
    bench.report({
      scenario: 'T',
      name: `${name}, alone, p99`,
      value: own,
      unit: 'ms',
      also: spread(alone[measured]),
    })
    for (const [resource, times] of beside) {
      bench.report({
        scenario: 'T',
        name: `${name}, beside ${resource}, p99`,
        value: percentile(times[measured], 0.99),
        unit: 'ms',
        bound: { kind: 'at most', limit: 2, of: { name: 'alone', value: own } },
        also: spread(times[measured]),
      })
    }
  }
}

function add(all: Times, more: Times): void {
  for (const name of Object.keys(all) as (keyof Times)[]) all[name].push(...more[name])
}

function spread(times: readonly number[]): Record<string, number> {
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: percentile(times, 1) }
}

async function measureRound(bench: Bench, resource: Resource | null): Promise<Times> {
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
  if (resource) {
    const target = { url: server.url, token: greedy.token }
    await RESOURCES[resource]({
      bench,
      script,
      async queue(urlOf) {
        const types = await addGreedyWebhooks(services, greedy, urlOf)
        await queueDeliveries(pool, greedy, types, bench.sizes.hanging)
      },
      call: async (name, input = {}) => await script.call(name, { ...target, ...input }),
      publish: async () =>
        await script.call('publish', { ...target, type: greedyType, data: DATA }),
    })
  }
  const times = await use(bench, server, { token: tenant.token, type })
  // A graceful stop would wait for hanging requests.
  await server.kill()
  return times
}

async function addGreedyWebhooks(
  services: ReturnType<typeof openBenchServices>,
  { organizationId }: BenchTenant,
  urlOf: (number: number) => string,
): Promise<string[]> {
  const types = Array.from({ length: 20 }, (_, i) => `bench.greedy_${i}`)
  await services.database.pool.query(
    `insert into posthorn.event_types (name, description)
     select name, 'Created by the bench.' from unnest($1::text[]) as name on conflict do nothing`,
    [types],
  )
  for (const [i, type] of types.entries()) {
    await createWebhook(services.webhooks, organizationId, {
      url: urlOf(i),
      eventSubscriptions: [type],
      enabled: true,
    })
  }
  return types
}

const ARRIVE_WITHIN_MS = 10_000

async function use(
  { receiver, sizes }: Bench,
  server: PosthornServer,
  stream: { readonly token: string; readonly type: string },
): Promise<Times> {
  await receiver.reset()
  await using script = startScript('tenant-main.ts')
  const { publishMs, readMs, sent, sentInTime } = await script.call<{
    publishMs: (number | null)[]
    readMs: (number | null)[]
    sent: number
    sentInTime: number
  }>('use', {
    ...stream,
    url: server.url,
    data: DATA,
    perSecond: PER_SECOND,
    warmUpMs: sizes.publishWarmUpMs,
    measureMs: sizes.publishMs,
  })
  await receiver.waitUntilReceived('stamp', sent, ARRIVE_WITHIN_MS).catch(() => {})
  const arrived = await receiver.latenciesMs()
  const missing = Math.max(0, sentInTime - arrived.length)
  const receipt = [...arrived, ...new Array<number>(missing).fill(Number.POSITIVE_INFINITY)]
  return { publish: publishMs.map(orNever), receipt, read: readMs.map(orNever) }
}

const orNever = (ms: number | null) => ms ?? Number.POSITIVE_INFINITY
