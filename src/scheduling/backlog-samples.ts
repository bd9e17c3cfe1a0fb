import type { Sql } from '../db/client.ts'
import { type BucketRange, type StatisticsSubject, UNIT_MS } from '../webhooks/statistics.ts'
import { MAX_COUNTED_PARKED } from './count-parked.ts'

/** The backlog in one bucket of time. */
export interface BacklogBucket {
  readonly start: Date
  /** The largest number of deliveries that waited at a sample. Null if none was taken. */
  readonly waiting: number | null
}

/** Samples older than this are kept for each hour only. */
const MINUTES_KEPT_MS = 2 * UNIT_MS.day

/**
 * Counts the waiting deliveries of each webhook with a backlog, once a minute, and returns the number of webhooks. Counts
 * at most `MAX_COUNTED_PARKED` of each, by the index deliveries_parked.
 */
export async function sampleBacklogs(sql: Sql, now = new Date()): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'sample_backlogs',
    text: `
      with sampling as (
        insert into posthorn.backlog_samplings (sampled_at) values (date_trunc('minute', $1::timestamptz))
        on conflict do nothing
      ),
      sampled as (
        insert into posthorn.backlog_samples (webhook_id, organization_id, sampled_at, waiting)
        select w.id, w.organization_id, date_trunc('minute', $1::timestamptz), counted.waiting
        from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
        cross join lateral (
          select count(*)::int as waiting from (
            select from posthorn.deliveries as d
            where d.webhook_id = s.webhook_id and d.parked_at is not null limit ${MAX_COUNTED_PARKED}
          ) as parked
        ) as counted
        where (s.backlog_since is not null or s.backlog_drained_at is not null) and counted.waiting > 0
        on conflict (webhook_id, sampled_at) do nothing
        returning webhook_id, waiting
      ),
      peak as materialized (
        select i.id, sampled.waiting
        from sampled join posthorn.incidents as i on i.webhook_id = sampled.webhook_id and i.closed_at is null
        where i.peak_waiting < sampled.waiting for update of i skip locked
      ),
      raised as (
        update posthorn.incidents as i set peak_waiting = peak.waiting from peak where i.id = peak.id
      )
      select from sampled`,
    values: [now],
  })
  return rowCount ?? 0
}

/** All buckets of a range, for each webhook in order, or once for an organization: the sum over its webhooks. */
export async function readBacklogs(
  sql: Sql,
  subject: StatisticsSubject,
  { since, until, unit }: BucketRange,
): Promise<BacklogBucket[][]> {
  const isOrganization = 'organization' in subject
  const column = isOrganization ? 'organization_id' : 'webhook_id'
  const uuids = isOrganization ? [subject.organization] : subject.webhooks
  const { rows } = await sql.query<{ subject: string | null; start: Date; waiting: number }>({
    name: `read_backlogs_by_${column}_${unit}`,
    text: `
      select subject, start, max(waiting)::float8 as waiting from (
        select ${column} as subject, date_trunc('${unit}', sampled_at, 'UTC') as start, sum(waiting) as waiting
        from posthorn.backlog_samples
        where ${column} = any ($1::uuid[]) and sampled_at >= $2 and sampled_at < $3
        group by ${column}, sampled_at
        union all
        select null, date_trunc('${unit}', sampled_at, 'UTC'), 0
        from posthorn.backlog_samplings where sampled_at >= $2 and sampled_at < $3
      ) as sampled
      group by 1, 2`,
    values: [uuids, since, until],
  })
  const bySubject = Map.groupBy(rows, (row) => row.subject)
  const timesOf = (subject: string | null) =>
    bySubject.get(subject)?.map(({ start, waiting }) => [start.getTime(), waiting] as const) ?? []
  return uuids.map((uuid) => {
    // The counts of the webhook replace the zeros of the times at which all backlogs were counted.
    const sampled = new Map([...timesOf(null), ...timesOf(uuid)])
    const buckets: BacklogBucket[] = []
    for (let at = since.getTime(); at < until.getTime(); at += UNIT_MS[unit]) {
      buckets.push({ start: new Date(at), waiting: sampled.get(at) ?? null })
    }
    return buckets
  })
}

/** Deletes samples past retention, and those older than two days that are not of a full hour. Returns their number. */
export async function deleteOldBacklogSamples(
  sql: Sql,
  retentionMs: number,
  now = new Date(),
): Promise<number> {
  const isOld = 'sampled_at < $1 or (sampled_at < $2 and extract(minute from sampled_at) <> 0)'
  const { rowCount } = await sql.query(
    `with samplings as (delete from posthorn.backlog_samplings where ${isOld})
     delete from posthorn.backlog_samples where ${isOld}`,
    [new Date(now.getTime() - retentionMs), new Date(now.getTime() - MINUTES_KEPT_MS)],
  )
  return rowCount ?? 0
}
