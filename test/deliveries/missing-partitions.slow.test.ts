import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/client.ts'
import { countRows } from '../support/count-rows.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { useFreshDatabase } from '../support/fresh-database.ts'
import { createPartitions, maintainPartitions } from '../support/maintain-partitions.ts'
import { DAY_MS, TABLES, usePartitionRows } from '../support/partition-rows.ts'
import { openTransaction } from '../support/transaction.ts'
import { until } from '../support/until.ts'

/** The day of the partition in which a new row is. */
const TODAY = "(now() at time zone 'UTC')::date"

const RETENTION_MS = 30 * DAY_MS

const database = useFreshDatabase()
const rows = usePartitionRows(database)
beforeEach(async () => {
  await dropAllPartitions()
  await stopAutovacuum()
})

const maintain = (now?: Date) => maintainPartitions(database.pool, RETENTION_MS, now)

describe('partitions that are missing are created while events arrive,', () => {
  test('beside so many that today and tomorrow stay in the default partitions', async () => {
    await rows.many(60_000, new Date(), { characters: 1_000 })
    await expectCreatedBesidePublishing(2)
  })

  test('after a backup is restored that is older than the last partition', async () => {
    await createPartitions(database.pool, `${TODAY} - 50`, `${TODAY} - 40`)
    const old = new Date(Date.now() - 45 * DAY_MS)
    const pending = await rows.event(old)
    await rows.delivery(old, pending, 'pending')
    const finished = await rows.event(new Date(old.getTime() + 1))
    await rows.delivery(new Date(old.getTime() + 1), finished, 'succeeded')
    await expectCreatedBesidePublishing(0)
    expect(await rows.partitionOf('events', pending)).toBe('posthorn_partitions.events_default')
    expect(await rows.partitionOf('events', finished)).toBeUndefined()
  })
})

test('what a maintenance left that ended in the middle is removed by the next one', async () => {
  await rows.many(60_000, new Date(), { characters: 1_000 })
  const days = `array[(now() at time zone 'UTC')::date + 5]`
  await database.pool.query(`select posthorn.bound_default_partition('events', ${days})::text`)
  const inAWeek = new Date(Date.now() + 7 * DAY_MS)
  await expect(rows.event(inAWeek)).rejects.toThrow(/before_new_partitions/)
  await maintain()
  expect(await boundsOfDefaults()).toBe(0)
  expect(await rows.partitionOf('events', await rows.event(inAWeek))).toMatch(/events_\d{8}$/)
})

test('a reader that does not end makes the step fail, and the next maintenance drops the day', async () => {
  using reader = await openTransaction(database.pool)
  await createPartitions(database.pool, `${TODAY} - 3`, `${TODAY} - 3`)
  await reader.query('select from posthorn.attempts limit 1')
  await expect(maintainPartitions(database.pool, DAY_MS)).rejects.toThrow(/lock timeout/)
  await reader.query('commit')
  expect((await maintainPartitions(database.pool, DAY_MS)).dropped).toBeGreaterThan(0)
})

/** Maintains while two publishers store 50 events a second each. The first days of a large table stay without partitions. */
async function expectCreatedBesidePublishing(daysWithout: number): Promise<void> {
  await using publishing = await startPublishing()
  await publishing.published(20)
  const { created } = await maintain()
  await publishing.published(20)
  const { count, errors } = await publishing.stop()
  expect(errors).toEqual([])
  expect(await countRows(database.pool, 'posthorn.events where type = $1', [JOINED])).toBe(count)
  // A partition of a day begins in five minutes, and there is none in the last five of a day.
  expect(created).toBeGreaterThanOrEqual(4 * 7 - 2 * daysWithout)
  for (const days of [2, 3, 7]) {
    const event = await rows.event(new Date(Date.now() + days * DAY_MS))
    expect(await rows.partitionOf('events', event)).toMatch(/events_\d{8}$/)
  }
  const soon = await rows.event(new Date(Date.now() + 10 * 60_000))
  expect(await rows.partitionOf('events', soon)).toMatch(
    daysWithout === 0 ? /events_\d{8}$/ : /events_default$/,
  )
}

/** Two writers publish in SQL to a webhook of a new organization, each on a connection of its own, until they are stopped. */
async function startPublishing() {
  const { organizationId, publicOrganizationId } = await createTenant(database.prisma)
  await subscribe(database, organizationId, [JOINED])
  const connections = openDatabase(database.url, { maxConnections: 2 })
  const values = [publicOrganizationId, JOINED, '{}']
  const stored = { count: 0, errors: [] as unknown[] }
  let stopped = false
  const running = Array.from({ length: 2 }, async () => {
    for (; !stopped; await sleep(20)) {
      await connections.pool.query('select posthorn.publish_event($1, $2, $3)', values).then(
        () => (stored.count += 1),
        (error) => stored.errors.push(error),
      )
    }
  })
  /** Returns how many events were stored, and the errors of the others. */
  async function stop() {
    stopped = true
    await Promise.all(running)
    return stored
  }
  return {
    stop,
    /** Resolves when as many more events are stored. */
    async published(more: number) {
      const target = stored.count + more
      const isDone = () => stored.count >= target || stored.errors.length > 0
      await until(isDone, `${more} more events are published`)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await connections[Symbol.asyncDispose]()
    },
  }
}

async function dropAllPartitions(): Promise<void> {
  const { rows: partitions } = await database.pool.query<{ name: string }>(
    `select name from posthorn.partitions_before('3000-01-01')`,
  )
  for (const { name } of partitions) {
    await database.pool.query(`drop table posthorn_partitions.${name}`)
  }
}

/** Maintenance gives up after eight seconds, and on a busy machine autovacuum holds its lock on a large table for longer. */
async function stopAutovacuum(): Promise<void> {
  for (const table of TABLES) {
    await database.pool.query(
      `alter table posthorn_partitions.${table}_default set (autovacuum_enabled = off)`,
    )
  }
}

const boundsOfDefaults = () =>
  countRows(database.pool, `pg_constraint where conname = 'before_new_partitions'`)
