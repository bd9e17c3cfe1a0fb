import type { Sql } from '../db/client.ts'
import { invalid } from '../lib/errors.ts'
import { LATENCY_BOUNDS_MS, sumLatencies } from './latency.ts'

/** The attempts of a time range, by result and latency. */
export interface AttemptCounts {
  readonly attempts: number
  readonly succeeded: number
  readonly failed3xx: number
  readonly failed4xx: number
  readonly failed5xx: number
  readonly failedWithoutResponse: number
  /** Events that the filter refused: they have no delivery. */
  readonly filteredOut: number
  /** Events that the filter could not decide, and that were delivered. */
  readonly filterUndecided: number
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

/** Several webhooks, each with its own statistics, or a whole organization. Ids are uuids. */
export type StatisticsSubject =
  | { readonly webhooks: readonly string[] }
  | { readonly organization: string }

const MINUTE_MS = 60_000
export const UNIT_MS = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
} as const

/** A day of minutes, or two months of hours. */
export const MAX_BUCKETS = 1_500

/** How long minutes are kept. Hours are kept as long as deliveries. */
export const MINUTES_KEPT_MS = 2 * UNIT_MS.day

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
  if (count <= 0) throw invalidArgument('since', 'must be before until')
  if (count > MAX_BUCKETS) {
    throw invalidArgument(
      'bucket',
      `must divide the time range into at most ${MAX_BUCKETS.toLocaleString('en')} buckets, not ${count.toLocaleString('en')}`,
    )
  }
  if (unit === 'minute' && input.since.getTime() < now.getTime() - MINUTES_KEPT_MS) {
    throw invalidArgument(
      'since',
      'must be within the last 48 hours for buckets of a minute. Use hours for an earlier time',
    )
  }
  return { since, until, unit }
}

/** All buckets of a range, including empty ones, for each webhook in order, or once for an organization. */
export async function readStatistics(
  sql: Sql,
  subject: StatisticsSubject,
  range: BucketRange,
): Promise<StatisticsBucket[][]> {
  const rows = await readCounts(sql, subject, range, range.unit)
  const bySubject = Map.groupBy(rows, ({ subject }) => subject)
  return subjectUuids(subject).map((uuid) => {
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
  webhookUuids: readonly string[],
  range: BucketRange,
): Promise<AttemptCounts[]> {
  const rows = await readCounts(sql, { webhooks: webhookUuids }, range, null)
  const bySubject = new Map(rows.map((row) => [row.subject, row]))
  return webhookUuids.map((uuid) => bySubject.get(uuid) ?? NO_ATTEMPTS)
}

const NO_ATTEMPTS: AttemptCounts = {
  attempts: 0,
  succeeded: 0,
  failed3xx: 0,
  failed4xx: 0,
  failed5xx: 0,
  failedWithoutResponse: 0,
  filteredOut: 0,
  filterUndecided: 0,
  latency: new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0),
}

function subjectUuids(subject: StatisticsSubject): readonly string[] {
  return 'organization' in subject ? [subject.organization] : subject.webhooks
}

/**
 * Reads hours, plus the minutes after the last rolled-up hour, by the primary key. For buckets of a minute, reads minutes
 * only.
 */
async function readCounts(
  sql: Sql,
  subject: StatisticsSubject,
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
        sum(attempts)::float8 as attempts, sum(succeeded)::float8 as succeeded,
        sum(failed_3xx)::float8 as "failed3xx", sum(failed_4xx)::float8 as "failed4xx",
        sum(failed_5xx)::float8 as "failed5xx", sum(failed_without_response)::float8 as "failedWithoutResponse",
        sum(filtered_out)::float8 as "filteredOut", sum(filter_undecided)::float8 as "filterUndecided",
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
    values: [subjectUuids(subject), since, until],
  })
  return rows
}

function invalidArgument(argument: string, detail: string) {
  return invalid([{ path: [argument], code: 'invalid_argument', detail: `${argument} ${detail}.` }])
}
