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
    select organization_id, subject_id, hour, sum(attempts) as attempts, sum(succeeded) as succeeded,
      sum(failed_3xx) as failed_3xx, sum(failed_4xx) as failed_4xx, sum(failed_5xx) as failed_5xx,
      sum(failed_without_response) as failed_without_response
    from minutes group by grouping sets ((organization_id, subject_id, hour), (organization_id, hour))
  ),
  latencies as (
    select organization_id, subject_id, hour, array_agg(attempts order by i) as latency
    from (
      select organization_id, subject_id, hour, i, sum(n)::int as attempts
      from minutes, unnest(latency) with ordinality as l (n, i)
      group by grouping sets ((organization_id, subject_id, hour, i), (organization_id, hour, i))
    ) as counted
    group by organization_id, subject_id, hour
  ),
  moved as (
    update posthorn.cursors as c set reached_at = greatest(cursor.reached_at, cursor.up_to)
    from cursor where c.name = cursor.name
  )
  insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded,
    failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency)
  select coalesce(hours.subject_id, hours.organization_id), hours.organization_id, 60, hours.hour, 0, hours.attempts,
    hours.succeeded, hours.failed_3xx, hours.failed_4xx, hours.failed_5xx, hours.failed_without_response,
    latencies.latency
  from hours join latencies on hours.organization_id = latencies.organization_id
    and hours.subject_id is not distinct from latencies.subject_id and hours.hour = latencies.hour`

/** Deletes hours past retention, and rolled-up minutes older than two days. Returns the number of deleted rows. */
export async function deleteOldStatistics(
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
