import { boundConditions, idBounds, type PageBounds, type TimeRange } from '../../db/page.ts'
import type { AddValue } from '../../db/parameters.ts'
import { lowerBoundAt } from '../../lib/uuid-v7.ts'

/** The first digit of an HTTP status. 0: no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** The conditions that attempts and deliveries share. */
export interface WebhookAndTime extends TimeRange {
  readonly webhookUuid?: string | null | undefined
  /** One of these webhooks. */
  readonly webhookUuids?: readonly string[] | null | undefined
}

/** Conditions on attempts. A missing or null field matches every attempt. Times are those of the record. */
export interface AttemptFilter extends WebhookAndTime {
  readonly statusClasses?: readonly StatusClass[] | null | undefined
  /** Statuses of failed attempts, such as `502`, and error codes. */
  readonly causes?: readonly string[] | null | undefined
  /** At least `MIN_SLOW_MS`. */
  readonly minDurationMs?: number | null | undefined
}

/** Attempts of at least this duration are in an index. */
export const MIN_SLOW_MS = 1_000

/** The values of `slow_class`, in seconds, each up to the next one. */
const SLOW_CLASSES = [1, 2, 5, 10, 15]

const STATUS_CLASSES: readonly StatusClass[] = [0, 2, 3, 4, 5]

/** SQL: conditions on the attempts or deliveries `row`. Ids are ordered by time. */
export function webhookAndTimeConditions(
  row: 'a' | 'd',
  { webhookUuid, webhookUuids, since, until }: WebhookAndTime,
  add: AddValue,
): string[] {
  return [
    ...(webhookUuid ? [`${row}.webhook_id = ${add(webhookUuid)}`] : []),
    ...(webhookUuids ? [`${row}.webhook_id = any (${add(webhookUuids)}::uuid[])`] : []),
    ...(since ? [`${row}.id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`${row}.id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

/** SQL: the filter's conditions on the attempts `a`, without those of its index ranges. */
function attemptConditions(filter: AttemptFilter, add: AddValue): string[] {
  const { minDurationMs } = filter
  return [
    ...webhookAndTimeConditions('a', filter, add),
    ...(minDurationMs ? [`a.duration_ms >= ${add(minDurationMs)}`] : []),
  ]
}

/** The ranges of an index: one for each value of a column. They do not overlap. */
interface AttemptRanges {
  readonly column: 'status_class' | 'cause' | 'slow_class'
  readonly type: 'smallint' | 'text'
  readonly values: readonly (number | string)[]
  /** SQL conditions that the column does not express. */
  readonly conditions: readonly string[]
}

/** The index ranges that a filter reads. Causes are the most selective, then the duration. */
function attemptRanges(filter: AttemptFilter): AttemptRanges {
  const { causes, minDurationMs, statusClasses } = filter
  const classes = statusClasses ? [...new Set(statusClasses)] : null
  const conditions = classes ? [`a.status_class in (${classes.join(', ') || 'null'})`] : []
  if (causes) return { column: 'cause', type: 'text', values: [...new Set(causes)], conditions }
  if (minDurationMs) {
    const values = SLOW_CLASSES.filter(
      (_, i) => (SLOW_CLASSES[i + 1] ?? Number.POSITIVE_INFINITY) * 1_000 > minDurationMs,
    )
    return { column: 'slow_class', type: 'smallint', values, conditions }
  }
  const values = classes ?? STATUS_CLASSES
  return { column: 'status_class', type: 'smallint', values, conditions: [] }
}

/** SQL: whether the attempt `a` matches, for statements that find the attempts by their delivery. */
export function attemptMatches(filter: AttemptFilter, add: AddValue): string {
  const { column, type, values, conditions } = attemptRanges(filter)
  return [
    ...attemptConditions(filter, add),
    `a.${column} = any (${add(values)}::${type}[])`,
    ...conditions,
  ].join(' and ')
}

interface AttemptPage extends PageBounds {
  /** SQL conditions on the owner of the attempts `a`. */
  readonly owned: readonly string[]
  /** A column to select beside `id`. */
  readonly column?: 'delivery_id'
}

/**
 * SQL: a page of attempts. Each range of the index is read in the order of the page, so no statement sorts all rows. The
 * ranges are planned once, which matters with a partition for each day.
 */
export function pageOfAttempts(
  filter: AttemptFilter,
  { owned, column: also, ...bounds }: AttemptPage,
  add: AddValue,
): string {
  const { column, type, values, conditions } = attemptRanges(filter)
  const [lower, upper] = idBounds(filter, bounds.bound).map((id) => `${add(id)}::uuid`)
  const all = [
    ...owned,
    ...attemptConditions(filter, add),
    ...conditions,
    ...boundConditions('a.id', bounds.bound, add),
    // The row comparisons and the order match the index. With an equality, Postgres can prefer the primary key, and then
    // scans all attempts for a rare value.
    `(a.${column}, a.id) >= (range.value, ${lower})`,
    `(a.${column}, a.id) <= (range.value, ${upper})`,
    `a.${column} is not null`,
  ]
  const direction = bounds.take > 0 ? 'desc' : 'asc'
  const size = add(Math.abs(bounds.take))
  return `
    select page.* from unnest(${add(values)}::${type}[]) as range (value), lateral (
      select a.id${also ? `, a.${also}` : ''} from posthorn.attempts as a where ${all.join(' and ')}
      order by a.${column} ${direction}, a.id ${direction} limit ${size}
    ) as page order by page.id ${direction} limit ${size}`
}
