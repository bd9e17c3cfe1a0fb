import pg from 'pg'
import { expect, test } from 'vitest'
import { parseId, publicId } from '../../../src/db/ids.ts'
import { printCursor } from '../../../src/streams/event-stream/cursor.ts'
import { deleteOldBatches } from '../../../src/streams/event-stream/event-stream.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { useTestApp } from '../../support/app.ts'
import { createTenant } from '../../support/factories.ts'
import { FIRST, numbersOf, readerOf, SECOND, take, useStreams } from './support/reader.ts'

const posthorn = await useTestApp({ role: 'api' })
const { tenant, publish, streams } = await useStreams(posthorn)

const sessionOf = (kind: 'portal' | 'frontend', webhookId: string | null) => ({
  ...{ kind, webhookId, expiresAt: new Date(Date.now() + 60_000) },
})

test('a stream has what is published after it opened, in order, also in SQL, which notifies nobody, and nothing of another organization', async () => {
  const other = await createTenant(posthorn.database.prisma)
  await publish(1, 2)
  const stream = await streams.subscribe(readerOf(tenant), {})
  await posthorn.services.publishEvents(other.organizationId, [{ type: FIRST, data: { n: 0 } }])
  await publish(3, 4)
  await publish(5, 5)
  const events = await take(stream, 3)
  expect(numbersOf(events)).toEqual([3, 4, 5])
  expect(events[0]).toMatchObject({ type: FIRST, data: '{"n":3}', previous: null })
  await posthorn.database.pool.query(`select posthorn.publish_event($1, $2, '{"n": 7}')`, [
    publicId('organization', tenant.organizationId),
    FIRST,
  ])
  expect(numbersOf(await take(stream, 1))).toEqual([7])
  await stream.return?.()
})

test('an event of a slow transaction comes after those that committed before it', async () => {
  const stream = await streams.subscribe(readerOf(tenant), {})
  const slow = new pg.Client({ connectionString: posthorn.database.url })
  await slow.connect()
  try {
    await slow.query('begin')
    await slow.query(`select posthorn.publish_event($1, $2, '{"n": 1}')`, [
      publicId('organization', tenant.organizationId),
      FIRST,
    ])
    await publish(2, 2)
    const [fast] = await take(stream, 1)
    expect(numbersOf(fast ? [fast] : [])).toEqual([2])
    await slow.query('commit')
    expect(numbersOf(await take(stream, 1))).toEqual([1])
    const after = fast && printCursor(fast)
    const resumed = await streams.subscribe(readerOf(tenant), { after })
    expect(numbersOf(await take(resumed, 1))).toEqual([1])
    await resumed.return?.()
  } finally {
    await slow.end()
    await stream.return?.()
  }
})

test('a stream resumes after a cursor while others publish, without a gap or a repetition', async () => {
  const numbers: number[] = []
  let after: string | null = null
  const first = await streams.subscribe(readerOf(tenant), {})
  const publishing = (async () => {
    for (let n = 1; n <= 300; n += 3) await publish(n, n + 2)
  })()
  let stream = first
  while (numbers.length < 300) {
    const events = await take(stream, 23)
    numbers.push(...numbersOf(events))
    const last = events.at(-1)
    after = last ? printCursor(last) : after
    await stream.return?.()
    if (numbers.length < 277) stream = await streams.subscribe(readerOf(tenant), { after })
    else break
  }
  await publishing
  const rest = await streams.subscribe(readerOf(tenant), { after })
  numbers.push(...numbersOf(await take(rest, 300 - numbers.length)))
  await rest.return?.()
  expect(numbers).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
})

test('a stream has the types and what the filter lets through', async () => {
  const ofType = await streams.subscribe(readerOf(tenant), { types: [SECOND] })
  const filtered = await streams.subscribe(readerOf(tenant), {
    types: ['streamed.*'],
    filterText: '{"path":"$.n","op":"greater","value":2}',
  })
  await publish(1, 3)
  await publish(4, 4, SECOND)
  expect(numbersOf(await take(ofType, 1))).toEqual([4])
  expect(numbersOf(await take(filtered, 2))).toEqual([3, 4])
  await Promise.all([ofType.return?.(), filtered.return?.()])
})

test('a pattern that is none, a filter that is none and a cursor that is none are refused by their names', async () => {
  const open = (request: object) => streams.subscribe(readerOf(tenant), request)
  await expect(open({ types: ['order*'] })).rejects.toThrow('types[0] must be the name')
  await expect(open({ filterText: '{}' })).rejects.toThrow('filterText')
  await expect(open({ filter: {}, filterText: '{}' })).rejects.toThrow('filterText is given beside')
  await expect(open({ after: 'evt_1' })).rejects.toThrow('after must be the cursor')
})

test('a cursor of what is no longer kept is refused, and the newest cursor is not', async () => {
  const stream = await streams.subscribe(readerOf(tenant), {})
  await publish(1, 3)
  const [first, , last] = await take(stream, 3)
  await stream.return?.()
  await posthorn.database.pool.query('delete from posthorn.events where organization_id = $1', [
    tenant.organizationId,
  ])
  expect(await deleteOldBatches(posthorn.database.pool, 0)).toBe(1)
  const resume = async (event: typeof first) =>
    await streams.subscribe(readerOf(tenant), { after: event && printCursor(event) })
  await expect(resume(first)).rejects.toThrow('events are gone')
  const resumed = await resume(last)
  await publish(4, 4)
  expect(numbersOf(await take(resumed, 1))).toEqual([4])
  await resumed.return?.()
})

test('a caller without the scope gets no stream, and a session no consumer', async () => {
  const without = readerOf(tenant, { scopes: new Set() })
  await expect(streams.subscribe(without, {})).rejects.toThrow('lacks the scope events:read')
  const restricted = readerOf(tenant, { session: sessionOf('portal', tenant.organizationId) })
  const pull = streams.pull(restricted, { consumer: 'a' })
  await expect(pull).rejects.toThrow('cannot use consumers')
})

test('a session of one webhook sees what its webhook subscribes to and its filter lets through', async () => {
  const filterText = '{"path":"$.n","op":"greater","value":2}'
  const options = { eventSubscriptions: [SECOND], enabled: false, filterText }
  const id = await createWebhook(posthorn, 'https://example.com/', options)
  const own = posthorn.tenant
  const session = sessionOf('frontend', parseId('webhook', id))
  const stream = await streams.subscribe(readerOf(own, { session }), {})
  await posthorn.services.publishEvents(own.organizationId, [
    { type: FIRST, data: { n: 5 } },
    { type: SECOND, data: { n: 1 } },
    { type: SECOND, data: { n: 4 } },
  ])
  expect(numbersOf(await take(stream, 1))).toEqual([4])
  await stream.return?.()
})

test('a client that reads nothing delays nobody, and gets everything later', async () => {
  const count = 11_000
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const [slow, fast] = await Promise.all([
    streams.subscribe(readerOf(tenant), {}),
    streams.subscribe(readerOf(tenant), {}),
  ])
  const reading = take(fast, count)
  for (let n = 1; n <= count; n += 1_000) await publish(n, n + 999)
  expect(numbersOf(await reading)).toEqual(numbers)
  expect(numbersOf(await take(slow, count))).toEqual(numbers)
  await Promise.all([slow.return?.(), fast.return?.()])
})

test('a stream ends with its key', async () => {
  const stream = await streams.subscribe(readerOf(tenant), {})
  await posthorn.database.pool.query(
    'update posthorn.api_keys set revoked_at = now() where id = $1',
    [tenant.keyId],
  )
  await expect(stream.next()).rejects.toThrow('revoked')
})
