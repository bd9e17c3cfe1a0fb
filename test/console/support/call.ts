import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import type { ConsoleServer } from './console-server.ts'

/** Runs a mutation and returns its success type. Throws for a rejected mutation. */
export async function call(
  server: Pick<ConsoleServer, 'graphql'>,
  mutation: string,
  variables: object,
  fields = '__typename',
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the fields
): Promise<any> {
  const name = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}`
  const names = Object.keys(variables)
  const declared = names.map((each) => `$${each}: ${each === 'input' ? `${name}Input` : 'ID'}!`)
  const passed = names.map((each) => `${each}: $${each}`)
  const { result } = await server.graphql(
    `mutation (${declared}) {
      result: ${mutation}(${passed}) {
        ... on ${name}Success { ${fields} } ... on UserError { message }
      }
    }`,
    variables,
  )
  if (result.message !== undefined) throw new Error(`${mutation}: ${result.message}`)
  return result
}

/** Returns the id of the organization. */
export async function createOrganization(server: ConsoleServer, name: string): Promise<string> {
  const input = { name }
  const { organization } = await call(
    server,
    'createOrganization',
    { input },
    'organization { id }',
  )
  return organization.id
}

/** Creates a webhook, by default of the server's receiver and for `JOINED`. Returns its id. */
export async function createWebhook(server: ConsoleServer, input: object = {}): Promise<string> {
  const whole = { url: server.receiver.url, eventSubscriptions: [JOINED], ...input }
  const { webhook } = await call(server, 'createWebhook', { input: whole }, 'webhook { id }')
  return webhook.id
}

/** Creates an API key with these scopes, by default without a name. Returns its token. */
export async function createKey(
  server: Pick<ConsoleServer, 'graphql'>,
  scopes: readonly string[],
  name?: string,
): Promise<string> {
  const input = { scopes, name }
  const { createdApiKey } = await call(server, 'createApiKey', { input }, 'createdApiKey { token }')
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
  const variables = { id: webhookId, input: { eventType } }
  return (await call(server, 'testDelivery', variables, 'delivery { id }')).delivery.id
}

export async function untilDelivery(
  server: Pick<ConsoleServer, 'graphql'>,
  id: string,
  is: (delivery: DeliveryStatus) => boolean,
  what: string,
): Promise<void> {
  await until(async () => {
    const { delivery } = await server.graphql(
      'query ($id: ID!) { delivery(id: $id) { id state attemptCount } }',
      { id },
    )
    return is(delivery)
  }, what)
}

/** The newest deliveries of a webhook, by default in all states. */
export async function deliveriesOf(
  server: ConsoleServer,
  webhookId: string,
  states?: readonly string[],
): Promise<readonly DeliveryStatus[]> {
  const { deliveries } = await server.graphql(
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
  const query = `query ($filter: DeliveryFilter, $after: String) {
    deliveries(filter: $filter, first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }`
  async function matching(after: string | null): Promise<number> {
    const { deliveries } = await server.graphql(query, { filter, after })
    const { endCursor } = deliveries.pageInfo
    return deliveries.nodes.length + (endCursor === null ? 0 : await matching(endCursor))
  }
  const what = `${count} deliveries match ${JSON.stringify(filter)}`
  await until(async () => (await matching(null)) === count, what, 30_000)
}
