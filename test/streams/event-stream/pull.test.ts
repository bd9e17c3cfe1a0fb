import { expect, test } from 'vitest'
import { MAX_CONSUMERS } from '../../../src/streams/event-stream/consumers/consumer.ts'
import type { PullRequest } from '../../../src/streams/event-stream/consumers/pull-events.ts'
import { deleteOldBatches } from '../../../src/streams/event-stream/event-stream.ts'
import { useTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { FIRST, numbersOf, readerOf, useStreams } from './support/reader.ts'

const posthorn = await useTestApp({ role: 'api' })
const { tenant, publish, streams } = await useStreams(posthorn)

const consumer = 'billing'
const pull = async (request: Partial<PullRequest> = {}, reader = readerOf(tenant)) =>
  await streams.pull(reader, { consumer, ...request })
const acknowledge = async (lease: string | null) =>
  await streams.acknowledge(readerOf(tenant), consumer, lease ?? '')

/** Makes the open leases expire. */
async function expireLeases(): Promise<void> {
  await posthorn.database.pool.query('update posthorn.consumer_leases set expires_at = now()')
}

test('a consumer begins with its first pull, and gets each event once', async () => {
  await publish(1, 1)
  expect(await pull()).toEqual({ lease: null, expiresAt: null, events: [] })
  await publish(2, 4)
  const first = await pull({ max: 2 })
  const second = await pull({ max: 2 })
  expect([numbersOf(first.events), numbersOf(second.events)]).toEqual([[2, 3], [4]])
  expect((await pull()).events).toEqual([])
  expect(await acknowledge(first.lease)).toBe(2)
  expect(await acknowledge(second.lease)).toBe(1)
  await expireLeases()
  expect((await pull()).events).toEqual([])
})

test('an acknowledgement that is repeated changes nothing, and one of an unknown consumer is refused', async () => {
  await pull()
  await publish(1, 1)
  const { lease } = await pull()
  expect(await acknowledge(lease)).toBe(1)
  expect(await acknowledge(lease)).toBe(0)
  await expect(streams.acknowledge(readerOf(tenant), 'none', lease ?? '')).rejects.toThrow(
    'There is no consumer "none"',
  )
})

test('events of an expired lease come first, and the old lease no longer acknowledges them', async () => {
  await pull()
  await publish(1, 3)
  const first = await pull({ max: 3 })
  await expireLeases()
  await publish(4, 4)
  const again = await pull({ max: 2 })
  expect(numbersOf(again.events)).toEqual([1, 2])
  expect(numbersOf((await pull()).events)).toEqual([3])
  expect(numbersOf((await pull()).events)).toEqual([4])
  expect(await acknowledge(first.lease)).toBe(0)
  await expireLeases()
  expect(await acknowledge(again.lease)).toBe(2)
})

test('a consumer that begins with the oldest gets what the stream keeps', async () => {
  await pull({ consumer: 'other' })
  await publish(1, 2)
  expect((await pull()).events).toEqual([])
  expect(numbersOf((await pull({ consumer: 'all', from: 'oldest' })).events)).toEqual([1, 2])
})

test('several pulls of one consumer get different events, and together all of them, also of expired leases', async () => {
  await pull()
  await publish(1, 400)
  const all = Array.from({ length: 400 }, (_, i) => i + 1)
  for (let round = 0; round < 2; round++) {
    const pulls = await Promise.all(Array.from({ length: 12 }, () => pull({ max: 50 })))
    const numbers = pulls.flatMap(({ events }) => numbersOf(events))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(all)
    await expireLeases()
  }
})

test('a pull waits for events, and for leases that expire', async () => {
  await pull()
  const waiting = pull({ wait: 20 })
  await publish(1, 1)
  expect(numbersOf((await waiting).events)).toEqual([1])
  const again = pull({ wait: 20 })
  await expireLeases()
  expect(numbersOf((await again).events)).toEqual([1])
})

test('a pull whose client leaves ends without a lease', async () => {
  await pull()
  const left = new AbortController()
  const waiting = pull({ wait: 20 }, readerOf(tenant, { signal: left.signal }))
  left.abort()
  expect((await waiting).lease).toBeNull()
  await publish(1, 1)
  expect(numbersOf((await pull()).events)).toEqual([1])
})

test('a consumer counts what it missed, and goes on', async () => {
  await pull()
  await publish(1, 3)
  await pull({ max: 1 })
  await posthorn.database.pool.query('delete from posthorn.events where organization_id = $1', [
    tenant.organizationId,
  ])
  await deleteOldBatches(posthorn.database.pool, 0)
  await expireLeases()
  await publish(4, 4)
  expect(numbersOf((await pull()).events)).toEqual([4])
  const { rows } = await posthorn.database.pool.query(
    'select missed_count::int as missed, last_missed_at is not null as "isDated" from posthorn.event_consumers where organization_id = $1',
    [tenant.organizationId],
  )
  expect(rows).toEqual([{ missed: 3, isDated: true }])
})

test('an organization has at most 100 consumers, of which another organization sees none', async () => {
  for (let i = 1; i <= 2; i++) await pull({ consumer: `c${i}` })
  await posthorn.database.pool.query(
    `insert into posthorn.event_consumers (organization_id, name, read_position, read_index)
     select $1, 'd' || i, 1, 0 from generate_series(3, $2::int) as i`,
    [tenant.organizationId, MAX_CONSUMERS],
  )
  await expect(pull()).rejects.toThrow('as many as it may have')
  const other = await createTenant(posthorn.database.prisma)
  await expect(streams.acknowledge(readerOf(other), 'c1', 'lease_0')).rejects.toThrow(
    'There is no consumer "c1"',
  )
})

test('the graph shows a consumer, and deletes it', async () => {
  Object.assign(tenant, posthorn.tenant)
  await pull({ types: [FIRST] })
  await publish(1, 3)
  await pull({ max: 2, types: ['streamed.*'] })
  const { consumers } = await posthorn.graphql(
    '{ consumers { nodes { id name state types waitingCount missedCount openLeases { eventCount } } } }',
  )
  const [node] = consumers.nodes
  expect(node).toMatchObject({
    ...{ name: consumer, state: 'HEALTHY', types: ['streamed.*'] },
    ...{ waitingCount: 3, missedCount: 0, openLeases: [{ eventCount: 2 }] },
  })
  await posthorn.database.pool.query(
    'update posthorn.consumer_leases set event_ids = array[$1, $2]::uuid[] where cardinality(event_ids) = 2',
    ['019ad000-0000-7000-8000-000000000000', '019ad000-0000-7000-8000-000000000001'],
  )
  const behind = await posthorn.graphql('{ consumer(name: "billing") { state } }')
  expect(behind).toEqual({ consumer: { state: 'BEHIND' } })
  const remove =
    'mutation ($id: ID!) { deleteConsumer(id: $id) { __typename ... on DeleteConsumerSuccess { id } } }'
  const { id } = node
  expect(await posthorn.graphql(remove, { id })).toEqual({
    deleteConsumer: { __typename: 'DeleteConsumerSuccess', id },
  })
  const { deleteConsumer } = await posthorn.graphql(remove, { id })
  expect(deleteConsumer).toEqual({ __typename: 'NotFoundError' })
  expect(await posthorn.graphql('{ consumer(name: "billing") { state } }')).toEqual({
    consumer: null,
  })
  const { rows } = await posthorn.database.pool.query(
    "select action, subject_id from posthorn.audit_log where organization_id = $1 and action like 'consumer.%' order by id",
    [tenant.organizationId],
  )
  expect(rows).toEqual([
    { action: 'consumer.created', subject_id: id },
    { action: 'consumer.deleted', subject_id: id },
  ])
})
