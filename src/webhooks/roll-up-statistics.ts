import type { Sql } from '../db/client.ts'
import { MINUTES_KEPT_MS } from './statistics.ts'

/**
 * Rolls up the minutes of past hours into hours, for each webhook and each organization, and returns the number of rows
 * written. Idempotent: the cursor moves in the same statement, and a second concurrent process skips the work.
 */
export async function rollUpStatistics(sql: Sql, now = new Date()): Promise<number> {
  const { rowCount } = await sql.query(ROLL_UP_STATISTICS, [now])
  return rowCount ?? 0
}

const COUNTS = [
  'attempts',
  'succeeded',
  'failed_3xx',
  'failed_4xx',
  'failed_5xx',
  'failed_without_response',
  'first_attempts',
  'first_attempts_failed',
  'on_time',
  'late',
  'exhausted',
  'filtered_out',
  'filter_undecided',
]

/** An attempt counts in the minute of its recording, so an hour is final five minutes after its end. */
const ROLL_UP_STATISTICS = `
  with cursor as materialized (
    select name, reached_at, date_trunc('hour', $1::timestamptz - interval '5 minutes', 'UTC') as up_to
    from posthorn.cursors where name = 'statistics_rollup'
    for update skip locked
  ),
  minutes as materialized (
    select s.*, date_trunc('hour', s.bucket, 'UTC') as hour
    from posthorn.webhook_statistics as s, cursor
    where s.minutes = 1 and s.bucket >= cursor.reached_at and s.bucket < cursor.up_to
  ),
  hours as (
    select subject_id, organization_id, hour, ${COUNTS.map((column) => `sum(${column}) as ${column}`).join(', ')}
    from minutes group by 1, 2, 3
  ),
  histograms as (
    select subject_id, hour, array_agg(latency order by i) as latency, array_agg(first_delay order by i) as first_delay
    from (
      select subject_id, hour, i, sum(counted.latency)::int as latency, sum(counted.first_delay)::int as first_delay
      from minutes, unnest(latency, first_delay) with ordinality as counted (latency, first_delay, i) group by 1, 2, 3
    ) as summed
    group by 1, 2
  ),
  moved as (
    update posthorn.cursors as c set reached_at = greatest(cursor.reached_at, cursor.up_to)
    from cursor where c.name = cursor.name
  )
  insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, latency, first_delay,
    ${COUNTS.join(', ')})
  select subject_id, organization_id, 60, hour, 0, latency, first_delay, ${COUNTS.join(', ')}
  from hours join histograms using (subject_id, hour)`

/** Deletes hours past retention, and rolled-up minutes older than two days. Returns the number of deleted rows. */
export async function deleteOldStatistics(sql: Sql, retentionMs: number): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from posthorn.webhook_statistics
     where bucket < now() - $1 * interval '1 millisecond' or (minutes = 1 and bucket < least(
       now() - $2 * interval '1 millisecond', (select reached_at from posthorn.cursors where name = 'statistics_rollup')))`,
    [retentionMs, MINUTES_KEPT_MS],
  )
  return rowCount ?? 0
}
