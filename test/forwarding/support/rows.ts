import { parseId, publicId } from '../../../src/db/ids.ts'
import type { TestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

interface NewEvent {
  readonly type: string
  readonly data: unknown
}

/** Publishes an event. Returns the public ids of the event and of its delivery to the newest webhook or the given one. */
export async function publish(
  posthorn: TestApp,
  input: NewEvent,
  webhookId?: string,
): Promise<{ event: string; delivery: string }> {
  const { publishEvent } = await posthorn.graphql(
    `mutation ($input: PublishEventInput!) {
       publishEvent(input: $input) { ... on PublishEventSuccess { publishedEvent { id } } }
     }`,
    { input },
  )
  const event: string = publishEvent.publishedEvent.id
  const { rows } = await posthorn.database.pool.query<{ id: string }>(
    `select id from posthorn.deliveries where event_id = $1 and ($2::uuid is null or webhook_id = $2)
     order by webhook_id desc limit 1`,
    [parseId('event', event), webhookId ? parseId('webhook', webhookId) : null],
  )
  return { event, delivery: rows[0] ? publicId('delivery', rows[0].id) : '' }
}

/** The attempts of a delivery in their order, once there are so many. */
export async function recordedAttempts(posthorn: TestApp, delivery: string, count = 1) {
  await until(
    async () => (await attemptsOf(posthorn, delivery)).length >= count,
    `${count} attempts are recorded`,
  )
  return await attemptsOf(posthorn, delivery)
}

// biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
async function attemptsOf(posthorn: TestApp, delivery: string): Promise<any[]> {
  const data = await posthorn.graphql(
    `query ($id: ID!) {
       delivery(id: $id) {
         attempts(first: 20) {
           nodes {
             succeeded status durationMs errorCode error
             request { body }
             response { headers { name value } body bodyTruncated }
           }
         }
       }
     }`,
    { id: delivery },
  )
  return data.delivery.attempts.nodes.toReversed()
}

/** The webhooks of the tenant, as REST lists them. */
export async function webhookIds(posthorn: TestApp): Promise<string[]> {
  const webhooks = (await (await posthorn.rest('GET', '/webhooks')).json()) as { id: string }[]
  return webhooks.map(({ id }) => id)
}
