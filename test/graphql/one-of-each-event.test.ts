import { beforeEach, describe, expect, test } from 'vitest'
import { publicId } from '../../src/db/ids.ts'
import { useApi, useTenant } from './support/api.ts'
import { recordAttempt } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)
let webhooks: string[]

beforeEach(async () => {
  webhooks = []
  for (let n = 0; n < 3; n++) webhooks.push((await tenant.addWebhook()).id)
})

describe('deliveries, one of each event', () => {
  test('match the filter, also if a newer delivery of the event does not', async () => {
    await tenant.publish(3)
    const rows = await deliveries()
    const [newer, older] = rows.filter(({ eventId }) => eventId === rows[0]?.eventId)
    for (const row of [older, newer]) {
      const id = publicId('delivery', row?.id as string)
      await recordAttempt(api.database, id, 500)
      expect((await page({ states: ['EXHAUSTED'] })).ids).toEqual([id])
    }
    expect((await page({ states: ['SUCCEEDED'] })).ids).toEqual([])
    expect((await page({ webhookIds: webhooks.slice(0, 2) })).ids).toHaveLength(3)
    expect((await page({ webhookIds: webhooks, eventTypes: ['nope'] })).ids).toEqual([])
  })

  test('of more events than one step reads are all found', async () => {
    // Few at a time, so that none fans out in the background.
    for (let n = 0; n < 10; n++) await tenant.publish(20)
    const ids = new Map((await deliveries()).toReversed().map((row) => [row.eventId, row.id]))
    const newest = [...ids.values()].map((id) => publicId('delivery', id)).toReversed()
    expect(newest).toHaveLength(200)
    const first = await page({}, { first: 100 })
    expect(first.ids).toEqual(newest.slice(0, 100))
    expect((await page({}, { first: 100, after: first.after })).ids).toEqual(newest.slice(100))
    expect((await page({}, { last: 100 })).ids).toEqual(newest.slice(100))
  })
})

async function deliveries() {
  return await api.database.prisma.delivery.findMany({
    where: { organizationId: tenant.organizationId },
    orderBy: { id: 'desc' },
    select: { id: true, eventId: true },
  })
}

async function page(filter: object, args: object = {}) {
  const { deliveries } = await tenant.ask(
    `query ($filter: DeliveryFilter, $first: Int, $last: Int, $after: String) {
       deliveries(filter: $filter, newestOfEvent: true, first: $first, last: $last, after: $after) {
         nodes { id } pageInfo { endCursor } } }`,
    { filter, ...args },
  )
  const ids: string[] = deliveries.nodes.map(({ id }: { id: string }) => id)
  return { ids, after: deliveries.pageInfo.endCursor }
}
