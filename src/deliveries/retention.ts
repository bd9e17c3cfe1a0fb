import type { Sql } from '../db/client.ts'

/** How many days ahead partitions are made. */
const DAYS_AHEAD = 7

/**
 * Makes the partitions of the coming days and drops those past retention, whole. What is still owed survives.
 * A partition goes once its last day is older than the retention, so nothing goes early. The time is that of Postgres
 * unless it is given: a process whose clock jumped must not drop what is young.
 */
export async function maintainPartitions(
  sql: Sql,
  retentionMs: number,
  now: Date | null = null,
): Promise<{ made: number; dropped: number }> {
  const { rows } = await sql.query<{ made: number; dropped: number }>(
    `with today as (
       select coalesce($1::timestamptz, now()) at time zone 'UTC' as utc
     )
     select
       posthorn.create_partitions(utc::date, utc::date + $2::int) as made,
       posthorn.drop_partitions_before((utc - $3 * interval '1 millisecond')::date) as dropped
     from today`,
    [now, DAYS_AHEAD, retentionMs],
  )
  return rows[0] ?? { made: 0, dropped: 0 }
}
