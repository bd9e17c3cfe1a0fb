import type { Sql } from '../db/client.ts'

/** How many days ahead partitions are made. */
const DAYS_AHEAD = 7

/**
 * Makes the partitions of the coming days and drops those past retention, whole. What is still owed survives.
 * A partition goes once its last day is older than the retention, so nothing goes early.
 */
export async function maintainPartitions(
  sql: Sql,
  retentionMs: number,
  now = new Date(),
): Promise<{ made: number; dropped: number }> {
  const { rows } = await sql.query<{ made: number; dropped: number }>(
    `select
       posthorn.ensure_partitions($1::date, $1::date + $2::int) as made,
       posthorn.drop_partitions_before($3::date) as dropped`,
    [utcDay(now), DAYS_AHEAD, utcDay(new Date(now.getTime() - retentionMs))],
  )
  return rows[0] ?? { made: 0, dropped: 0 }
}

function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10)
}
