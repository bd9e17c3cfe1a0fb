import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { publicId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

const api = await useApi()
const tenant = useTenant(api)

const setKeys = (type: string, ...searchKeys: string[]) =>
  updateEventType(api.database.prisma, type, { searchKeys }, SYSTEM)
await setKeys(JOINED, '$.order.id', '$.customer')
await setKeys(TICKET, '$.customer')

const orderOf = (equals: string, path = '$.order.id') => ({ key: { path, equals } })
const customer = (equals: string) => orderOf(equals, '$.customer')

/** Publishes an event for each order of a customer, and returns their ids, newest first. */
async function publishOrders(count: number, name = 'Ada', type = JOINED): Promise<string[]> {
  const events = Array.from({ length: count }, (_, i) => ({
    type,
    data: { order: { id: 87_000 + i }, customer: name },
  }))
  const published = await api.deps.publishEvents(tenant.organizationId, events)
  return published.map(({ id }) => id).toReversed()
}

type List = 'events' | 'deliveries'

/** The ids of the first hundred. */
async function found(list: List, filter: object): Promise<string[]> {
  const type = list === 'events' ? 'EventFilter' : 'DeliveryFilter'
  const data = await tenant.ask(
    `query ($filter: ${type}) { ${list}(filter: $filter, first: 100) { nodes { id } } }`,
    { filter },
  )
  return data[list].nodes.map(({ id }: { id: string }) => id)
}

describe('events', () => {
  test('are found by a value, as a number or a string of up to 200 characters of any plane', async () => {
    const [third, second, first] = await publishOrders(3)
    const longest = '😀'.repeat(200)
    const ids = await publishOrders(1, longest)
    for (const [filter, expected] of [
      [orderOf('87001'), [second]],
      [orderOf('87001', '$["order"].id'), [second]],
      [customer('Ada'), [third, second, first]],
      [customer('ada'), []],
      [orderOf('Ada'), []],
      [customer(''), []],
      [customer(longest), ids],
    ] as const) {
      expect(await found('events', filter), JSON.stringify(filter)).toEqual(expected)
    }
  })

  test('of a value that many events have are found by their type, page by page', async () => {
    for (let i = 0; i < 3; i++) await publishOrders(500)
    const tickets = await publishOrders(5, 'Ada', TICKET)
    await publishOrders(1, 'Grace', TICKET)
    const filter = { ...customer('Ada'), type: TICKET }
    const query = `query ($filter: EventFilter, $after: String) {
      events(filter: $filter, first: 3, after: $after) { nodes { id } pageInfo { endCursor } } }`
    const { events } = await tenant.ask(query, { filter })
    const rest = await tenant.ask(query, { filter, after: events.pageInfo.endCursor })
    const nodes = [...events.nodes, ...rest.events.nodes]
    expect(nodes).toEqual(tickets.map((id) => ({ id })))
    expect(await found('events', { ...filter, id: tickets[3] })).toEqual([tickets[3]])
  })
})

test('deliveries of the newest 1,000 events with a value are found by their own conditions, newest first', async () => {
  await tenant.addWebhook()
  for (let i = 0; i < 2; i++) await publishOrders(500)
  await api.database.pool.query(
    `update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null
     where organization_id = $1 and id in (
       select id from posthorn.deliveries where organization_id = $1 order by event_id limit 5)`,
    [tenant.organizationId],
  )
  const rows = await api.database.prisma.delivery.findMany({
    where: { organizationId: tenant.organizationId, state: 'exhausted' },
    orderBy: { id: 'desc' },
  })
  const ids = rows.map(({ id }) => publicId('delivery', id))
  const exhausted = { ...customer('Ada'), states: 'EXHAUSTED' }
  expect(await found('deliveries', exhausted)).toEqual(ids)
  expect(await found('deliveries', { ...customer('Grace'), states: 'EXHAUSTED' })).toEqual([])
  await publishOrders(1)
  expect(await found('deliveries', exhausted)).toHaveLength(4)
})

const many = (text: string) => JSON.stringify(Array(21).fill(text))
const withKey = (path: string, equals = '87012') =>
  `deliveries(filter: { key: { path: "${path}", equals: "${equals}" } })`

/* Lists with a filter that breaks a rule. */
test.each([
  ['attempts(filter: { causes: [] })', 'filter.causes must not be empty; omit it to match all.'],
  ['attempts(filter: { causes: "HTTP 502" })', 'filter.causes.0 must be an HTTP status or an er'],
  [`attempts(filter: { causes: ${many('502')} })`, 'filter.causes must have at most 20 entries.'],
  ['attempts(filter: { minDurationMs: 999 })', 'filter.minDurationMs must be at least 1,000.'],
  ['attempts(filter: { webhookIds: "msg_x" })', 'filter.webhookIds.0 must be the id of a web'],
  ['deliveries(filter: { webhookIds: [] })', 'filter.webhookIds must not be empty; omit it'],
  ['deliveries(filter: { webhookIds: "msg_x" })', 'filter.webhookIds.0 must be the id of a web'],
  [`deliveries(filter: { eventTypes: ${many('a')} })`, 'filter.eventTypes must have at most 20'],
  ['events(filter: { id: "wh_nonsense" })', 'filter.id must be the id of an event: evt_….'],
  ['events(filter: { value: "a", type: "a" })', 'value cannot be combined with type'],
  [withKey('order.id'), 'filter.key.path must be a path such as $.order.id'],
  [withKey('$.order.idd'), 'must be a search key of an event type. Did you mean "$.order.id"?'],
  [withKey('$.status'), 'The search keys are '],
  [withKey('$.customer', 'x'.repeat(201)), 'filter.key.equals must have at most 200 characters'],
])('%s is refused with the remedy', async (list, message) => {
  const { errors } = await tenant.call(`{ ${list} { nodes { __typename } } }`)
  expect(errors).toMatchObject([
    { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
  ])
})

describe('a value of which nobody knows the key', () => {
  const find = (value: string) => found('events', { value })

  test('is found at any search key, newest first, each event once', async () => {
    await publishOrders(2, '87001')
    await publishOrders(1, '87001', TICKET)
    const ids = await find('87001')
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect(await find('8700')).toEqual([])
    expect(await find('x'.repeat(201))).toEqual([])
  })

  test('is never found in another organization', async () => {
    await publishOrders(2)
    Object.assign(tenant, await api.tenant())
    expect(await find('Ada')).toEqual([])
  })
})
