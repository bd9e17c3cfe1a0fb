import type { Sql } from '../db/client.ts'

/** How many days ahead partitions are created. */
const DAYS_AHEAD = 7

/**
 * Creates the partitions of the coming days and drops those past retention, whole. Pending deliveries survive.
 * A partition goes once its last day is older than the retention, so nothing goes early. The time is that of Postgres
 * unless it is given: a process whose clock jumped must not drop what is young.
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
