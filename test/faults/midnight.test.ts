import { chmod, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { PATIENT } from '../support/database.ts'
import { leftOutFor } from '../support/left-out.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import { DAY_MS, openPartitionRows } from '../support/partition-rows.ts'
import { startPublishing } from '../support/start-publishing.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { createFakeClock, FAKE_CLOCK_MISSING } from './fake-clock.ts'
import { startPostgresServer } from './postgres-server.ts'

const RETENTION_MS = 30 * DAY_MS

test(
  'events arrive at midnight without partitions, while these are created, and after retention nothing is left of them',
  leftOutFor(FAKE_CLOCK_MISSING),
  async () => {
    const folder = await mkdtemp(path.join(temporaryFolder(), 'midnight-'))
    await chmod(folder, 0o755)
    const clock = createFakeClock(path.join(folder, 'clock'))
    if (clock === null) throw new Error(`${FAKE_CLOCK_MISSING}`)
    const toMidnight = Math.floor((DAY_MS - (Date.now() % DAY_MS)) / 1_000)
    clock.set(toMidnight - 20)
    {
      await using server = await startPostgresServer(folder, clock.environment)
      await using database = openDatabase(server.url, PATIENT)
      await migrate(database.pool)
      const rows = await openPartitionRows(database)
      const lastDay = await today(database)
      // As if no worker had run for a week.
      await dropPartitionsAfter(database, lastDay)
      await using publishing = await startPublishing(database, { writers: 2, perSecond: 50 })
      await until(async () => (await today(database)) !== lastDay, 'midnight', 60_000)
      await publishing.published(50)
      expect(await partitions(database)).toContain('events_default')
      const { created } = await maintainPartitions(database.pool, RETENTION_MS)
      expect(created).toBe(4 * 8)
      await publishing.published(50)
      clock.set(toMidnight + 6 * 60)
      const partition = `events_${(await today(database)).replaceAll('-', '')}`
      await until(
        async () => (await partitions(database)).includes(partition),
        'events arrive in the partition of the new day',
      )
      const { count, errors } = await publishing.stop()
      expect(errors).toEqual([])
      expect(await rows.counts()).toMatchObject({ events: count, deliveries: count })

      clock.set(toMidnight + 32 * (DAY_MS / 1_000))
      await until(async () => (await today(database)) > addDays(lastDay, 31), 'a month later')
      await maintainPartitions(database.pool, RETENTION_MS)
      expect(await rows.counts()).toMatchObject({ events: count, deliveries: count })
      await database.pool.query(
        `update posthorn.deliveries set state = 'succeeded', finished_at = now(), next_attempt_at = null`,
      )
      await maintainPartitions(database.pool, RETENTION_MS)
      expect(await rows.counts()).toMatchObject({ events: 0, deliveries: 0 })
    }
    await rm(folder, { recursive: true })
  },
)

/** The day of Postgres in UTC. */
async function today({ pool }: Database): Promise<string> {
  const { rows } = await pool.query(`select (now() at time zone 'UTC')::date::text as day`)
  return rows[0].day
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

async function dropPartitionsAfter({ pool }: Database, day: string): Promise<void> {
  const { rows } = await pool.query(
    `select name from posthorn.partitions_before('3000-01-01') where right(name, 8) > $1`,
    [day.replaceAll('-', '')],
  )
  for (const { name } of rows) await pool.query(`drop table posthorn_partitions.${name}`)
}

/** Those with events. */
async function partitions({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query(
    `select distinct relname::text as name from posthorn.events as e join pg_class on pg_class.oid = e.tableoid`,
  )
  return rows.map(({ name }) => name)
}
