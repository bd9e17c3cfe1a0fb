import type { TestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

/** Creates an enabled webhook, and reads its secret. */
export async function registerWebhook({ rest }: TestApp, url: string) {
  const created = await rest('POST', '/webhooks', {
    url,
    enabled: true,
    event_subscriptions: [JOINED],
  })
  const { id } = (await created.json()) as { id: string }
  const answered = await rest('GET', `/webhooks/${id}/secret`)
  const { key } = (await answered.json()) as { key: string }
  return { webhookId: id, secret: key }
}

/** Returns the id of the event. */
export async function publishEvent({ graphql }: TestApp, data: object): Promise<string> {
  const { publishEvent } = await graphql(
    `mutation ($input: PublishEventInput!) {
      publishEvent(input: $input) { ... on PublishEventSuccess { publishedEvent { id } } }
    }`,
    { input: { type: JOINED, data } },
  )
  return publishEvent.publishedEvent.id
}

export interface Outcome {
  /** Of the delivery. */
  readonly id: string
  readonly state: string
  /** What the attempts were answered with. */
  readonly answers: readonly (number | null)[]
  readonly bodies: readonly (string | undefined)[]
}

/** Waits until the delivery of an event is final. */
export async function outcome(posthorn: TestApp, eventId: string): Promise<Outcome> {
  let found: Outcome | undefined
  await until(
    async () => {
      found = await readOutcome(posthorn, eventId)
      return ['SUCCEEDED', 'EXHAUSTED'].includes(found.state)
    },
    `the delivery of ${eventId} is final`,
    30_000,
  )
  return found as Outcome
}

interface Attempt {
  readonly status: number | null
  readonly response: { readonly body: string } | null
}

async function readOutcome({ graphql }: TestApp, eventId: string): Promise<Outcome> {
  const { event } = await graphql(
    `query ($id: ID!) {
      event(id: $id) {
        deliveries { nodes { id state attempts { nodes { status response { body } } } } }
      }
    }`,
    { id: eventId },
  )
  const [delivery] = event.deliveries.nodes
  // The first attempt first.
  const attempts: Attempt[] = delivery?.attempts.nodes.toReversed() ?? []
  return {
    id: delivery?.id ?? '',
    state: delivery?.state ?? '',
    answers: attempts.map(({ status }) => status),
    bodies: attempts.map(({ response }) => response?.body),
  }
}
