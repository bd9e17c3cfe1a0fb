import type { Bench } from './bench.ts'
import { type Drain, type Drains, type DrainsOptions, prepareDrains } from './drain.ts'
import { percentile } from './percentile.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { publishTo } from './publishing.ts'
import type { Row } from './row.ts'

/**
 * N: how the costs of a delivery, an event and a page grow with the number of stored deliveries and with that of webhooks,
 * each compared with the cost at the smallest number.
 */
export async function reportScale(bench: Bench): Promise<void> {
  const { scaleStored, scaleWebhooks } = bench.sizes
  await reportGrowth(bench, {
    name: 'stored',
    sizes: powersOfTen(1_000, scaleStored),
    prepare: (finished) => ({ finished }),
    limit: 1.1,
  })
  await reportGrowth(bench, {
    name: 'webhooks',
    sizes: powersOfTen(1, scaleWebhooks),
    prepare: (webhooks) => ({ webhooks }),
  })
}

/** What grows: the deliveries stored before, or the webhooks that the deliveries are spread over. */
interface Growth {
  readonly name: string
  readonly sizes: readonly number[]
  readonly prepare: (size: number) => DrainsOptions
  /** The bound of the time per delivery, as a multiple of that at the smallest size. */
  readonly limit?: number
}

/** The speed of a machine varies, so the sizes alternate. The median of their rounds is compared. */
const ROUNDS = 3

const FIRST_PAGES = {
  'first page of deliveries': 'deliveries(first: 50) { nodes { id state webhook { url } } }',
  'first page of webhooks': 'webhooks(first: 50) { nodes { id url health { state } } }',
}

async function reportGrowth(bench: Bench, { name, sizes, prepare, limit }: Growth): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const subjects: Subject[] = []
  for (const size of sizes) {
    const drains = stack.use(await prepareDrains(bench, prepare(size)))
    subjects.push({ size: `${name}: ${size.toLocaleString('en')}`, drains, rounds: [] })
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Back and forth, so that no size is always measured first.
    for (const { drains, rounds } of round % 2 === 0 ? subjects : subjects.toReversed()) {
      rounds.push(await drains.measure({ count: bench.sizes.count }))
    }
  }
  const compare = createComparison(bench, subjects[0]?.size ?? '')
  for (const { size, rounds } of subjects) {
    const worker = medianOf(rounds, ({ workerUs }) => workerUs)
    const postgres = medianOf(rounds, ({ postgresUs }) => postgresUs)
    const parts = { 'worker µs': worker, 'Postgres µs': postgres }
    compare('delivery', size, { value: worker + postgres, unit: 'µs', parts, limit })
    const statements = medianOf(rounds, ({ statementsPerDelivery }) => statementsPerDelivery)
    compare('delivery', size, { value: statements, unit: 'statements' })
  }
  for (const { size, drains } of subjects) {
    await using api = await startPosthornServer(bench, drains.database.url, 'api')
    for (const [page, query] of Object.entries(FIRST_PAGES)) {
      await measureQuery(api.url, drains.tenant.token, query) // The process warms up.
      const value = await measureQuery(api.url, drains.tenant.token, query)
      compare(`${page}, p95`, size, { value, unit: 'ms' })
    }
  }
  // Last, because nothing delivers these events.
  for (const { size, drains } of subjects) {
    const { serverUs, postgresUs } = await publish(bench, drains)
    const parts = { 'API µs': serverUs, 'Postgres µs': postgresUs }
    compare('event published alone', size, { value: serverUs + postgresUs, unit: 'µs', parts })
  }
}

interface Subject {
  readonly size: string
  readonly drains: Drains
  readonly rounds: Drain[]
}

async function publish(bench: Bench, { database, tenant, types }: Drains) {
  await database.settle()
  return await publishTo(bench, database, {
    ...{ tenant, type: types[0] ?? '' },
    ...{ connections: 20, batch: null },
  })
}

interface Cost {
  readonly value: number
  readonly unit: Row['unit']
  readonly parts?: Readonly<Record<string, number>>
  readonly limit?: number | undefined
}

/** Reports costs, each with its ratio to the cost that was reported first, that of the smallest size. */
function createComparison({ report }: Bench, smallest: string) {
  const first = new Map<string, number>()
  return (name: string, size: string, { value, unit, parts, limit }: Cost): void => {
    const key = `${name} ${unit}`
    const base = first.get(key)
    if (base === undefined) first.set(key, value)
    const bound = limit !== undefined &&
      base !== undefined && { limit, of: { name: smallest, value: base } }
    report({
      ...{ scenario: 'N', name: `${name}, ${size}`, value, unit },
      ...(bound && { bound: { kind: 'at most', ...bound } }),
      also: { ...parts, ratio: value / (base ?? value) },
    })
  }
}

function medianOf(rounds: readonly Drain[], cost: (drain: Drain) => number): number {
  return percentile(rounds.map(cost), 0.5)
}

function powersOfTen(smallest: number, largest: number): number[] {
  const sizes: number[] = []
  for (let size = smallest; size <= largest; size *= 10) sizes.push(size)
  return sizes
}

const PAGES = 100

/** The 95th percentile of the time of a query, in ms. */
async function measureQuery(url: string, token: string, selection: string): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < PAGES; i++) {
    const startedAt = performance.now()
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: `{ ${selection} }` }),
    })
    const text = await response.text()
    if (text.includes('"errors"')) throw new Error(text)
    took.push(performance.now() - startedAt)
  }
  return percentile(took, 0.95)
}
