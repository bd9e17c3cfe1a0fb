import type { TestApp } from '../../support/app.ts'
import { TICKET } from '../../support/factories.ts'

export interface Webhook {
  readonly id: string
  /** The secret before the rotation, and after it. */
  readonly secrets: readonly [old: string, current: string]
}

/** Creates a webhook, and rotates its secret. */
export async function createWebhook(posthorn: TestApp, url: string): Promise<Webhook> {
  const secretOf = async (method: string, route: string): Promise<string> =>
    ((await (await posthorn.rest(method, `/webhooks/${route}`)).json()) as { key: string }).key
  const created = await posthorn.rest('POST', '/webhooks', {
    url,
    event_subscriptions: [TICKET],
    enabled: true,
  })
  const { id } = (await created.json()) as { id: string }
  const old = await secretOf('GET', `${id}/secret`)
  return { id, secrets: [old, await secretOf('POST', `${id}/secret/rotate`)] }
}

/** Publishes an event, and returns the id of its delivery. */
export async function publish(posthorn: TestApp, data: unknown): Promise<string> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($data: JSON!) {
      publishEvent(input: { type: "${TICKET}", data: $data }) {
        ... on PublishEventSuccess { publishedEvent { event { deliveries { nodes { id } } } } }
        ... on UserError { message }
      }
    }`,
    { data },
  )
  return publishEvent.publishedEvent.event.deliveries.nodes[0].id
}

/** Sends a test, and returns the id of its delivery. */
export async function sendTest(posthorn: TestApp, webhookId: string): Promise<string> {
  const { testDelivery } = await posthorn.graphql(
    `mutation ($webhookId: ID!) {
      testDelivery(id: $webhookId, input: { eventType: "${TICKET}" }) {
        ... on TestDeliverySuccess { delivery { id } }
        ... on UserError { message }
      }
    }`,
    { webhookId },
  )
  return testDelivery.delivery.id
}

/** The state of a delivery. */
export async function readDelivery(
  posthorn: TestApp,
  id: string,
): Promise<{ state: string; attemptCount: number }> {
  const { delivery } = await posthorn.graphql(
    'query ($id: ID!) { delivery(id: $id) { state attemptCount } }',
    { id },
  )
  return delivery
}
