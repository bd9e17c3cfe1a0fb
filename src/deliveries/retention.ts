import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { unavailabilityOf } from '../db/faults.ts'

/** Partitions exist for this many days ahead. */
const DAYS_AHEAD = 7

/**
 * Below Postgres's `deadlock_timeout` of 1 s: a reader that locks the tables in another order is never canceled because
 * of the maintenance. Publishers wait behind it for no longer than this.
 */
const LOCK_TIMEOUT_MS = 200

const TRIES = 5
const PAUSE_MS = 500

/**
 * Creates the partitions of the coming days, and drops a partition once its last day is past retention. Pending
 * deliveries are kept. `now` defaults to the time of Postgres, so that a process with a wrong clock drops nothing
 * early. Tries again if others hold locks; the last error is thrown.
 */
export async function maintainPartitions(
  sql: Sql,
  retentionMs: number,
  now: Date | null = null,
): Promise<{ created: number; dropped: number }> {
  const created = await createAndDetachWithRetries(sql, retentionMs, now)
  return { created, dropped: await dropDetached(sql) }
}

async function createAndDetachWithRetries(
  sql: Sql,
  retentionMs: number,
  now: Date | null,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await createAndDetach(sql, retentionMs, now)
    } catch (error) {
      if (tries === TRIES || unavailabilityOf(error) !== 'contention') throw error
      await sleep(PAUSE_MS)
    }
  }
}

/** Returns the number of created partitions. */
async function createAndDetach(sql: Sql, retentionMs: number, now: Date | null): Promise<number> {
  const { rows } = await sql.query<{ created: number }>(
    `with settings as materialized (
       select set_config('lock_timeout', $4, true) as lock_timeout
     ),
     today as materialized (
       select coalesce($1::timestamptz, now()) at time zone 'UTC' as utc from settings
       where lock_timeout is not null
     )
     select
       posthorn.create_partitions(utc::date, utc::date + $2::int) as created,
       posthorn.detach_partitions_before((utc - $3 * interval '1 millisecond')::date) as detached
     from today`,
    [now, DAYS_AHEAD, retentionMs, `${LOCK_TIMEOUT_MS}ms`],
  )
  return rows[0]?.created ?? 0
}

/** One at a time, so that the disk deletes few files at once. Returns the number of dropped partitions. */
async function dropDetached(sql: Sql): Promise<number> {
  for (let dropped = 0; ; dropped++) {
    const { rows } = await sql.query<{ name: string | null }>(
      'select posthorn.drop_detached_partition() as name',
    )
    if (rows[0]?.name == null) return dropped
  }
}
