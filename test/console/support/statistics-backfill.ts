import type { Sql } from '../../../src/db/client.ts'
import { parseId } from '../../../src/db/ids.ts'
import { putOnHold } from '../../../src/scheduling/circuit-breaker.ts'
import { LATENCY_BOUNDS_MS } from '../../../src/webhooks/latency.ts'

/** The traffic of a webhook, or of the organization, over the last 30 days. */
interface TrafficProfile {
  readonly attemptsPerHour: number
  /** The median duration of an attempt. */
  readonly typicalMs: number
  /** The share of attempts that fail outside the outage, from 0 to 1. */
  readonly failing: number
  /** A time range, in hours ago, and the share that failed in it. */
  readonly outage: readonly [from: number, to: number, failing: number]
}

const PROFILES: Readonly<Record<string, TrafficProfile>> = {
  boxOffice: { attemptsPerHour: 900, typicalMs: 42, failing: 0.002, outage: [214, 211, 0.94] },
  crm: { attemptsPerHour: 520, typicalMs: 140, failing: 0.011, outage: [51, 49, 0.94] },
  ledger: { attemptsPerHour: 260, typicalMs: 90, failing: 0.004, outage: [7, 0, 0.94] },
  stats: { attemptsPerHour: 120, typicalMs: 25, failing: 0.02, outage: [1.5, 0, 0.94] },
}

/** About the sum of the webhooks. */
const ORGANIZATION: TrafficProfile = {
  attemptsPerHour: 1_800,
  typicalMs: 65,
  failing: 0.006,
  outage: [7, 0, 0.15],
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
  const uuidOf = (name: string) => parseId('webhook', String(webhooks[name])) as string
  for (const [name, profile] of Object.entries(PROFILES)) {
    await insertStatistics(sql, uuidOf(name), 'id', profile)
  }
  const ledger = uuidOf('ledger')
  await insertStatistics(sql, ledger, 'organization_id', ORGANIZATION)
  await sql.query(
    `update posthorn.webhook_conditions set failing_since = now() - interval '7 hours',
       last_success_at = now() - interval '7 hours', consecutive_failures = 340 where webhook_id = $1`,
    [ledger],
  )
  await putOnHold(sql, ledger)
  await sql.query(
    `with hold as (
       update posthorn.webhook_holds set started_at = now() - interval '6.8 hours' where webhook_id = $1
     )
     update posthorn.webhook_schedules
     set on_hold_since = now() - interval '6.8 hours', next_probe_at = now() + interval '9 minutes' where webhook_id = $1`,
    [ledger],
  )
}

/** The buckets of an hour for 30 days, and of a minute for two. */
async function insertStatistics(
  sql: Sql,
  uuid: string,
  subject: 'id' | 'organization_id',
  { attemptsPerHour, typicalMs, failing, outage: [from, to, failingThen] }: TrafficProfile,
): Promise<void> {
  await sql.query(
    `insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, attempts,
       succeeded, failed_3xx, failed_4xx, failed_5xx, failed_without_response, first_attempts, first_attempts_failed,
       on_time, late, exhausted, latency, first_delay)
     select w.${subject}, w.organization_id, minutes, bucket, 15, attempts, attempts - failed, 0, 0, failed - failed / 5,
       failed / 5, attempts, failed, attempts - failed, failed / 2, failed - failed / 2,
       array(select round(attempts * share)::int from unnest($2::float8[]) with ordinality as l (share, i) order by i),
       array(select round(attempts * share)::int from unnest($3::float8[]) with ordinality as l (share, i) order by i)
     from posthorn.webhooks as w, (
       select *, round(attempts * case when hours_ago between ${to} and ${from} then ${failingThen}
         else ${failing} * (1 + sin(hours_ago)) end)::int as failed
       from (
         select minutes, bucket, hours_ago,
           -- Days are busier than nights, and no hour is like the last.
           round(${attemptsPerHour} * minutes / 60.0 * (1.05 + 0.8 * sin((extract(hour from bucket) - 9) * pi() / 12)
             + 0.15 * sin(hours_ago * 1.7)) + 0.4 * (1 + sin(hours_ago * 61)))::int as attempts
         from (
           select minutes, bucket, extract(epoch from now() - bucket) / 3600 as hours_ago
           from (values (60, 'hour', interval '30 days'), (1, 'minute', interval '47 hours')) as kind (minutes, unit, span),
             generate_series(date_trunc(unit, now() - span), date_trunc(unit, now()) - minutes * interval '1 minute',
               minutes * interval '1 minute') as bucket
         ) as buckets
       ) as busy
     ) as counted
     where w.id = $1 and attempts > 0
     on conflict do nothing`,
    [uuid, shares(typicalMs), shares(FIRST_DELAY_MS)],
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
