import type { Sql } from '../db/client.ts'

/** Partitions exist for this many days ahead. */
const DAYS_AHEAD = 7

/**
 * Creates the partitions of the coming days, and drops a partition once its last day is past retention. Pending
 * deliveries are kept. `now` defaults to the time of Postgres, so that a process with a wrong clock drops nothing
 * early.
 */
export async function maintainPartitions(
  sql: Sql,
  retentionMs: number,
  now: Date | null = null,
): Promise<{ created: number; dropped: number }> {
  const { rows } = await sql.query<{ created: number; dropped: number }>(
    `with today as (
       select coalesce($1::timestamptz, now()) at time zone 'UTC' as utc
     )
     select
       posthorn.create_partitions(utc::date, utc::date + $2::int) as created,
       posthorn.drop_partitions_before((utc - $3 * interval '1 millisecond')::date) as dropped
     from today`,
    [now, DAYS_AHEAD, retentionMs],
  )
  return rows[0] ?? { created: 0, dropped: 0 }
}
