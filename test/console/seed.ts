import { until } from '../support/until.ts'
import {
  call,
  createOrganization,
  createWebhook,
  deliveriesOf,
  testDelivery,
  untilDelivery,
} from './support/call.ts'
import { EVENT_TYPES, JOINED, newEvents, TICKET } from './support/catalogue.ts'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import {
  type EndpointBehavior,
  type FakeEndpoints,
  openFakeEndpoints,
} from './support/fake-endpoints.ts'
import { backfillStatistics } from './support/statistics-backfill.ts'

/** A server with sample data, and the ids of interesting objects. */
export type SeededServer = Awaited<ReturnType<typeof seedServer>>

type WebhookName = keyof typeof WEBHOOKS

const BEHAVIORS: Record<string, EndpointBehavior> = {
  'hooks.boxoffice.example': {
    status: 200,
    body: '{"received":true}',
    delayMs: 35,
    headers: { 'content-type': 'application/json', server: 'boxoffice/4.2' },
  },
  'crm.example': { status: 204, delayMs: 130 },
  'api.ledger.example': {
    status: 503,
    body: '{"error":"maintenance","message":"The ledger is closed until 06:00 UTC."}',
    delayMs: 12,
    headers: { 'content-type': 'application/json' },
  },
  'stats.example': { status: 500, body: 'Internal Server Error', delayMs: 25 },
  'badges.example': { status: 404, body: 'no such hook', delayMs: 8 },
  'old.example': { status: 200 },
  'scanner.example': { status: 404, body: '{"error":"no such hook"}', delayMs: 15 },
}

const WEBHOOKS = {
  boxOffice: {
    url: 'https://hooks.boxoffice.example/posthorn',
    description: 'Box office: seats and badges',
    eventSubscriptions: [JOINED, TICKET, 'order.placed'],
    headers: [{ name: 'X-Environment', value: 'production' }],
  },
  crm: {
    url: 'https://crm.example/in/events',
    description: 'Customer relations, one at a time',
    eventSubscriptions: [JOINED, 'order.placed'],
    ordered: true,
    rateLimitPerSecond: 20,
  },
  ledger: {
    url: 'https://api.ledger.example/v2/webhooks/tickets',
    description: 'Accounting',
    eventSubscriptions: [TICKET, 'order.placed', 'order.refunded'],
    retryScheduleSeconds: [600, 1_800, 7_200, 18_000],
  },
  stats: {
    url: 'https://stats.example/collect',
    description: 'Statistics of the fair',
    eventSubscriptions: [JOINED],
    retryScheduleSeconds: [1, 1],
  },
  badges: {
    url: 'https://badges.example/hooks/9f2c',
    description: null,
    eventSubscriptions: ['order.refunded'],
    retryScheduleSeconds: [1],
  },
  old: {
    url: 'https://old.example/webhooks',
    description: 'The former ticket shop',
    eventSubscriptions: [TICKET],
    enabled: false,
  },
} as const

/** Creates sample data through the API. Only the statistics of past days are inserted directly. */
export async function seedServer(environment: Readonly<Record<string, string>> = {}) {
  const endpoints = await openFakeEndpoints(BEHAVIORS)
  const server = await startConsoleServer({
    authority: endpoints.authority,
    alsoEnds: endpoints,
    environment: {
      ...endpoints.environment,
      POSTHORN_RETRY_SCHEDULE: '5s,5m,30m,2h,5h',
      ...environment,
    },
  })
  const publish = (count: number): Promise<void> =>
    call(server, 'publishEvents', { input: { events: newEvents(count) } })

  const { viewer } = await server.graphql('{ viewer { organization { id } } }')
  const { id } = viewer.organization
  await call(server, 'updateOrganization', { id, input: { name: 'Harvest Fair' } })
  const webhooks = await createWebhooks(server)
  const recovered = await failTwice(server, endpoints, webhooks.boxOffice)
  await publish(48)
  const since = new Date().toISOString()
  const canceled = await testDelivery(server, webhooks.ledger, TICKET)
  await untilDelivery(server, canceled, (one) => one.attemptCount > 0, 'it has an attempt')
  const filter = { webhookIds: [webhooks.ledger], since }
  const { task } = await call(server, 'cancelDeliveries', { input: { filter } }, 'task { id }')
  await untilDelivery(server, canceled, ({ state }) => state === 'CANCELED', 'it is canceled')
  const archived = { id: 'type_newsletter.subscribed', input: { archived: true } }
  await call(server, 'updateEventType', archived)
  await call(server, 'rotateSigningSecret', { id: webhooks.crm })
  await call(server, 'updateWebhook', {
    id: webhooks.boxOffice,
    input: { description: 'Box office: seats, badges and orders' },
  })
  await manageKeys(server)
  for (const name of ['Northern Lights Festival', 'Riverside Museum', 'City Marathon']) {
    await createOrganization(server, name)
  }

  const first = async (webhook: string, states: readonly string[]) => {
    await until(async () => (await deliveriesOf(server, webhook, states)).length > 0, `${states}`)
    return (await deliveriesOf(server, webhook, states))[0]?.id ?? ''
  }
  await first(webhooks.stats, ['EXHAUSTED'])
  const pending = await first(webhooks.ledger, UNFINISHED)
  for (const webhook of [webhooks.boxOffice, webhooks.crm]) {
    await until(
      async () => (await deliveriesOf(server, webhook, UNFINISHED)).length === 0,
      'the deliveries of healthy webhooks finish',
      30_000,
    )
  }
  await using database = await server.openDatabase()
  await backfillStatistics(database.pool, webhooks)
  const found = await server.graphql(FOUND, { id: recovered })
  return {
    ...{ server, endpoints, webhooks, pending, publish },
    /** A delivery that failed twice and then succeeded, and one of its attempts. */
    recovered,
    attemptId: (found.delivery.attempts.nodes[0]?.id ?? '') as string,
    eventId: found.delivery.event.id as string,
    auditEntryId: (found.auditLog.nodes[0]?.id ?? '') as string,
    /** A bulk action that canceled a delivery. */
    taskId: task.id as string,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const UNFINISHED = ['QUEUED', 'RETRYING', 'WAITING']

const FOUND = `query ($id: ID!) {
  delivery(id: $id) { event { id } attempts(first: 1) { nodes { id } } }
  auditLog(first: 1, filter: { actions: ["webhook.updated"] }) { nodes { id } }
}`

/** Creates the webhooks and the event types that they subscribe to. */
async function createWebhooks(server: ConsoleServer): Promise<Record<WebhookName, string>> {
  for (const input of EVENT_TYPES) await call(server, 'createEventType', { input })
  const created: [string, string][] = []
  for (const [name, input] of Object.entries(WEBHOOKS)) {
    created.push([name, await createWebhook(server, { enabled: true, ...input })])
  }
  return Object.fromEntries(created) as Record<WebhookName, string>
}

/** Creates a delivery that fails twice and then succeeds. */
async function failTwice(
  server: ConsoleServer,
  endpoints: FakeEndpoints,
  webhookId: string,
): Promise<string> {
  const host = 'hooks.boxoffice.example'
  endpoints.answer(host, { status: 502, body: 'Bad Gateway', delayMs: 60 })
  const id = await testDelivery(server, webhookId, TICKET)
  await untilDelivery(server, id, (one) => one.attemptCount >= 1, 'it fails')
  await call(server, 'redeliver', { input: { ids: [id] } })
  await untilDelivery(server, id, (one) => one.attemptCount >= 2, 'it fails again')
  endpoints.answer(host, BEHAVIORS[host] as EndpointBehavior)
  await call(server, 'redeliver', { input: { ids: [id] } })
  await untilDelivery(server, id, (one) => one.state === 'SUCCEEDED', 'it succeeds')
  return id
}

async function manageKeys(server: ConsoleServer): Promise<void> {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const keys = [
    { name: 'Ticket shop', scopes: ['events:publish'], eventsPerSecond: 200 },
    { name: 'Dashboard', scopes: ['deliveries:read', 'events:read'], expiresAt: inDays(60) },
    { name: 'Former contractor', scopes: ['webhooks:read', 'webhooks:write'] },
  ]
  for (const input of keys) {
    const fields = 'createdApiKey { apiKey { id } }'
    const { createdApiKey } = await call(server, 'createApiKey', { input }, fields)
    const { id } = createdApiKey.apiKey
    if (input.name.startsWith('Former')) await call(server, 'revokeApiKey', { id })
  }
}
