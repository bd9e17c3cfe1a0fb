import { expect, test } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { eraseEvents } from '../../src/deliveries/erase-events.ts'
import { printCursor } from '../../src/streams/event-stream/cursor.ts'
import { numbersOf, readerOf, take, useStreams } from '../streams/event-stream/support/reader.ts'
import { useTestApp } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'

const posthorn = await useTestApp({ role: 'api' })
const { tenant, publish, streams } = await useStreams(posthorn)

const pull = () => streams.pull(readerOf(tenant), { consumer: 'billing' })

async function eraseEvent(number: number): Promise<void> {
  const { pool } = posthorn.database
  const { rows } = await pool.query<{ id: string }>(
    'select id from posthorn.events where organization_id = $1 and data = $2',
    [tenant.organizationId, JSON.stringify({ n: number })],
  )
  const uuids = rows.map(({ id }) => id)
  const { events } = await inTransaction(pool, (sql) =>
    eraseEvents(sql, tenant.organizationId, uuids, 'cancel'),
  )
  expect(events).toBe(1)
}

const someMissed = () =>
  countRows(
    posthorn.database.pool,
    'posthorn.event_consumers where organization_id = $1 and missed_count <> 0',
    [tenant.organizationId],
  )

test('a consumer gets no erased event, and has missed none', async () => {
  await pull()
  await publish(1, 3)
  await eraseEvent(2)
  expect(numbersOf((await pull()).events)).toEqual([1, 3])
  expect(await someMissed()).toBe(0)
})

test('a stream after a cursor has no erased event', async () => {
  const stream = await streams.subscribe(readerOf(tenant), {})
  await publish(1, 3)
  const [first] = await take(stream, 3)
  await stream.return?.()
  await eraseEvent(2)
  const again = await streams.subscribe(readerOf(tenant), { after: first && printCursor(first) })
  expect(numbersOf(await take(again, 1))).toEqual([3])
  await again.return?.()
})
