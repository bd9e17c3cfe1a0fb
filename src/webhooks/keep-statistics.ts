import type { Sql } from '../db/client.ts'
import { MINUTES_KEPT_MS } from './statistics.ts'

/** Adds up the hours that are over, from their minutes. Answers how many rows it made. Safe to repeat. */
export async function addUpHours(sql: Sql, now = new Date()): Promise<number> {
  const { rows } = await sql.query<{ made: number }>(
    'select posthorn.add_up_hours($1)::int as made',
    [now],
  )
  return rows[0]?.made ?? 0
}

/** Erases the hours past retention, and the minutes of hours that were added up two days ago. Answers how many. */
export async function eraseOldStatistics(
  sql: Sql,
  retentionMs: number,
  now = new Date(),
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.webhook_statistics
     where bucket < $1 or (minutes = 1 and bucket < least(
       $2, (select reached_at from posthorn.cursors where name = 'statistics_rollup')))`,
    [new Date(now.getTime() - retentionMs), new Date(now.getTime() - MINUTES_KEPT_MS)],
  )
  return rowCount ?? 0
}
