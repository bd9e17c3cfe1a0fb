import { createWebhook } from '../../scheduling/support/backlog.ts'
import type { TestApp } from '../../support/app.ts'
import { JOINED } from '../../support/factories.ts'
import { until } from '../../support/until.ts'

/** Creates an enabled webhook, and reads its secret. */
export async function registerWebhook(posthorn: TestApp, url: string) {
  const webhookId = await createWebhook(posthorn, url)
  const answer = await posthorn.rest('GET', `/webhooks/${webhookId}/secret`)
  const { key } = (await answer.json()) as { key: string }
  return { webhookId, secret: key }
}

/** Returns the id of the event. */
export async function publishEvent({ services, tenant }: TestApp, data: object): Promise<string> {
  const [event] = await services.publishEvents(tenant.organizationId, [{ type: JOINED, data }])
  return event?.id as string
}

/** Waits until the delivery of an event is final. */
export async function outcome(posthorn: TestApp, eventId: string) {
  const read = () => readOutcome(posthorn, eventId)
  const isFinal = async () => ['SUCCEEDED', 'EXHAUSTED'].includes((await read()).state)
  await until(isFinal, `the delivery of ${eventId} is final`, 30_000)
  return await read()
}

interface Attempt {
  readonly status: number | null
  readonly response: { readonly body: string } | null
}

async function readOutcome({ graphql }: TestApp, eventId: string) {
  const { event } = await graphql(
    `query ($id: ID!) { event(id: $id) {
      deliveries { nodes { id state attempts { nodes { status response { body } } } } } } }`,
    { id: eventId },
  )
  const [delivery] = event.deliveries.nodes
  // The first attempt first.
  const attempts: Attempt[] = delivery?.attempts.nodes.toReversed() ?? []
  return {
    ...{ id: delivery?.id as string, state: delivery?.state as string },
    /** What the attempts were answered with. */
    answers: attempts.map(({ status }) => status),
    bodies: attempts.map(({ response }) => response?.body),
  }
}
