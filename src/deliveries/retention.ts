import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../db/client.ts'
import { unavailabilityOf } from '../db/faults.ts'

/** Partitions exist for this many days ahead. */
const DAYS_AHEAD = 7

const TRIES = 5
const PAUSE_MS = 500

/**
 * Creates the partitions of the coming days, and drops a partition once its last day is past retention. Pending
 * deliveries are kept, and so is everything since the oldest event that still fans out. `now` defaults to the time of
 * Postgres, so that a process with a wrong clock drops nothing early. Tries again if others hold locks; the last error is
 * thrown, and the next maintenance continues.
 */
export async function maintainPartitions(
  sql: Sql,
  retentionMs: number,
  now: Date | null = null,
): Promise<{ created: number; dropped: number }> {
  const created = await createMissing(sql, now)
  await retryOnContention(() =>
    sql.query(
      `select posthorn.detach_partitions_before(
         least(
           (coalesce($1::timestamptz, now()) at time zone 'UTC' - $2 * interval '1 millisecond')::date,
           (select min(posthorn.uuid_v7_timestamp(event_ids[1]) at time zone 'UTC')::date from posthorn.fan_outs)))`,
      [now, retentionMs],
    ),
  )
  return { created, dropped: await dropDetached(sql) }
}

async function createMissing(sql: Sql, now: Date | null): Promise<number> {
  const { rows: missing } = await sql.query<{ parent: string; day: string }>(
    `select m.parent_name as parent, m.day::text
     from (select (coalesce($1::timestamptz, now()) at time zone 'UTC')::date) as today (day),
       posthorn.missing_partitions(today.day, today.day + $2::int) as m`,
    [now, DAYS_AHEAD],
  )
  let created = 0
  for (const { parent, day } of missing) {
    const { rows } = await retryOnContention(() =>
      sql.query<{ isNew: boolean }>('select posthorn.create_partition($1, $2) as "isNew"', [
        parent,
        day,
      ]),
    )
    if (rows[0]?.isNew) created += 1
  }
  return created
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

async function retryOnContention<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (tries === TRIES || unavailabilityOf(error) !== 'contention') throw error
      await sleep(PAUSE_MS)
    }
  }
}
