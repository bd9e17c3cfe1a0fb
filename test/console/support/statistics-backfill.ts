import type { Sql } from '../../../src/db/client.ts'
import { parseId } from '../../../src/db/ids.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { LATENCY_BOUNDS_MS } from '../../../src/webhooks/latency.ts'

/** The traffic of a webhook over the last 30 days. */
interface TrafficProfile {
  readonly attemptsPerHour: number
  /** The median duration of an attempt. */
  readonly typicalMs: number
  /** The share of attempts that fail outside outages, from 0 to 1. */
  readonly failing: number
  /** Time ranges, in hours ago, in which nearly every attempt failed. */
  readonly outages: readonly (readonly [from: number, to: number])[]
}

const PROFILES: Readonly<Record<string, TrafficProfile>> = {
  boxOffice: { attemptsPerHour: 900, typicalMs: 42, failing: 0.002, outages: [[214, 211]] },
  crm: { attemptsPerHour: 520, typicalMs: 140, failing: 0.011, outages: [[51, 49]] },
  ledger: { attemptsPerHour: 260, typicalMs: 90, failing: 0.004, outages: [[7, 0]] },
  stats: { attemptsPerHour: 120, typicalMs: 25, failing: 0.02, outages: [[1.5, 0]] },
}

/** The median time until the first attempt. */
const FIRST_DELAY_MS = 8

/** Inserts hourly and per-minute statistics for the last month, and puts one webhook on hold. */
export async function backfillStatistics(
  sql: Sql,
  webhooks: Readonly<Record<string, string>>,
): Promise<void> {
  // Move the cursor first, so that the worker does not roll up the inserted rows.
  await sql.query(
    `update posthorn.cursors set reached_at = date_trunc('hour', now()) where name = 'statistics_rollup'`,
  )
  for (const [name, profile] of Object.entries(PROFILES)) {
    const uuid = parseId('webhook', String(webhooks[name])) as string
    await insertStatistics(sql, uuid, profile, { minutes: 60, from: 30 * 24, stepMinutes: 60 })
    await insertStatistics(sql, uuid, profile, { minutes: 1, from: 47, stepMinutes: 1 })
  }
  await sql.query(
    `with own as materialized (
       select * from posthorn.webhook_statistics where subject_id <> organization_id
     ),
     histograms as (
       select minutes, bucket, array_agg(latency order by i) as latency, array_agg(first_delay order by i) as first_delay
       from (
         select minutes, bucket, i, sum(n.latency)::int as latency, sum(n.first_delay)::int as first_delay
         from own, unnest(own.latency, own.first_delay) with ordinality as n (latency, first_delay, i) group by 1, 2, 3
       ) as summed
       group by 1, 2
     )
     insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts,
       succeeded, failed_3xx, failed_4xx, failed_5xx, failed_without_response, first_attempts, first_attempts_failed,
       on_time, late, exhausted, latency, first_delay)
     select organization_id, organization_id, minutes, bucket, 15, sum(attempts), sum(succeeded), 0, 0, sum(failed_5xx),
       sum(failed_without_response), sum(first_attempts), sum(first_attempts_failed), sum(on_time), sum(late),
       sum(exhausted), histograms.latency, histograms.first_delay
     from own join histograms using (minutes, bucket)
     group by organization_id, minutes, bucket, histograms.latency, histograms.first_delay
     on conflict do nothing`,
  )
  const ledger = parseId('webhook', String(webhooks['ledger'])) as string
  await sql.query(
    `update posthorn.webhook_conditions set failing_since = now() - interval '7 hours',
       last_success_at = now() - interval '7 hours', consecutive_failures = 340 where webhook_id = $1`,
    [ledger],
  )
  await putOnHold(sql, ledger, -6.8 * 3_600_000)
  await sql.query(
    `update posthorn.webhook_schedules set next_probe_at = now() + interval '9 minutes' where webhook_id = $1`,
    [ledger],
  )
}

interface Range {
  /** The length of a bucket. */
  readonly minutes: 1 | 60
  /** Hours ago. */
  readonly from: number
  readonly stepMinutes: number
}

async function insertStatistics(
  sql: Sql,
  uuid: string,
  profile: TrafficProfile,
  range: Range,
): Promise<void> {
  const unit = range.minutes === 60 ? 'hour' : 'minute'
  const outage = profile.outages
    .map(([from, to]) => `hours_ago between ${to} and ${from}`)
    .join(' or ')
  await sql.query(
    `insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts,
       succeeded, failed_3xx, failed_4xx, failed_5xx, failed_without_response, first_attempts, first_attempts_failed,
       on_time, late, exhausted, latency, first_delay)
     select w.id, w.organization_id, $2, bucket, 15, attempts, attempts - failed, 0, 0, failed - failed / 5, failed / 5,
       attempts, failed, attempts - failed, failed / 2, failed - failed / 2,
       array(select round(attempts * share)::int from unnest($3::float8[]) with ordinality as l (share, i) order by i),
       array(select round(attempts * share)::int from unnest($6::float8[]) with ordinality as l (share, i) order by i)
     from posthorn.webhooks as w, (
       select *, round(attempts * case when ${outage} then 0.94 else $4::float8 * (1 + sin(hours_ago)) end)::int as failed
       from (
         select bucket, hours_ago,
           -- Days are busier than nights, and no hour is like the last.
           round($5::float8 * ${range.minutes} / 60 * (1.05 + 0.8 * sin((extract(hour from bucket) - 9) * pi() / 12)
             + 0.15 * sin(hours_ago * 1.7)) + 0.4 * (1 + sin(hours_ago * 61)))::int as attempts
         from (
           select bucket, extract(epoch from now() - bucket) / 3600 as hours_ago
           from generate_series(date_trunc('${unit}', now() - interval '${range.from} hours'),
             date_trunc('${unit}', now()) - interval '${range.stepMinutes} minutes', interval '${range.stepMinutes} minutes') as bucket
         ) as buckets
       ) as busy
     ) as counted
     where w.id = $1 and attempts > 0
     on conflict do nothing`,
    [
      uuid,
      range.minutes,
      shares(profile.typicalMs),
      profile.failing,
      profile.attemptsPerHour,
      shares(FIRST_DELAY_MS),
    ],
  )
}

/** The share of attempts in each latency bucket: a bell curve around the median, with a longer tail above it. */
function shares(typicalMs: number): number[] {
  const weights = [...LATENCY_BOUNDS_MS, 40_000].map((bound) => {
    const distance = Math.log(bound / typicalMs)
    return Math.exp(-(distance ** 2) / (distance > 0 ? 0.5 : 0.12))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
