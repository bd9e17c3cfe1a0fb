import type { Sql } from '../db/client.ts'
import { bucketRange, readStatistics, UNIT_MS } from '../webhooks/statistics.ts'

/** The time of an incident. */
export interface IncidentTime {
  /** A uuid. */
  readonly webhookId: string
  readonly openedAt: Date
  readonly closedAt: Date | null
}

/**
 * The failed attempts of the webhook during each incident, in order. Counts whole minutes, and of an hour whose minutes are
 * deleted the whole hour. Reads the statistics by their primary key.
 */
export async function countFailures(
  sql: Sql,
  incidents: readonly IncidentTime[],
): Promise<number[]> {
  const { rows } = await sql.query<{ failed: number }>({
    name: 'count_incident_failures',
    text: COUNT_FAILURES,
    values: [
      incidents.map(({ webhookId }) => webhookId),
      incidents.map(({ openedAt }) => openedAt),
      incidents.map(({ closedAt }) => closedAt ?? new Date()),
    ],
  })
  return rows.map(({ failed }) => failed)
}

const COUNT_FAILURES = `
  with rollup as materialized (
    select reached_at as at from posthorn.cursors where name = 'statistics_rollup'
  ),
  incident as materialized (
    select n, webhook_id, closed_at, date_trunc('minute', opened_at) as opened_at,
      case
        when opened_at < now() - interval '47 hours' then date_trunc('hour', opened_at)
        else least(date_trunc('hour', opened_at + interval '1 hour'), rollup.at)
      end as first_hour,
      greatest(rollup.at, date_trunc('minute', opened_at)) as rolled_up_to
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) with ordinality
      as given (webhook_id, opened_at, closed_at, n), rollup
  )
  select coalesce(sum(counted.failed), 0)::float8 as failed
  from incident as i left join lateral (
    select s.attempts - s.succeeded as failed from posthorn.webhook_statistics as s
    where s.subject_id = i.webhook_id and s.minutes = 1 and s.bucket >= i.opened_at and s.bucket < i.first_hour
      and s.bucket <= i.closed_at
    union all
    select s.attempts - s.succeeded from posthorn.webhook_statistics as s
    where s.subject_id = i.webhook_id and s.minutes = 60 and s.bucket >= i.first_hour and s.bucket < i.rolled_up_to
      and s.bucket <= i.closed_at
    union all
    select s.attempts - s.succeeded from posthorn.webhook_statistics as s
    where s.subject_id = i.webhook_id and s.minutes = 1 and s.bucket >= i.rolled_up_to and s.bucket <= i.closed_at
  ) as counted on true
  group by i.n order by i.n`

export const TREND_HOURS = 12

/** The failed attempts of each webhook in each of the last hours, the oldest hour first. */
export async function readFailureTrends(
  sql: Sql,
  webhookUuids: readonly string[],
): Promise<number[][]> {
  const since = new Date(Date.now() - (TREND_HOURS - 1) * UNIT_MS.hour)
  const range = bucketRange({ since, unit: 'hour' })
  const statistics = await readStatistics(sql, { webhooks: webhookUuids }, range)
  return statistics.map((buckets) => buckets.map(({ attempts, succeeded }) => attempts - succeeded))
}
