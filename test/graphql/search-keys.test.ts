import { beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { updateEventType } from '../../src/event-types/edit-event-type.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'
import { addWebhook, deliveryIds } from './support/rows.ts'

const api = await useApi()
const tenant = useTenant(api)

beforeAll(async () => {
  await updateEventType(
    api.database.prisma,
    JOINED,
    { searchKeys: ['$.order.id', '$.customer'] },
    SYSTEM,
  )
  await updateEventType(api.database.prisma, TICKET, { searchKeys: ['$.customer'] }, SYSTEM)
})

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

interface PageArguments {
  readonly first?: number
  readonly last?: number
  readonly after?: string
  readonly before?: string
}

async function page(list: 'events' | 'deliveries', filter: object, args: PageArguments = {}) {
  const type = list === 'events' ? 'EventFilter' : 'DeliveryFilter'
  const { data, errors } = await api.call(
    tenant.token,
    `query ($filter: ${type}, $first: Int, $last: Int, $after: String, $before: String) {
       ${list}(filter: $filter, first: $first, last: $last, after: $after, before: $before) {
         nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    { filter, ...args },
  )
  expect(errors).toBeUndefined()
  const { nodes, pageInfo } = data[list]
  return { ids: nodes.map(({ id }: { id: string }) => id) as string[], pageInfo }
}

const found = async (list: 'events' | 'deliveries', filter: object) =>
  (await page(list, filter)).ids

/** Reads all pages of two from the start, and all from the end. */
async function bothWays(list: 'events' | 'deliveries', filter: object) {
  const forward: string[][] = []
  for (let after: string | null = ''; after !== null; ) {
    const { ids, pageInfo } = await page(list, filter, { first: 2, ...(after && { after }) })
    forward.push(ids)
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  }
  const backward: string[][] = []
  for (let before: string | null = ''; before !== null; ) {
    const { ids, pageInfo } = await page(list, filter, { last: 2, ...(before && { before }) })
    backward.unshift(ids)
    before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
  }
  return { forward: forward.flat(), backward: backward.flat() }
}

describe('events', () => {
  test('are found by a value, as a number or a string', async () => {
    const [third, second, first] = await publishOrders(3)
    expect(await found('events', orderOf('87001'))).toEqual([second])
    expect(await found('events', orderOf('87001', '$["order"].id'))).toEqual([second])
    expect(await found('events', customer('Ada'))).toEqual([third, second, first])
    expect(await found('events', customer('ada'))).toEqual([])
    expect(await found('events', orderOf('Ada'))).toEqual([])
    expect(await found('events', customer(''))).toEqual([])
  })

  test('are found by a value of 200 characters outside the basic plane', async () => {
    const name = '😀'.repeat(200)
    const ids = await publishOrders(1, name)
    expect(await found('events', customer(name))).toEqual(ids)
  })

  test('are found by a value and all other conditions', async () => {
    const joined = await publishOrders(2)
    const tickets = await publishOrders(2, 'Ada', TICKET)
    expect(await found('events', customer('Ada'))).toEqual([...tickets, ...joined])
    expect(await found('events', { ...customer('Ada'), type: JOINED })).toEqual(joined)
    expect(await found('events', { ...customer('Ada'), id: joined[0] })).toEqual([joined[0]])
    const [minuteAgo, soon] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const all = { ...customer('Ada'), since: minuteAgo, until: soon }
    expect(await found('events', all)).toHaveLength(4)
    expect(await found('events', { ...customer('Ada'), since: soon })).toEqual([])
    expect(await found('events', { ...customer('Ada'), until: minuteAgo })).toEqual([])
  })

  test('of a value that many events have are found by their type, in pages from both ends', async () => {
    for (let i = 0; i < 3; i++) await publishOrders(500)
    const tickets = await publishOrders(5, 'Ada', TICKET)
    await publishOrders(1, 'Grace', TICKET)
    const filter = { ...customer('Ada'), type: TICKET }
    expect(await bothWays('events', filter)).toEqual({ forward: tickets, backward: tickets })
    expect(await found('events', { ...filter, id: tickets[3] })).toEqual([tickets[3]])
  })
})

describe('deliveries', () => {
  /** The deliveries of an organization, the newest event first. */
  async function byEvent(): Promise<string[]> {
    const rows = await api.database.prisma.delivery.findMany({
      where: { organizationId: tenant.organizationId },
      orderBy: [{ eventId: 'desc' }, { id: 'desc' }],
      select: { id: true },
    })
    const all = await deliveryIds(api.database, tenant.organizationId)
    return rows.map(({ id }) => all.find((one) => parseId('delivery', one) === id) as string)
  }

  test('are found by a value of their event, and read in pages from both ends', async () => {
    await addWebhook(api, tenant.organizationId)
    await addWebhook(api, tenant.organizationId)
    await publishOrders(3)
    const ids = await byEvent()
    await publishOrders(2, 'Grace')
    expect(ids).toHaveLength(6)
    expect(await found('deliveries', customer('Ada'))).toEqual(ids)
    expect(await found('deliveries', orderOf('87001'))).toHaveLength(4)
    expect(await found('deliveries', customer('Nobody'))).toEqual([])
    expect(await bothWays('deliveries', customer('Ada'))).toEqual({ forward: ids, backward: ids })
  })

  test('are found by a value and all other conditions', async () => {
    const { id: webhookId } = await addWebhook(api, tenant.organizationId)
    await addWebhook(api, tenant.organizationId)
    await publishOrders(2)
    const ids = await byEvent()
    const ada = customer('Ada')
    expect(await found('deliveries', { ...ada, states: 'QUEUED', eventTypes: [JOINED] })).toEqual(
      ids,
    )
    expect(await found('deliveries', { ...ada, states: 'SUCCEEDED' })).toEqual([])
    expect(await found('deliveries', { ...ada, statusClasses: 'NO_RESPONSE' })).toEqual([])
    expect(await found('deliveries', { ...ada, eventTypes: [TICKET] })).toEqual([])
    expect(await found('deliveries', { ...ada, webhookIds: [webhookId] })).toHaveLength(2)
    expect(
      await found('deliveries', { ...orderOf('87000'), webhookIds: [webhookId] }),
    ).toHaveLength(1)
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect(await found('deliveries', { ...ada, until: soon })).toEqual(ids)
    expect(await found('deliveries', { ...ada, since: soon })).toEqual([])
  })

  test('of a value that many events have are found by their own conditions, in the same order', async () => {
    await addWebhook(api, tenant.organizationId)
    for (let i = 0; i < 3; i++) await publishOrders(500)
    await api.database.pool.query(
      `update posthorn.deliveries set state = 'exhausted', finished_at = now(), next_attempt_at = null
       where organization_id = $1 and id in (
         select id from posthorn.deliveries where organization_id = $1 order by id limit 5)`,
      [tenant.organizationId],
    )
    const ids = (await byEvent()).slice(-5)
    const exhausted = { ...customer('Ada'), states: 'EXHAUSTED' }
    expect(await bothWays('deliveries', exhausted)).toEqual({ forward: ids, backward: ids })
    expect(await found('deliveries', { ...customer('Grace'), states: 'EXHAUSTED' })).toEqual([])
  })

  test('are found by the time of their event, also if a recovery created them later', async () => {
    await addWebhook(api, tenant.organizationId)
    await publishOrders(2)
    await api.database.pool.query(
      `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts)
       select posthorn.uuid_v7_lower_bound(now() + interval '1 hour'), organization_id, webhook_id, event_id,
         event_type, 1 from posthorn.deliveries where organization_id = $1 order by id limit 1`,
      [tenant.organizationId],
    )
    const soon = new Date(Date.now() + 60_000).toISOString()
    expect(await found('deliveries', { ...customer('Ada'), until: soon })).toHaveLength(3)
    expect(
      await found('deliveries', { ...customer('Ada'), until: soon, states: 'QUEUED' }),
    ).toHaveLength(3)
    expect(await found('deliveries', { ...customer('Ada'), since: soon })).toEqual([])
  })

  test('that a recovery created later stand beside the others of their event', async () => {
    await addWebhook(api, tenant.organizationId)
    await publishOrders(3)
    await api.database.pool.query(
      `insert into posthorn.deliveries (id, organization_id, webhook_id, event_id, event_type, max_attempts)
       select posthorn.uuid_v7(), organization_id, webhook_id, event_id, event_type, 1 from posthorn.deliveries
       where organization_id = $1 order by id limit 1`,
      [tenant.organizationId],
    )
    const [newest] = await deliveryIds(api.database, tenant.organizationId)
    const ids = await byEvent()
    expect(ids.indexOf(newest as string)).toBe(2)
    expect(await bothWays('deliveries', customer('Ada'))).toEqual({ forward: ids, backward: ids })
  })
})

const many = (text: string) => JSON.stringify(Array(21).fill(text))
const withKey = (path: string, equals = '87012') =>
  `deliveries(filter: { key: { path: "${path}", equals: "${equals}" } })`

/* Lists with a filter that breaks a rule. nul.test.ts has the texts with a NUL. */
test.each([
  ['attempts(filter: { causes: [] })', 'filter.causes must not be empty; omit it to match all.'],
  [
    'attempts(filter: { causes: "HTTP 502" })',
    'filter.causes.0 must be an HTTP status or an error',
  ],
  [`attempts(filter: { causes: ${many('502')} })`, 'filter.causes must have at most 20 entries.'],
  ['attempts(filter: { statusClasses: [] })', 'filter.statusClasses must not be empty; omit it'],
  ['attempts(filter: { minDurationMs: 999 })', 'filter.minDurationMs must be at least 1,000.'],
  [
    'attempts(filter: { webhookIds: "msg_x" })',
    'filter.webhookIds.0 must be the id of a webhook: wh_',
  ],
  [
    'deliveries(filter: { webhookIds: [] })',
    'filter.webhookIds must not be empty; omit it to match',
  ],
  [
    'deliveries(filter: { webhookIds: "msg_x" })',
    'filter.webhookIds.0 must be the id of a webhook',
  ],
  [`deliveries(filter: { eventTypes: ${many('a')} })`, 'filter.eventTypes must have at most 20'],
  ['events(filter: { id: "wh_nonsense" })', 'filter.id must be the id of an event: evt_….'],
  ['events(filter: { value: "a", type: "a" })', 'value cannot be combined with type'],
  [withKey('order.id'), 'filter.key.path must be a path such as $.order.id'],
  [
    withKey('$.order.idd'),
    'filter.key.path must be a search key of an event type. Did you mean "$.order.id"?',
  ],
  [
    withKey('$.status').replace('deliveries', 'events'),
    'The search keys are $.customer, $.order.id.',
  ],
  [withKey('$.customer', 'x'.repeat(201)), 'filter.key.equals must have at most 200 characters'],
  [
    'failures(filter: { since: "2026-01-01T00:00:00Z", webhookId: "x" })',
    'filter.webhookId must be the id of a webhook: wh_….',
  ],
])('%s is refused with the remedy', async (list, message) => {
  const { errors } = await api.call(tenant.token, `{ ${list} { nodes { __typename } } }`)
  expect(errors).toMatchObject([
    { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
  ])
})

describe('a value of which nobody knows the key', () => {
  async function find(value: string, page = 'first: 100') {
    const { data, errors } = await api.call(
      tenant.token,
      `query ($value: String) { events(filter: { value: $value }, ${page}) { nodes { id } pageInfo { endCursor startCursor hasNextPage } } }`,
      { value },
    )
    expect(errors).toBeUndefined()
    const { nodes, pageInfo } = data.events
    return { ids: nodes.map(({ id }: { id: string }) => id), ...pageInfo }
  }

  test('is found at any search key, newest first, each event once, page by page', async () => {
    await publishOrders(2, '87001')
    await publishOrders(1, '87001', TICKET)
    const { ids } = await find('87001')
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(ids.toSorted().toReversed())
    const one = await find('87001', 'first: 2')
    expect(one).toMatchObject({ ids: ids.slice(0, 2), hasNextPage: true })
    const two = await find('87001', `first: 2, after: "${one.endCursor}"`)
    expect(two).toMatchObject({ ids: ids.slice(2), hasNextPage: false })
    expect((await find('87001', `last: 1, before: "${two.startCursor}"`)).ids).toEqual([ids[1]])
    expect((await find('8700')).ids).toEqual([])
    expect((await find('x'.repeat(201))).ids).toEqual([])
  })

  test('is never found in another organization', async () => {
    await publishOrders(2)
    Object.assign(tenant, await api.tenant())
    expect((await find('Ada')).ids).toEqual([])
  })
})
