import type { Sql } from '../db/client.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { attemptPage } from '../deliveries/attempts/attempt-filter.ts'
import {
  columnConditions,
  type DeliveryFilter,
  deliveryPage,
} from '../deliveries/delivery-filter.ts'
import { type DeliveryFilterInput, readDeliveryFilter } from '../deliveries/read-filters.ts'
import { invalid } from '../lib/errors.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { FIRST_ID, type Work } from '../queue/long-work.ts'

/** The deliveries that match a filter. */
export interface SelectedDeliveries {
  readonly filter: DeliveryFilter
}

/** A number of deliveries, counted up to a maximum. */
export interface SelectionCount {
  readonly count: number
  readonly exact: boolean
}

/** Counting stops at this many deliveries or attempts. */
export const MAX_COUNTED = 100_000

/** Counts the deliveries of a filter as of now, at most `MAX_COUNTED` of them. */
export async function countSelected(
  sql: Sql,
  organizationId: string,
  filter: DeliveryFilter,
): Promise<SelectionCount> {
  const { values, add } = createParameters()
  const page = selectPageSql(organizationId, filter, FIRST_ID, null, MAX_COUNTED + 1, add)
  if (page === null) return { count: 0, exact: true }
  const { rows } = await sql.query<{ count: number; read: number }>(
    `select count(distinct delivery_id)::int as count, count(*)::int as read from (${page}) as page`,
    values,
  )
  const { count = 0, read = 0 } = rows[0] ?? {}
  return { count: Math.min(count, MAX_COUNTED), exact: read <= MAX_COUNTED }
}

export interface SelectedPage {
  readonly deliveryIds: readonly string[]
  /** The new cursor. Null if nothing was left to read. */
  readonly reachedId: string | null
  readonly isLast: boolean
}

/** The next deliveries of a task, oldest first. Those that are newer than the task `newest` are not selected. */
export async function selectPage(
  sql: Sql,
  { organizationId, reachedId, size }: Work<unknown>,
  filter: DeliveryFilter,
  newest: string | null,
): Promise<SelectedPage> {
  const { values, add } = createParameters()
  const page = selectPageSql(organizationId, filter, reachedId, newest, size, add)
  if (page === null) return { deliveryIds: [], reachedId: null, isLast: true }
  const { rows } = await sql.query<SelectedPage & { read: number }>(
    `with page as materialized (${page})
     select array(select distinct delivery_id from page where delivery_id is not null) as "deliveryIds",
       (select id from page order by id desc limit 1) as "reachedId", (select count(*)::int from page) as read`,
    values,
  )
  const [row] = rows
  if (!row) throw new Error('A page of a task has no row.')
  return { deliveryIds: row.deliveryIds, reachedId: row.reachedId, isLast: row.read < size }
}

/** SQL: a page of deliveries or of attempts, each with its delivery if that matches too. Null if none can match. */
function selectPageSql(
  organizationId: string,
  filter: DeliveryFilter,
  reachedId: string,
  taskId: string | null,
  size: number,
  add: AddValue,
): string | null {
  const bounds = { take: -size, bound: { gt: reachedId } }
  // Some deliveries of its millisecond are older.
  const end = taskId === null ? null : new Date(timestampOf(taskId).getTime() + 1)
  const { anyAttempt, webhookUuids } = filter
  const scope = { organization: add(organizationId) }
  if (!anyAttempt) {
    const page = deliveryPage(until(filter, end), scope, bounds, add)
    return page && `select id, id as delivery_id from (${page}) as found`
  }
  const attempts = { ...anyAttempt, webhookUuids: anyAttempt.webhookUuids ?? webhookUuids }
  const page = attemptPage(until(attempts, end), scope, bounds, add, 'delivery_id')
  const conditions = ['d.id = found.delivery_id', ...columnConditions('d', filter, add)]
  return `
    select found.id, matching.id as delivery_id from (${page}) as found left join lateral (
      select d.id from posthorn.deliveries as d where ${conditions.join(' and ')} offset 0
    ) as matching on true`
}

function until<Filter extends { readonly until?: Date | null | undefined }>(
  filter: Filter,
  end: Date | null,
): Filter {
  return end === null || (filter.until && filter.until < end) ? filter : { ...filter, until: end }
}

/** A search key finds the newest events only, so a task would not change all. */
export function readTaskFilter(filter: DeliveryFilterInput | null | undefined): DeliveryFilter {
  if (!filter?.key) return readDeliveryFilter(filter)
  const detail = 'filter.key is only for lists. List the deliveries by the key, and give their ids.'
  throw invalid([{ path: ['filter', 'key'], code: 'not_supported', detail }])
}
