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

/** The attempts of a delivery, once there is one. */
// biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
export async function recordedAttempts(posthorn: TestApp, id: string): Promise<any[]> {
  const query = 'query ($id: ID!) { delivery(id: $id) { attempts { nodes { request { body } } } } }'
  const attempts = async () => (await posthorn.graphql(query, { id })).delivery.attempts.nodes
  await until(async () => (await attempts()).length > 0, 'an attempt is recorded')
  return await attempts()
}
