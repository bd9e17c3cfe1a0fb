import { createWebhook as create } from '../../scheduling/support/backlog.ts'
import type { TestApp } from '../../support/app.ts'
import { TICKET } from '../../support/factories.ts'

export interface Webhook {
  readonly id: string
  /** The secret before the rotation, and after it. */
  readonly secrets: readonly [old: string, current: string]
}

/** Creates a webhook, and rotates its secret. */
export async function createWebhook(posthorn: TestApp, url: string): Promise<Webhook> {
  const id = await create(posthorn, url, { eventSubscriptions: [TICKET] })
  const keyOf = async (method: string, route: string): Promise<string> =>
    (await (await posthorn.rest(method, `/webhooks/${id}/${route}`)).json()).key
  const old = await keyOf('GET', 'secret')
  return { id, secrets: [old, await keyOf('POST', 'secret/rotate')] }
}

/** Publishes an event, and returns the id of its delivery. */
export async function publish(posthorn: TestApp, data: unknown): Promise<string> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($input: PublishEventInput!) { publishEvent(input: $input) {
      ... on PublishEventSuccess { publishedEvent { event { deliveries { nodes { id } } } } } } }`,
    { input: { type: TICKET, data } },
  )
  return publishEvent.publishedEvent.event.deliveries.nodes[0].id
}

/** Sends a test, and returns the id of its delivery. */
export async function sendTest(posthorn: TestApp, id: string): Promise<string> {
  const { testDelivery } = await posthorn.graphql(
    `mutation ($id: ID!, $eventType: String!) { testDelivery(id: $id, input: { eventType: $eventType }) {
      ... on TestDeliverySuccess { delivery { id } } } }`,
    { id, eventType: TICKET },
  )
  return testDelivery.delivery.id
}

/** The state of a delivery. */
export async function readDelivery(
  posthorn: TestApp,
  id: string,
): Promise<{ state: string; attemptCount: number }> {
  const query = 'query ($id: ID!) { delivery(id: $id) { state attemptCount } }'
  return (await posthorn.graphql(query, { id })).delivery
}
