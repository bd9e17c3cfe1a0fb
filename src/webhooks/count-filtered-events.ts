import type { Sql } from '../db/client.ts'
import { LATENCY_BOUNDS_MS } from './latency.ts'

/** Rows of publishing statements that one statement counts. */
const MAX_ROWS = 2_000

/**
 * Moves what publishing statements noted of filters into the statistics, oldest first. Returns the number of rows: with
 * `MAX_ROWS`, there may be more.
 */
export async function countFilteredEvents(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ taken: number }>({
    name: 'count_filtered_events',
    text: COUNT_FILTERED_EVENTS,
  })
  return rows[0]?.taken ?? 0
}

/** A stripe of its own. In an hour that is rolled up already, the events count in the next one. */
const COUNT_FILTERED_EVENTS = `
  with taken as (
    delete from posthorn.filtered_events where id = any (array(
      select id from posthorn.filtered_events order by id limit ${MAX_ROWS} for update skip locked
    ))
    returning *
  ),
  noted as (
    select taken.organization_id, noted.*, greatest(
      date_trunc('minute', posthorn.uuid_v7_timestamp(taken.id), 'UTC'),
      (select reached_at from posthorn.cursors where name = 'statistics_rollup')) as bucket
    from taken, unnest(webhook_ids, refused_counts, undecided_counts) as noted (webhook_id, refused, undecided)
  ),
  counted as (
    insert into posthorn.webhook_statistics as s (subject_id, organization_id, minutes, bucket, stripe, attempts, succeeded,
      failed_3xx, failed_4xx, failed_5xx, failed_without_response, latency, filtered_out, filter_undecided)
    select subject_id, organization_id, 1, bucket, -1, 0, 0, 0, 0, 0, 0,
      array_fill(0, '{${LATENCY_BOUNDS_MS.length + 1}}'::int[]), sum(refused), sum(undecided)
    from noted, unnest(array[webhook_id, organization_id]) as subject_id
    group by subject_id, organization_id, bucket
    order by subject_id, bucket
    on conflict (subject_id, minutes, bucket, stripe) do update
      set filtered_out = s.filtered_out + excluded.filtered_out,
        filter_undecided = s.filter_undecided + excluded.filter_undecided
  )
  select count(*)::int as taken from taken`
