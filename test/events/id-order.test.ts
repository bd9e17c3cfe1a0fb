import { expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { createCatalogue } from '../../src/event-types/event-type.ts'
import { createPublishEvents } from '../../src/events/publish-events.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'

const database = await useTestDatabase()
const { organizationId } = await createTenant(database.prisma)

/** Enough events for their ids to differ in more than two characters. */
const COUNT = 1_000
/** As many as one statement creates deliveries for. */
const WEBHOOKS = 2

test('the ids of events and deliveries ascend in the order of publication, in every table and job', async () => {
  for (const _ of numbers(WEBHOOKS)) await subscribe(database, organizationId, [JOINED])
  const first = await publish(COUNT)
  const second = await publish(COUNT)
  const published = [...first, ...second]
  expect(published.every(({ deliveryCount }) => deliveryCount === WEBHOOKS)).toBe(true)

  const events = await read(
    `select id, (data::json ->> 'n')::int as n from posthorn.events order by id`,
  )
  expect(events.map(({ id }) => publicId('event', id))).toEqual(published.map(({ id }) => id))
  expect(events.map(({ n }) => n)).toEqual([...numbers(COUNT), ...numbers(COUNT)])

  const deliveries = await read(
    'select id, event_id, webhook_id from posthorn.deliveries order by id',
  )
  const webhooks = await read('select id from posthorn.webhooks order by id')
  expect(deliveries.map(({ event_id, webhook_id }) => [event_id, webhook_id])).toEqual(
    events.flatMap((event) => webhooks.map((webhook) => [event.id, webhook.id])),
  )
  const ids = [...events, ...deliveries].map(({ id }) => id)
  expect(new Set(ids).size).toBe(2 * COUNT * (1 + WEBHOOKS))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)

  const jobs = await deliveryJobs(database.pool)
  expect(jobs.map(({ key }) => key)).toEqual(deliveries.map(({ id }) => publicId('delivery', id)))
})

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

function publish(count: number) {
  const events = numbers(count).map((n) => ({ type: JOINED, data: { n } }))
  return createPublishEvents(database.pool, createCatalogue(database.pool))(organizationId, events)
}

const read = async (text: string) => (await database.pool.query(text)).rows
