import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MAX_SCANNED_EVENTS } from '../../src/events/scan-events.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { type Api, openApi } from './support/api.ts'

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>

beforeAll(async () => {
  api = await openApi()
})
beforeEach(async () => {
  tenant = await api.tenant()
})
afterAll(() => api[Symbol.asyncDispose]())

const SCAN = `query ($contains: String!, $type: String, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  scanEvents(contains: $contains, type: $type, since: $since, until: $until, first: $first, after: $after) {
    events { id } scannedCount scannedTo endCursor } }`

async function scan(args: object) {
  const { data, errors } = await api.call(tenant.token, SCAN, { contains: '87012', ...args })
  expect(errors).toBeUndefined()
  const { events, ...rest } = data.scanEvents
  return { ids: events.map(({ id }: { id: string }) => id), ...rest }
}

async function publish(data: unknown, type = JOINED): Promise<string> {
  const [event] = await api.deps.publishEvents(tenant.organizationId, [{ type, data }])
  return event?.id as string
}

test('a scan finds a text anywhere in the data, newest first, case-sensitive', async () => {
  const first = await publish({ note: 'Order 87012 was paid' })
  await publish({ note: 'Order 87013 was paid' })
  const third = await publish({ deep: [{ order: 87_012 }] })
  expect(await scan({})).toMatchObject({ ids: [third, first], scannedCount: 3, endCursor: null })
  expect(await scan({ contains: 'order 87012' })).toMatchObject({ ids: [] })
  expect(await scan({ contains: '"order":87012' })).toMatchObject({ ids: [third] })
  expect(await scan({ contains: '%' })).toMatchObject({ ids: [], scannedCount: 3 })
})

test('a scan reads only events of the type and the time', async () => {
  const ticket = await publish({ order: 87_012 }, TICKET)
  const joined = await publish({ order: 87_012 })
  const [ago, soon] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
  expect(await scan({ type: TICKET })).toMatchObject({ ids: [ticket], scannedCount: 1 })
  expect(await scan({ since: ago, until: soon })).toMatchObject({ ids: [joined, ticket] })
  expect(await scan({ since: soon })).toMatchObject({ ids: [], scannedCount: 0, scannedTo: null })
  expect(await scan({ until: ago })).toMatchObject({ ids: [], scannedCount: 0 })
})

test('a scan that has found enough goes on from its cursor', async () => {
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.unshift(await publish({ order: 87_012 }))
  const one = await scan({ first: 2 })
  expect(one).toMatchObject({ ids: ids.slice(0, 2), scannedCount: 2 })
  const two = await scan({ first: 3, after: one.endCursor })
  expect(two).toMatchObject({ ids: ids.slice(2), scannedCount: 3 })
  const end = await scan({ after: two.endCursor })
  expect(end).toEqual({ ids: [], scannedCount: 0, scannedTo: null, endCursor: null })
})

test('a scan ends after 10,000 events, reports how far it got, and goes on from there', async () => {
  const oldest = await publish({ order: 87_012 })
  await api.database.pool.query(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data)
     select posthorn.uuid_v7(), $1, $2, now(), '{}' from generate_series(1, $3::int)`,
    [tenant.organizationId, JOINED, MAX_SCANNED_EVENTS],
  )
  const bounded = await scan({})
  expect(bounded).toMatchObject({ ids: [], scannedCount: MAX_SCANNED_EVENTS })
  expect(Date.parse(bounded.scannedTo)).toBeGreaterThan(Date.now() - 600_000)
  const rest = await scan({ after: bounded.endCursor })
  expect(rest).toMatchObject({ ids: [oldest], scannedCount: 1, endCursor: null })
})

test('a scan ends after 64 MiB of data', async () => {
  await api.database.pool.query(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data)
     select posthorn.uuid_v7(), $1, $2, now(), to_json(repeat('x', 262142)) from generate_series(1, 260)`,
    [tenant.organizationId, JOINED],
  )
  const bounded = await scan({})
  expect(bounded).toMatchObject({ ids: [], scannedCount: 256 })
  const rest = await scan({ after: bounded.endCursor })
  expect(rest).toMatchObject({ scannedCount: 4, endCursor: null })
})

test('a scan never reads the events of another organization', async () => {
  await publish({ order: 87_012 })
  const theirs = await scan({ first: 1 })
  tenant = await api.tenant()
  expect(await scan({})).toMatchObject({ ids: [], scannedCount: 0, endCursor: null })
  expect(await scan({ after: theirs.endCursor })).toMatchObject({ ids: [], scannedCount: 0 })
})

test.each([
  [{ contains: '' }, 'contains'],
  [{ contains: 'x'.repeat(201) }, 'contains'],
  [{ contains: 'a\0' }, 'contains'],
  [{ first: 0 }, 'first'],
  [{ first: 101 }, 'first'],
  [{ after: 'nonsense' }, 'after'],
  [{ type: 'a\0' }, 'type'],
])('a scan with %j is rejected and names the argument', async (args, name) => {
  const { errors } = await api.call(tenant.token, SCAN, { contains: '87012', ...args })
  expect(errors).toMatchObject([
    { message: expect.stringContaining(name), extensions: { code: 'BAD_USER_INPUT' } },
  ])
})
