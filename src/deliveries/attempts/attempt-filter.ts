import {
  boundConditions,
  indexPage,
  type PageBounds,
  pageOrder,
  type TimeRange,
} from '../../db/page.ts'
import type { AddValue } from '../../db/parameters.ts'
import { lowerBoundAt } from '../../lib/uuid-v7.ts'

/** The first digit of an HTTP status. 0: no response. */
export type StatusClass = 0 | 2 | 3 | 4 | 5

/** The conditions that attempts and deliveries share. */
export interface WebhookAndTime extends TimeRange {
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

/** Whose rows a page has. */
export interface Scope {
  /** The placeholder of the organization. */
  readonly organization: string
  /** The column that is `owner.id` in a statement with the pages of several owners. */
  readonly owner?: 'webhook_id' | 'event_id' | undefined
}

/** Attempts of at least this duration are in an index. */
export const MIN_SLOW_MS = 1_000

/** The values of `slow_class`, in seconds, each up to the next one. */
const SLOW_CLASSES = [1, 2, 5, 10, 15]

const STATUS_CLASSES: readonly StatusClass[] = [0, 2, 3, 4, 5]

/** SQL: conditions on attempts or deliveries. Ids are ordered by time. */
export function webhookAndTimeConditions(
  row: string,
  { webhookUuids, since, until }: WebhookAndTime,
  add: AddValue,
): string[] {
  return [
    ...(webhookUuids ? [`${row}.webhook_id = any (${add(webhookUuids)}::uuid[])`] : []),
    ...(since ? [`${row}.id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`${row}.id < ${add(lowerBoundAt(until))}`] : []),
  ]
}

/** The ranges of an index, one for each value of its column. They do not overlap. */
interface AttemptRanges {
  readonly column: 'status_class' | 'cause' | 'slow_class'
  readonly type: 'smallint' | 'text'
  readonly values: readonly (number | string)[]
  /** SQL: the filter's other conditions on the attempts `a`. */
  readonly conditions: readonly string[]
}

/** The index ranges that a filter reads. Causes are the most selective, then the duration. */
function attemptRanges(filter: AttemptFilter, add: AddValue): AttemptRanges {
  const { causes, minDurationMs, statusClasses } = filter
  const shared = webhookAndTimeConditions('a', filter, add)
  if (minDurationMs) shared.push(`a.duration_ms >= ${add(minDurationMs)}`)
  if (!causes && !minDurationMs) {
    const values = [...new Set(statusClasses ?? STATUS_CLASSES)]
    return { column: 'status_class', type: 'smallint', values, conditions: shared }
  }
  const conditions = statusClasses
    ? [...shared, `a.status_class = any (${add(statusClasses)}::smallint[])`]
    : shared
  if (causes) return { column: 'cause', type: 'text', values: [...new Set(causes)], conditions }
  const values = SLOW_CLASSES.filter(
    (_, i) => (SLOW_CLASSES[i + 1] ?? Number.POSITIVE_INFINITY) * 1_000 > (minDurationMs ?? 0),
  )
  return { column: 'slow_class', type: 'smallint', values, conditions }
}

/** SQL: whether a delivery has a matching attempt. */
export function hasAttempt(delivery: string, filter: AttemptFilter, add: AddValue): string {
  const { column, type, values, conditions } = attemptRanges(filter, add)
  const matches = [
    `a.delivery_id = ${delivery}.id`,
    ...conditions,
    `a.${column} = any (${add(values)}::${type}[])`,
  ]
  return `exists (select from posthorn.attempts as a where ${matches.join(' and ')})`
}

/**
 * SQL: the ids of a page of attempts, and with `also` the ids of their deliveries. Each range of the index is read in the order of the page, for
 * one webhook after the other, so no statement sorts all rows. The ranges are planned once, which matters with a partition
 * for each day.
 */
export function attemptPage(
  { webhookUuids, ...filter }: AttemptFilter,
  { organization, owner }: Scope,
  bounds: PageBounds,
  add: AddValue,
  also?: 'delivery_id',
): string {
  const ofWebhooks = webhookUuids && owner === undefined
  const all = ofWebhooks || !webhookUuids ? filter : { ...filter, webhookUuids }
  const { column, type, values, conditions } = attemptRanges(all, add)
  const sources = [`unnest(${add(values)}::${type}[]) as range (value)`]
  if (ofWebhooks) sources.push(`unnest(${add(webhookUuids)}::uuid[]) as owner (id)`)
  const page = indexPage('a', [[column, 'range.value']], filter, bounds, add)
  const where = [
    `a.organization_id = ${organization}`,
    ...(ofWebhooks || owner ? [`a.${owner ?? 'webhook_id'} = owner.id`] : []),
    ...conditions,
    ...boundConditions('a.id', bounds.bound, add),
    ...page.conditions,
    `a.${column} is not null`,
  ]
  return `
    select page.* from ${sources.join(' cross join ')} cross join lateral (
      select a.id${also ? `, a.${also}` : ''} from posthorn.attempts as a where ${where.join(' and ')}
      ${page.order}
    ) as page ${pageOrder(bounds, add)}`
}
