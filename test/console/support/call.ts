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

/** How many deliveries match a filter. Reads all of them. */
export async function countDeliveries(server: ConsoleServer, filter: object): Promise<number> {
  type Page = { deliveries: { nodes: object[]; pageInfo: { endCursor: string | null } } }
  let count = 0
  let after: string | null = null
  do {
    const { deliveries }: Page = await server.graphql<Page>(
      `query ($filter: DeliveryFilter, $after: String) {
        deliveries(filter: $filter, first: 100, after: $after) { nodes { id } pageInfo { endCursor } }
      }`,
      { filter, after },
    )
    count += deliveries.nodes.length
    after = deliveries.pageInfo.endCursor
  } while (after !== null)
  return count
}
