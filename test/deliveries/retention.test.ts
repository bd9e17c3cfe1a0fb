import { describe, expect, test } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { createPartitions, maintainPartitions } from '../support/maintain-partitions.ts'
import { DAY_MS, usePartitionRows } from '../support/partition-rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

const database = useFreshDatabase()
const rows = usePartitionRows(database)

test('partitions are created a week ahead, and a row that was there before moves into its one', async () => {
  const day = new Date(Date.now() + 20 * DAY_MS)
  const event = await rows.event(day)
  expect(await rows.partitionOf('events', event)).toBe('posthorn_partitions.events_default')
  const weekBefore = new Date(day.getTime() - 7 * DAY_MS)
  await maintainPartitions(database.pool, 30 * DAY_MS, weekBefore)
  expect(await rows.partitionOf('events', event)).toMatch(/events_\d{8}$/)
  expect((await maintainPartitions(database.pool, 30 * DAY_MS, weekBefore)).created).toBe(0)
})

test('a day is dropped once it is past retention, and not earlier', async () => {
  const now = new Date(Date.now() + 31 * DAY_MS)
  const event = await rows.event(new Date())
  const delivery = await rows.delivery(new Date(), event, 'succeeded')
  const sameDay = new Date(Date.now() + 30 * DAY_MS)
  const kept = await rows.partitionOf('events', event)
  // At most drops the previous day, if midnight passed since the creation of the database.
  await maintainPartitions(database.pool, 30 * DAY_MS, sameDay)
  expect(await rows.partitionOf('events', event)).toBe(kept)
  expect((await maintainPartitions(database.pool, 30 * DAY_MS, now)).dropped).toBe(4)
  expect(await rows.partitionOf('events', event)).toBeUndefined()
  expect(await rows.partitionOf('deliveries', delivery)).toBeUndefined()
})

describe('a pending delivery outlives retention, with its event and its attempts:', () => {
  test('new, queued, retrying or waiting', async () => {
    const event = await rows.event(new Date())
    const finished = await rows.delivery(new Date(), event, 'succeeded')
    await rows.attempt(finished)
    const pending: string[] = []
    for (const [i, change] of [
      'is_backfilled = false',
      'is_backfilled = true',
      'attempt_count = 1',
      `parked_at = now(), parked_reason = 'on_hold'`,
    ].entries()) {
      const id = await rows.delivery(new Date(Date.now() + i + 1), event, 'pending')
      await database.pool.query(`update posthorn.deliveries set ${change} where id = $1`, [id])
      await rows.attempt(id)
      pending.push(id)
    }
    await maintainPartitions(database.pool, 30 * DAY_MS, new Date(Date.now() + 31 * DAY_MS))
    expect(await rows.partitionOf('events', event)).toBe('posthorn_partitions.events_default')
    expect(await rows.partitionOf('deliveries', finished)).toBeUndefined()
    const attempts = await database.prisma.attempt.findMany({ select: { deliveryId: true } })
    expect(attempts.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(pending)
    for (const id of pending)
      expect(await rows.partitionOf('deliveries', id)).toBe(
        'posthorn_partitions.deliveries_default',
      )
  })

  test('one of a later day, for an event of the dropped day', async () => {
    const event = await rows.event(new Date())
    const later = new Date(Date.now() + 2 * DAY_MS)
    const delivery = await rows.delivery(later, event, 'pending')
    await maintainPartitions(database.pool, 30 * DAY_MS, new Date(Date.now() + 31 * DAY_MS))
    expect(await rows.partitionOf('events', event)).toBe('posthorn_partitions.events_default')
    expect(await rows.partitionOf('deliveries', delivery)).toMatch(/deliveries_\d{8}$/)
  })
})

/** As a maintenance does before it drops the days before tomorrow. */
const detachAll = () =>
  database.pool.query(
    `select posthorn.detach_partitions_before(parent, (now() at time zone 'UTC')::date + 1)
     from unnest(array['events', 'event_keys', 'deliveries', 'attempts']) as parent`,
  )
const detached = async () =>
  (await database.pool.query('select posthorn.detached_partitions() as name')).rows

test('a partition that was detached by a process that ended is dropped by the next maintenance', async () => {
  const event = await rows.event(new Date())
  await detachAll()
  expect(await rows.partitionOf('events', event)).toBeUndefined()
  expect((await maintainPartitions(database.pool, 30 * DAY_MS)).dropped).toBeGreaterThanOrEqual(4)
  expect(await detached()).toEqual([])
})

test('dropping a day waits for a publisher, and ends in no deadlock', async () => {
  await createPartitions(database.pool, `now() - interval '3 days'`, `now() - interval '3 days'`)
  using publisher = await openTransaction(database.pool)
  await publisher.query('lock table posthorn.events in row exclusive mode')
  const dropped = maintainPartitions(database.pool, DAY_MS)
  await until(() => someoneWaitsFor('events'), 'the drop waits for the publisher')
  await publisher.query('lock table posthorn.deliveries in row exclusive mode')
  await publisher.query('lock table posthorn.attempts in row exclusive mode')
  await publisher.query('commit')
  expect((await dropped).dropped).toBeGreaterThan(0)
})

describe('a reader that locks attempts before deliveries', () => {
  async function openReader() {
    await createPartitions(database.pool, `now() - interval '3 days'`, `now() - interval '3 days'`)
    const reader = await openTransaction(database.pool)
    await reader.query('select from posthorn.attempts limit 1')
    return reader
  }

  test('does not wait for deliveries while the maintenance waits to create a partition of attempts', async () => {
    using reader = await openReader()
    const inTenDays = new Date(Date.now() + 10 * DAY_MS)
    const maintenance = maintainPartitions(database.pool, 30 * DAY_MS, inTenDays)
    await until(() => someoneWaitsFor('attempts'), 'the maintenance waits for the reader')
    await reader.query('lock table posthorn.deliveries in access share mode nowait')
    await reader.query('commit')
    expect((await maintenance).created).toBeGreaterThan(0)
  })

  test('is not canceled while a day is dropped, and the day is dropped when the reader has ended', async () => {
    using reader = await openReader()
    const dropping = maintainPartitions(database.pool, DAY_MS)
    await until(() => someoneWaitsFor('attempts'), 'the drop waits for the reader')
    await reader.query('select from posthorn.deliveries limit 1')
    await reader.query('commit')
    expect((await dropping).dropped).toBeGreaterThan(0)
  })
})

const someoneWaitsFor = (table: string) =>
  countRows(
    database.pool,
    `pg_locks as lock join pg_stat_activity as activity using (pid)
     where activity.datname = current_database() and not lock.granted
       and (lock.relation = $1::regclass or lock.relation in (
         select relid from pg_partition_tree($1::regclass)))`,
    [`posthorn.${table}`],
  )
