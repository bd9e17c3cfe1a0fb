import type { Services } from '../../src/run/services.ts'
import type { Bench } from './bench.ts'
import { DATA, fillFinished, parkDeliveries, queueDeliveries } from './fill.ts'
import type { PosthornServer } from './posthorn-server.ts'
import type { ScriptProcess } from './script-process.ts'
import { addWebhooks, type BenchTenant } from './tenant.ts'

/** A tenant beside the measured one. It has one webhook, whose endpoint responds. */
export interface Greedy {
  readonly bench: Bench
  readonly services: Services
  readonly server: PosthornServer
  readonly script: ScriptProcess
  readonly tenant: BenchTenant
  /** The event type of its webhook. */
  readonly type: string
  readonly measured: BenchTenant
}

type Start = (greedy: Greedy) => Promise<void>

/** What it saturates, by its name in the report. */
export const RESOURCES = {
  'name lookups': async (greedy) => await queueTo(greedy, (i) => `https://${i}.never.invalid`),
  connections: async (greedy) => await queueTo(greedy, () => greedy.bench.receiver.url),
  'webhooks of its own that hang': async (greedy) =>
    await queueTo({ ...greedy, tenant: greedy.measured }, () => greedy.bench.receiver.url),
  handshakes: async (greedy) => {
    const port = await greedy.script.call<number>('listenSilently')
    await queueTo(greedy, () => `https://127.0.0.1:${port}`)
  },
  'slow requests': async (greedy) => await call(greedy, 'sendSlowly'),
  subscriptions: async (greedy) => {
    await publish(greedy, 20, 1_000)
    await call(greedy, 'subscribe')
  },
  'GraphQL queries': async (greedy) => await repeat(greedy, 50, { query: LARGE_QUERY }),
} satisfies Record<string, Start>

/** Its work that the measured tenant may notice more, by its name in the report. */
export const WORK = {
  publishing: async (greedy) => await publish(greedy, 20, 1_000),
  'events for many webhooks': async (greedy) => {
    await addOthers(greedy, greedy.bench.sizes.greedyWebhooks)
    await publish(greedy, 4, 1)
  },
  'deletions of webhooks': async (greedy) => {
    const { bench, services, tenant, type } = greedy
    await addOthers(greedy, 99)
    await queueDeliveries(
      services.database.pool,
      tenant,
      [type],
      bench.sizes.greedyDeliveries / 100,
    )
    await forEachWebhook(greedy, 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }')
  },
  'a bulk redelivery': async (greedy) => {
    const { bench, services, tenant, type } = greedy
    await fillFinished(services.database.pool, tenant, [type], bench.sizes.greedyDeliveries)
    await forEachWebhook(
      greedy,
      `mutation ($id: ID!) { redeliver(input: {
         ratePerSecond: 5000, filter: { webhookIds: [$id], states: [SUCCEEDED] } }) { __typename } }`,
    )
  },
  'an erasure': async (greedy) => {
    const { bench, services, tenant, type } = greedy
    await fillFinished(services.database.pool, tenant, [type], bench.sizes.greedyDeliveries)
    await addSearchKey(greedy)
    const query = 'mutation ($input: EraseInput!) { erase(input: $input) { __typename } }'
    const variables = { input: { searchKey: SEARCH_KEY, unsent: 'CANCEL' } }
    await call(greedy, 'send', { requests: [{ query, variables }] })
  },
  'a release': async (greedy) => {
    const { bench, services, tenant, type } = greedy
    await parkDeliveries(services.database.pool, tenant, [type], bench.sizes.greedyDeliveries)
    await forEachWebhook(greedy, 'mutation ($id: ID!) { resumeWebhook(id: $id) { __typename } }')
  },
} satisfies Record<string, Start>

/** Pages with nearly as many fields as a response may have. */
const LARGE_QUERY = `{ ${['a', 'b', 'c'].map(
  (alias) => `${alias}: deliveries(first: 100) { nodes {
    id state createdAt webhook { id url } event { id type { name } } attempts(first: 5) { nodes { id number } } } }`,
)} }`

/** Publishes without end. */
async function publish(greedy: Greedy, connections: number, batch: number): Promise<void> {
  const query =
    'mutation ($input: PublishEventsInput!) { publishEvents(input: $input) { __typename } }'
  const events = new Array(batch).fill({ type: greedy.type, data: DATA })
  await repeat(greedy, connections, { query, variables: { input: { events } } })
}

async function repeat(greedy: Greedy, connections: number, request: object): Promise<void> {
  await call(greedy, 'repeat', { connections, request })
}

/** Sends a mutation for each webhook. Resolves once the first one has succeeded. */
async function forEachWebhook(greedy: Greedy, query: string): Promise<void> {
  const { rows } = await greedy.services.database.pool.query<{ id: string }>(
    `select posthorn.type_id('wh', id) as id from posthorn.webhooks where organization_id = $1`,
    [greedy.tenant.organizationId],
  )
  const requests = rows.map(({ id }) => ({ query, variables: { id } }))
  await call(greedy, 'send', { requests })
}

async function call(greedy: Greedy, name: string, input: object = {}): Promise<void> {
  const { script, server, tenant } = greedy
  await script.call(name, { url: server.url, token: tenant.token, ...input })
}

/** Adds webhooks that subscribe to the same type as the first one. */
async function addOthers({ bench, services, tenant }: Greedy, count: number): Promise<void> {
  await addWebhooks(services, tenant, bench.receiver.url, 'ok', { count, sameType: true })
}

/** Queues deliveries to twenty webhooks of these URLs. */
async function queueTo(greedy: Greedy, urlOf: (number: number) => string): Promise<void> {
  const { bench, services, tenant } = greedy
  const types: string[] = []
  for (let i = 0; i < 20; i++) {
    types.push(...(await addWebhooks(services, tenant, urlOf(i), 'hang', { firstNumber: i + 1 })))
  }
  await queueDeliveries(services.database.pool, tenant, types, bench.sizes.hanging)
}

const SEARCH_KEY = { path: '$.attendee', equals: DATA.attendee }

/** Adds the search key to a type and to the events of a tenant. */
async function addSearchKey({ services, tenant, type }: Greedy): Promise<void> {
  const { pool } = services.database
  const { path, equals } = SEARCH_KEY
  await pool.query('update posthorn.event_types set search_keys = $1 where name = $2', [
    [path],
    type,
  ])
  await pool.query(
    `insert into posthorn.event_keys (organization_id, path, value, event_id)
     select organization_id, $2, $3, id from posthorn.events where organization_id = $1`,
    [tenant.organizationId, path, equals],
  )
}
