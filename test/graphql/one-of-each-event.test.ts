import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { publicId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhooks: string[]

beforeAll(async () => {
  await updateEventType(api.database.prisma, JOINED, { searchKeys: ['$.customer'] }, SYSTEM)
})
beforeEach(async () => {
  webhooks = []
  for (let n = 0; n < 3; n++) webhooks.push((await tenant.addWebhook()).id)
})

describe('deliveries, one of each event', () => {
  test('match the filter, also if a newer delivery of the event does not', async () => {
    await publishOneByOne(3)
    const rows = await deliveries()
    const [newer, older] = rows.filter(({ eventId }) => eventId === rows[0]?.eventId)
    await exhaust(older?.id as string)
    const id = publicId('delivery', older?.id as string)
    expect((await page({ states: ['EXHAUSTED'] })).ids).toEqual([id])
    await exhaust(newer?.id as string)
    const newerId = publicId('delivery', newer?.id as string)
    expect((await page({ states: ['EXHAUSTED'] })).ids).toEqual([newerId])
    expect((await page({ states: ['SUCCEEDED'] })).ids).toEqual([])
    expect((await page({ webhookIds: webhooks.slice(0, 2) })).ids).toHaveLength(3)
    expect((await page({ webhookIds: webhooks, eventTypes: ['nope'] })).ids).toEqual([])
  })

  test('of more events than one step reads are all found', async () => {
    // Few at a time, so that none fans out in the background.
    for (let n = 0; n < 10; n++) {
      const events = Array.from({ length: 20 }, () => ({ type: JOINED, data: {} }))
      await api.deps.publishEvents(tenant.organizationId, events)
    }
    const newest = await newestOfEach()
    expect(newest).toHaveLength(200)
    const first = await page({}, { first: 100 })
    expect(first.ids).toEqual(newest.slice(0, 100))
    expect((await page({}, { first: 100, after: first.endCursor })).ids).toEqual(newest.slice(100))
    expect((await page({}, { last: 100 })).ids).toEqual(newest.slice(100))
  })
})

async function publishOneByOne(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await api.deps.publishEvents(tenant.organizationId, [
      { type: JOINED, data: { customer: 'Ada' } },
    ])
  }
}

/** Newest first. */
async function deliveries() {
  return await api.database.prisma.delivery.findMany({
    where: { organizationId: tenant.organizationId },
    orderBy: { id: 'desc' },
    select: { id: true, eventId: true },
  })
}

async function newestOfEach(): Promise<string[]> {
  const byEvent = Map.groupBy(await deliveries(), ({ eventId }) => eventId)
  return [...byEvent.values()].map(([newest]) => publicId('delivery', newest?.id as string))
}

async function exhaust(id: string): Promise<void> {
  await api.database.prisma.delivery.update({
    where: { id },
    data: { state: 'exhausted', finishedAt: new Date(), nextAttemptAt: null },
  })
}

async function page(filter: object, args: object = {}) {
  const data = await tenant.ask(
    `query ($filter: DeliveryFilter, $first: Int, $last: Int, $after: String, $before: String) {
       deliveries(filter: $filter, newestOfEvent: true, first: $first, last: $last, after: $after, before: $before) {
         nodes { id } pageInfo { startCursor endCursor } } }`,
    { filter, ...args },
  )
  const { nodes, pageInfo } = data.deliveries
  return { ids: nodes.map(({ id }: { id: string }) => id) as string[], ...pageInfo }
}
