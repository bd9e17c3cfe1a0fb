import { expect, test } from 'vitest'
import { countRows, WAITING } from '../support/count-rows.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import { DAY_MS, usePartitionRows } from '../support/partition-rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

const RETENTION_MS = 30 * DAY_MS
const NOTHING = { events: 0, event_keys: 0, deliveries: 0, attempts: 0 }
const ONE = { events: 1, event_keys: 1, deliveries: 1, attempts: 1 }

const database = useFreshDatabase()
const rows = usePartitionRows(database)

const maintainIn = (days: number) =>
  maintainPartitions(database.pool, RETENTION_MS, new Date(Date.now() + days * DAY_MS))

const finish = () =>
  database.pool.query(
    `update posthorn.deliveries set state = 'succeeded', finished_at = now() where state = 'pending'`,
  )

/** An event with a search key, and a delivery with an attempt, all of one time. */
async function store(at: Date, state: string): Promise<string> {
  const event = await rows.event(at)
  await rows.searchKey(event)
  const delivery = await rows.delivery(at, event, state)
  await rows.attempt(delivery, at)
  return delivery
}

test('a delivery of a dropped day that is final 400 days later is deleted with its event, search keys and attempts, and kept until then', async () => {
  await store(new Date(), 'pending')
  await store(new Date(Date.now() + 1), 'succeeded')
  await maintainIn(31)
  expect(await rows.counts()).toEqual(ONE)
  await maintainIn(431)
  expect(await rows.counts()).toEqual(ONE)
  await finish()
  expect((await maintainIn(431)).deleted).toBe(4)
  expect(await rows.counts()).toEqual(NOTHING)
})

test('rows of a day that never had a partition are deleted after their time', async () => {
  const day = new Date(Date.now() - 10 * DAY_MS)
  await store(day, 'succeeded')
  await store(new Date(day.getTime() + 1), 'pending')
  await rows.event(new Date(day.getTime() + 2))
  expect((await maintainIn(19)).deleted).toBe(0)
  expect((await maintainIn(23)).deleted).toBe(5)
  expect(await rows.counts()).toEqual(ONE)
})

test('thousands of kept rows hide none that is to be deleted', async () => {
  const first = new Date(Date.now() - 10 * DAY_MS)
  await rows.many(1_200, first)
  await store(new Date(first.getTime() + 3_000_000), 'exhausted')
  expect((await maintainIn(30)).deleted).toBe(4)
  expect(await rows.counts()).toEqual({ ...NOTHING, events: 1_200, deliveries: 1_200 })
  await finish()
  expect((await maintainIn(30)).deleted).toBe(2_400)
  expect(await rows.counts()).toEqual(NOTHING)
})

test('a delivery that is requested again while it is deleted is kept', async () => {
  const delivery = await store(new Date(Date.now() - 40 * DAY_MS), 'succeeded')
  using other = await openTransaction(database.pool)
  await other.query(
    `update posthorn.deliveries set state = 'pending', finished_at = null where id = $1`,
    [delivery],
  )
  const maintenance = maintainPartitions(database.pool, RETENTION_MS)
  await until(() => countRows(database.pool, WAITING), 'the deletion waits for the request')
  await other.query('commit')
  await maintenance
  expect(await rows.counts()).toEqual(ONE)
})
