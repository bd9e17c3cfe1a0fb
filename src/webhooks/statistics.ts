import type { Sql } from '../db/client.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import { LATENCY_BOUNDS_MS, sumLatencies } from './latency.ts'

/** The counts of attempts and events, with their columns and what they mean. */
export const COUNTS = {
  attempts: ['attempts', 'The number of attempts.'],
  succeeded: ['succeeded', 'The number of attempts with a 2xx response.'],
  failed3xx: ['failed_3xx', 'The number of attempts with a 3xx response.'],
  failed4xx: ['failed_4xx', 'The number of attempts with a 4xx response.'],
  failed5xx: ['failed_5xx', 'Attempts with a 5xx response, or a status code outside HTTP.'],
  failedWithoutResponse: [
    'failed_without_response',
    'Attempts without a response: a timeout or a connection error.',
  ],
  filteredOut: [
    'filtered_out',
    'The number of events that the filter of the webhook refused when they were published. They have no delivery. Counted a few seconds later.',
  ],
  filterUndecided: [
    'filter_undecided',
    'The number of events that the filter of the webhook could not decide, so that they were delivered: Postgres cannot read their data (`\\u0000`, a lone surrogate), or the filters of the organization would take more than their budget of steps.',
  ],
} as const

/** The attempts of a time range, by result and latency. */
export interface AttemptCounts extends Readonly<Record<keyof typeof COUNTS, number>> {
  /** Attempts in each bucket of `LATENCY_BOUNDS_MS`. */
  readonly latency: readonly number[]
}

export interface StatisticsBucket extends AttemptCounts {
  readonly start: Date
}

export type BucketUnit = 'minute' | 'hour' | 'day'

/** Whole UTC buckets, from `since` (inclusive) to `until` (exclusive). */
export interface BucketRange {
  readonly since: Date
  readonly until: Date
  readonly unit: BucketUnit
}

const MINUTE_MS = 60_000
export const UNIT_MS = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
} as const

/** A day of minutes, or two months of hours. */
export const MAX_BUCKETS = 1_500

/** How long minutes are kept. Hours are kept as long as deliveries. */
const MINUTES_KEPT_MS = 2 * UNIT_MS.day

/** The buckets that overlap a time range; without an end, up to the bucket of now. Throws `invalid` if there are too many or if their minutes are deleted. */
export function bucketRange(
  input: {
    readonly since: Date
    readonly until?: Date | null | undefined
    readonly unit: BucketUnit
  },
  now = new Date(),
): BucketRange {
  const { unit } = input
  const size = UNIT_MS[unit]
  const since = new Date(Math.floor(input.since.getTime() / size) * size)
  const startOfNow = Math.floor(now.getTime() / size) * size
  const until = input.until
    ? new Date(Math.ceil(input.until.getTime() / size) * size)
    : new Date(startOfNow + size)
  const count = (until.getTime() - since.getTime()) / size
  const refuse = (argument: string, rule: string) =>
    invalid([fieldIssue([argument], 'invalid_argument', rule)])
  if (count <= 0) throw refuse('since', 'must be before until.')
  if (count > MAX_BUCKETS) {
    const [most, found] = [MAX_BUCKETS, count].map((buckets) => buckets.toLocaleString('en'))
    throw refuse('bucket', `must divide the time range into at most ${most} buckets, not ${found}.`)
  }
  if (unit === 'minute' && input.since.getTime() < now.getTime() - MINUTES_KEPT_MS) {
    const rule = 'must be within the last 48 hours for buckets of a minute.'
    throw refuse('since', `${rule} Use hours for an earlier time.`)
  }
  return { since, until, unit }
}

/** All buckets of a range, including empty ones, for each webhook or organization in order. */
export async function readStatistics(
  sql: Sql,
  uuids: readonly string[],
  range: BucketRange,
): Promise<StatisticsBucket[][]> {
  const rows = await readCounts(sql, uuids, range, range.unit)
  const bySubject = Map.groupBy(rows, ({ subject }) => subject)
  return uuids.map((uuid) => {
    const counted = new Map(bySubject.get(uuid)?.map((row) => [row.start.getTime(), row]))
    const buckets: StatisticsBucket[] = []
    const end = range.until.getTime()
    for (let at = range.since.getTime(); at < end; at += UNIT_MS[range.unit]) {
      buckets.push(counted.get(at) ?? { ...NO_ATTEMPTS, start: new Date(at) })
    }
    return buckets
  })
}

/** The sum of all buckets of a range, for each webhook in order. */
export async function readAttemptTotals(
  sql: Sql,
  uuids: readonly string[],
  range: BucketRange,
): Promise<AttemptCounts[]> {
  const rows = await readCounts(sql, uuids, range, null)
  const bySubject = new Map(rows.map((row) => [row.subject, row]))
  return uuids.map((uuid) => bySubject.get(uuid) ?? NO_ATTEMPTS)
}

const NO_ATTEMPTS: AttemptCounts = {
  ...(Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0])) as Record<
    keyof typeof COUNTS,
    number
  >),
  latency: new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0),
}

/**
 * Reads hours, plus the minutes after the last rolled-up hour, by the primary key. For buckets of a minute, reads minutes
 * only.
 */
async function readCounts(
  sql: Sql,
  uuids: readonly string[],
  { since, until, unit }: BucketRange,
  groupBy: BucketUnit | null,
): Promise<(StatisticsBucket & { subject: string })[]> {
  const rolledUpTo = `(select reached_at from posthorn.cursors where name = 'statistics_rollup')`
  const minutes = `
    select s.subject_id as subject, s.* from posthorn.webhook_statistics as s
    where s.subject_id = any ($1::uuid[]) and s.minutes = 1
      and s.bucket >= $2 and s.bucket < $3`
  const { rows } = await sql.query<StatisticsBucket & { subject: string }>({
    name: `read_statistics_${unit}_${groupBy ?? 'whole'}`,
    text: `
      select subject, ${groupBy ? `date_trunc('${groupBy}', bucket, 'UTC')` : '$2::timestamptz'} as start,
        ${Object.entries(COUNTS)
          .map(([name, [column]]) => `sum(${column})::float8 as "${name}"`)
          .join(', ')},
        ${sumLatencies('latency')} as latency
      from (
        ${
          unit === 'minute'
            ? minutes
            : `${minutes} and s.bucket >= ${rolledUpTo}
               union all
               select s.subject_id as subject, s.* from posthorn.webhook_statistics as s
               where s.subject_id = any ($1::uuid[]) and s.minutes = 60
                 and s.bucket >= $2 and s.bucket < $3 and s.bucket < ${rolledUpTo}`
        }
      ) as s
      group by 1, 2`,
    values: [uuids, since, until],
  })
  return rows
}

/**
 * Rolls up the minutes of past hours into hours, for each webhook and each organization, and returns the number of rows
 * written. Idempotent: the cursor moves in the same statement, and a second concurrent process skips the work.
 */
export async function rollUpStatistics(sql: Sql, now = new Date()): Promise<number> {
  const { rowCount } = await sql.query(ROLL_UP_STATISTICS, [now])
  return rowCount ?? 0
}

const ROLLED_UP = Object.values(COUNTS).map(([column]) => column)

/**
 * An attempt counts in the minute of its recording, so an hour is final five minutes after its end. What only the health of
 * webhooks reads, of minutes, is not rolled up.
 */
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
  moved as (
    update posthorn.cursors as c set reached_at = greatest(cursor.reached_at, cursor.up_to)
    from cursor where c.name = cursor.name
  )
  insert into posthorn.webhook_statistics (subject_id, organization_id, minutes, bucket, stripe, latency,
    ${ROLLED_UP.join(', ')})
  select subject_id, organization_id, 60, hour, 0, ${sumLatencies('latency')},
    ${ROLLED_UP.map((column) => `sum(${column})`).join(', ')}
  from minutes group by subject_id, organization_id, hour`

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
    insert into posthorn.webhook_statistics as s (subject_id, organization_id, minutes, bucket, stripe, filtered_out,
      filter_undecided)
    select subject_id, organization_id, 1, bucket, -1, sum(refused), sum(undecided)
    from noted, unnest(array[webhook_id, organization_id]) as subject_id
    group by subject_id, organization_id, bucket
    order by subject_id, bucket
    on conflict (subject_id, minutes, bucket, stripe) do update
      set filtered_out = s.filtered_out + excluded.filtered_out,
        filter_undecided = s.filter_undecided + excluded.filter_undecided
  )
  select count(*)::int as taken from taken`
