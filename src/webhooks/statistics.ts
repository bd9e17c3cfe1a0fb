import type { Sql } from '../db/client.ts'
import { invalid } from '../lib/errors.ts'
import { LATENCY_BOUNDS_MS, sumLatencies } from './latency.ts'

/** What the attempts of some time came to. */
export interface AttemptCounts {
  readonly attempts: number
  readonly succeeded: number
  readonly failed3xx: number
  readonly failed4xx: number
  readonly failed5xx: number
  readonly failedWithoutResponse: number
  /** How many took how long, in the buckets of `LATENCY_BOUNDS_MS`. */
  readonly latency: readonly number[]
}

export interface StatisticsBucket extends AttemptCounts {
  readonly start: Date
}

export type BucketUnit = 'minute' | 'hour' | 'day'

/** Whole buckets, in UTC: from `since` on and before `until`. */
export interface BucketRange {
  readonly since: Date
  readonly until: Date
  readonly unit: BucketUnit
}

/** Whose attempts: those of some webhooks, each by itself, or all of an organization. Uuids. */
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

/** How long minutes are kept; hours and days are kept as long as deliveries. */
export const MINUTES_KEPT_MS = 2 * UNIT_MS.day

/** The buckets that a range of time touches. Throws `invalid` when they are too many or not kept. */
export function bucketRange(
  given: {
    readonly since: Date
    readonly until?: Date | null | undefined
    readonly unit: BucketUnit
  },
  now = new Date(),
): BucketRange {
  const { unit } = given
  const size = UNIT_MS[unit]
  const since = new Date(Math.floor(given.since.getTime() / size) * size)
  const until = new Date(Math.ceil((given.until ?? now).getTime() / size) * size)
  const count = (until.getTime() - since.getTime()) / size
  if (count <= 0) throw refused('since', 'must be before until')
  if (count > MAX_BUCKETS) {
    throw refused(
      'bucket',
      `makes ${count} buckets of that time; at most ${MAX_BUCKETS} are answered`,
    )
  }
  if (unit === 'minute' && given.since.getTime() < now.getTime() - MINUTES_KEPT_MS) {
    throw refused('since', 'must be within the last 48 hours for buckets of a minute; use hours')
  }
  return { since, until, unit }
}

/** Every bucket of a range, those without attempts too, for each webhook in order, or once for an organization. */
export async function readStatistics(
  sql: Sql,
  of: StatisticsSubject,
  range: BucketRange,
): Promise<StatisticsBucket[][]> {
  const rows = await readCounts(sql, of, range, range.unit)
  const bySubject = Map.groupBy(rows, ({ subject }) => subject)
  return subjects(of).map((subject) => {
    const counted = new Map(bySubject.get(subject)?.map((row) => [row.start.getTime(), row]))
    const buckets: StatisticsBucket[] = []
    const end = range.until.getTime()
    for (let at = range.since.getTime(); at < end; at += UNIT_MS[range.unit]) {
      buckets.push(counted.get(at) ?? { ...NOTHING, start: new Date(at) })
    }
    return buckets
  })
}

/** All buckets of a range added up, for each webhook in order. */
export async function readAttemptTotals(
  sql: Sql,
  webhookUuids: readonly string[],
  range: BucketRange,
): Promise<AttemptCounts[]> {
  const rows = await readCounts(sql, { webhooks: webhookUuids }, range, null)
  const bySubject = new Map(rows.map((row) => [row.subject, row]))
  return webhookUuids.map((uuid) => bySubject.get(uuid) ?? NOTHING)
}

const NOTHING: AttemptCounts = {
  attempts: 0,
  succeeded: 0,
  failed3xx: 0,
  failed4xx: 0,
  failed5xx: 0,
  failedWithoutResponse: 0,
  latency: new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0),
}

function subjects(of: StatisticsSubject): readonly string[] {
  return 'organization' in of ? [of.organization] : of.webhooks
}

/** Adds up hours, and minutes since the last hour that was added up; or minutes alone. */
async function readCounts(
  sql: Sql,
  of: StatisticsSubject,
  { since, until, unit }: BucketRange,
  groupBy: BucketUnit | null,
): Promise<(StatisticsBucket & { subject: string })[]> {
  const whole = 'organization' in of
  const reached = `(select reached_at from posthorn.cursors where name = 'statistics_rollup')`
  const minutes = `
    select ${whole ? 's.organization_id' : 's.subject_id'} as subject, s.* from posthorn.webhook_statistics as s
    where s.${whole ? 'organization_id' : 'subject_id'} = any ($1::uuid[]) and s.minutes = 1
      and s.bucket >= $2 and s.bucket < $3`
  const { rows } = await sql.query<StatisticsBucket & { subject: string }>({
    name: `read_statistics_${whole ? 'of_organization' : 'of_webhooks'}_${unit}_${groupBy ?? 'whole'}`,
    text: `
      select subject, ${groupBy ? `date_trunc('${groupBy}', bucket, 'UTC')` : '$2::timestamptz'} as start,
        sum(attempts)::float8 as attempts, sum(succeeded)::float8 as succeeded,
        sum(failed_3xx)::float8 as "failed3xx", sum(failed_4xx)::float8 as "failed4xx",
        sum(failed_5xx)::float8 as "failed5xx", sum(failed_without_response)::float8 as "failedWithoutResponse",
        ${sumLatencies('latency')} as latency
      from (
        ${
          unit === 'minute'
            ? minutes
            : `${minutes} and s.bucket >= ${reached}
               union all
               select s.subject_id as subject, s.* from posthorn.webhook_statistics as s
               where s.subject_id = any ($1::uuid[]) and s.minutes = 60
                 and s.bucket >= $2 and s.bucket < $3 and s.bucket < ${reached}`
        }
      ) as s
      group by 1, 2`,
    values: [subjects(of), since, until],
  })
  return rows
}

function refused(argument: string, detail: string) {
  return invalid([{ path: [argument], code: 'invalid_argument', detail: `${argument} ${detail}.` }])
}
