import { expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { type ScanRequest, scanEvents } from '../../src/events/scan-events.ts'
import { JOINED, TICKET } from '../support/factories.ts'
import { useApi, useTenant } from './support/api.ts'

const api = useApi()
const tenant = useTenant(api)

const SCAN = `query ($contains: String!, $type: String, $since: DateTime, $until: DateTime, $first: Int, $after: String) {
  events(filter: { contains: $contains, type: $type, since: $since, until: $until }, first: $first, after: $after) {
    nodes { id } scannedCount scannedTo pageInfo { endCursor hasNextPage } } }`

async function scan(args: object) {
  const { data, errors } = await api.call(tenant.token, SCAN, { contains: '87012', ...args })
  expect(errors).toBeUndefined()
  const { nodes, pageInfo, ...rest } = data.events
  return { ids: nodes.map(({ id }: { id: string }) => id), ...rest, ...pageInfo }
}

async function publish(data: unknown, type = JOINED): Promise<string> {
  const [event] = await api.deps.publishEvents(tenant.organizationId, [{ type, data }])
  return event?.id as string
}

test('a scan finds a text anywhere in the data, newest first, case-sensitive', async () => {
  const first = await publish({ note: 'Order 87012 was paid' })
  await publish({ note: 'Order 87013 was paid' })
  const third = await publish({ deep: [{ order: 87_012 }] })
  expect(await scan({})).toMatchObject({ ids: [third, first], scannedCount: 3, hasNextPage: false })
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
  expect(end).toEqual({
    ids: [],
    scannedCount: 0,
    scannedTo: null,
    endCursor: null,
    hasNextPage: false,
  })
})

/** Inserts events with this SQL for their data, in the order of a series `i`. */
async function insertEvents(count: number, data: string): Promise<void> {
  await api.database.pool.query(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data)
     select posthorn.uuid_v7(), $1, $2, now(), ${data} from generate_series(1, $3::int) as i`,
    [tenant.organizationId, JOINED, count],
  )
}

/** Scans with a clock that shows these times, one after the other, and then the last. */
async function scanAt(timesMs: number[], request: Partial<ScanRequest> = {}) {
  const times = [...timesMs]
  const now = () => (times.length > 1 ? (times.shift() as number) : (times[0] as number))
  const args = { contains: '87012', first: 100, ...request }
  return await scanEvents(api.database.pool, tenant.organizationId, args, now)
}

test('a scan ends after its time, reports how far it got, and goes on from there', async () => {
  const oldest = await publish({ order: 87_012 })
  await insertEvents(1_200, `'{}'`)
  const one = await scanAt([0, 900])
  expect(one).toMatchObject({ uuids: [], scannedCount: 500, isComplete: false })
  const two = await scanAt([0, 899, 900], { after: one.lastUuid })
  expect(two).toMatchObject({ uuids: [parseId('event', oldest)], scannedCount: 701 })
  expect(two).toMatchObject({ lastUuid: parseId('event', oldest), isComplete: true })
})

test('a statement of a scan reads data by bytes, and at least one event', async () => {
  await insertEvents(9, `to_json(repeat('x', 262142))`)
  await insertEvents(1, `'"' || repeat('x', 2000000) || '"'`)
  const scans = [await scanAt([0, 1_000])]
  while (!scans.at(-1)?.isComplete) {
    scans.push(await scanAt([0, 1_000], { after: scans.at(-1)?.lastUuid ?? null }))
  }
  expect(scans.map(({ scannedCount }) => scannedCount)).toEqual([1, 4, 4, 1])
})

test('an organization runs one scan at a time, and others are not concerned', async () => {
  await publish({ order: 87_012 })
  const both =
    '{ a: events(filter: { contains: "87012" }) { scannedCount } b: events(filter: { contains: "87012" }) { scannedCount } }'
  const { data, errors } = await api.call(tenant.token, both)
  expect(data.a).toEqual({ scannedCount: 1 })
  expect(errors).toMatchObject([
    {
      path: ['b'],
      message: expect.stringMatching(/^Another scan of this organization is running/),
      extensions: { code: 'RATE_LIMITED' },
    },
  ])
  const other = await api.tenant()
  const scans = await Promise.all([scan({}), api.call(other.token, SCAN, { contains: '1' })])
  expect(scans).toMatchObject([{ scannedCount: 1 }, { data: { events: { scannedCount: 0 } } }])
  expect(await scan({})).toMatchObject({ scannedCount: 1 })
})

test.each([
  ['a backslash', 'a\\b', 'a\\b', 'ab'],
  ['a regular expression', 'a.c', 'a.c', 'abc'],
  ['what would change the meaning of one', '***:(?i)a', '***:(?i)a', 'a'],
  ['wildcards', '100%_', '100%_', '100ab'],
  ['other alphabets', 'Größe 尺寸 🎟', 'Größe 尺寸 🎟', 'größe 尺寸 🎟'],
])('%s in a text is found to the letter', async (_case, contains, found, other) => {
  const id = await publish({ note: found })
  await publish({ note: other })
  const [text] = JSON.stringify([contains]).slice(2, -2).split('\0')
  expect(await scan({ contains: text })).toMatchObject({ ids: [id], scannedCount: 2 })
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

test.each([
  ['{ contains: "a", key: { path: "$.a", equals: "a" } }', 'contains cannot be combined with key'],
  ['{ contains: "a", value: "a" }', 'contains cannot be combined with value'],
  ['{ value: "a", type: "a" }', 'value cannot be combined with type'],
])('the filter %s is rejected', async (filter, message) => {
  const { errors } = await api.call(tenant.token, `{ events(filter: ${filter}) { nodes { id } } }`)
  expect(errors).toMatchObject([
    { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
  ])
})

test('a scan only goes forward', async () => {
  const query = '{ events(filter: { contains: "a" }, last: 1) { nodes { id } } }'
  expect((await api.call(tenant.token, query)).errors).toMatchObject([
    { message: expect.stringContaining('only goes forward') },
  ])
})
