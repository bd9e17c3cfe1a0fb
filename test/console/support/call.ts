import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import type { ConsoleServer } from './console-server.ts'

/** Runs a mutation and returns its success type. Throws for a rejected mutation. */
export async function call<Success = unknown>(
  server: Pick<ConsoleServer, 'graphql'>,
  mutation: string,
  variables: Readonly<Record<string, readonly [type: string, value: unknown]>>,
  fields = '__typename',
): Promise<Success> {
  const entries = Object.entries(variables)
  const declared = entries.map(([name, [type]]) => `$${name}: ${type}`).join(', ')
  const passed = entries.map(([name]) => `${name}: $${name}`).join(', ')
  const success = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Success`
  const { result } = await server.graphql<{ result: { message?: string } }>(
    `mutation (${declared}) {
      result: ${mutation}(${passed}) { ... on ${success} { ${fields} } ... on UserError { message } }
    }`,
    Object.fromEntries(entries.map(([name, [, value]]) => [name, value])),
  )
  if (result.message !== undefined) throw new Error(`${mutation}: ${result.message}`)
  return result as Success
}

/** Creates a webhook, by default of the server's receiver and for `JOINED`. Returns its id. */
export async function createWebhook(server: ConsoleServer, input: object = {}): Promise<string> {
  const whole = { url: server.receiver.url, eventSubscriptions: [JOINED], ...input }
  const variables = { input: ['CreateWebhookInput!', whole] } as const
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    variables,
    'webhook { id }',
  )
  return webhook.id
}

/** Creates an API key with these scopes, by default without a name. Returns its token. */
export async function createKey(
  server: Pick<ConsoleServer, 'graphql'>,
  scopes: readonly string[],
  name?: string,
): Promise<string> {
  const variables = { input: ['CreateApiKeyInput!', { scopes, name }] } as const
  const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
    server,
    'createApiKey',
    variables,
    'createdApiKey { token }',
  )
  return createdApiKey.token
}

export interface DeliveryStatus {
  readonly id: string
  readonly state: string
  readonly attemptCount: number
}

/** Sends a test event of a type to a webhook. Returns the delivery's id. */
export async function testDelivery(
  server: ConsoleServer,
  webhookId: string,
  eventType: string,
): Promise<string> {
  const { delivery } = await call<{ delivery: DeliveryStatus }>(
    server,
    'testDelivery',
    { id: ['ID!', webhookId], input: ['TestDeliveryInput!', { eventType }] },
    'delivery { id }',
  )
  return delivery.id
}

export async function untilDelivery(
  server: Pick<ConsoleServer, 'graphql'>,
  id: string,
  is: (delivery: DeliveryStatus) => boolean,
  what: string,
): Promise<void> {
  await until(async () => {
    const { delivery } = await server.graphql<{ delivery: DeliveryStatus }>(
      'query ($id: ID!) { delivery(id: $id) { id state attemptCount } }',
      { id },
    )
    return is(delivery)
  }, what)
}

/** The newest deliveries of a webhook in these states. */
export async function deliveriesOf(
  server: ConsoleServer,
  webhookId: string,
  states: readonly string[],
): Promise<readonly DeliveryStatus[]> {
  const { deliveries } = await server.graphql<{ deliveries: { nodes: DeliveryStatus[] } }>(
    `query ($filter: DeliveryFilter) {
      deliveries(filter: $filter, first: 50) { nodes { id state attemptCount } }
    }`,
    { filter: { webhookIds: [webhookId], states } },
  )
  return deliveries.nodes
}

/** Waits until so many deliveries match a filter. */
export async function untilCount(
  server: ConsoleServer,
  filter: object,
  count: number,
): Promise<void> {
  type Page = { deliveries: { nodes: object[]; pageInfo: { endCursor: string | null } } }
  const query = `query ($filter: DeliveryFilter, $after: String) {
    deliveries(filter: $filter, first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }`
  async function matching(after: string | null): Promise<number> {
    const { deliveries }: Page = await server.graphql<Page>(query, { filter, after })
    const { endCursor } = deliveries.pageInfo
    return deliveries.nodes.length + (endCursor === null ? 0 : await matching(endCursor))
  }
  const what = `${count} deliveries match ${JSON.stringify(filter)}`
  await until(async () => (await matching(null)) === count, what, 30_000)
}
