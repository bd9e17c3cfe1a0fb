import type { Sql } from '../db/client.ts'
import { boundConditions, idBounds, type PageBounds, pageOrder } from '../db/page.ts'
import type { PageOfOwner } from '../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { type AttemptFilter, attemptMatches } from './attempts/attempt-filter.ts'
import { idsByAttempt } from './deliveries-by-attempt.ts'
import {
  type DeliveryFilter,
  type IndexRange,
  indexRanges,
  rangeConditions,
  sharedConditions,
} from './delivery-filter.ts'

/** The organization, webhooks or events that each have a list of deliveries. */
export interface Owners {
  readonly organizationId: string
  readonly column: 'organization_id' | 'webhook_id' | 'event_id'
  readonly uuids: readonly string[]
}

/** Conditions on the deliveries `d` or the attempts `a` of an owner. */
type Owned = (row: 'a' | 'd') => readonly string[]

/** The owner of a page in a statement that selects the pages of several owners. */
interface OwnerOfPage {
  readonly column: Owners['column']
  /** The placeholder of the organization. */
  readonly organization: string
}

/**
 * SQL: the ids of a page of deliveries, or `null` if none can match. Each index range is read in the order of the page,
 * so no statement sorts all rows.
 */
export function idsOfPage(
  owned: Owned,
  filter: DeliveryFilter,
  bounds: PageBounds,
  add: AddValue,
  owner?: OwnerOfPage,
): string | null {
  const { anyAttempt } = filter
  if (anyAttempt && owner?.column !== 'event_id') {
    return idsByAttempt([...owned('a')], { ...filter, anyAttempt }, bounds, add)
  }
  const ranges = indexRanges(filter)
  if (ranges.length === 0) return null
  const conditions = sharedConditions(filter, add)
  // An event has few deliveries.
  if (anyAttempt) conditions.push(hasAttempt(anyAttempt, add))
  conditions.push(...boundConditions('d.id', bounds.bound, add))
  const order = pageOrder(bounds, add)
  const selects = ranges.map((range) => {
    const where = [...conditions, ...rangeConditions(range)]
    return owner?.column === 'webhook_id' && isAnyState(range)
      ? idsOfWebhook(owner, where, filter, bounds, add)
      : `(select d.id from posthorn.deliveries as d where ${[...owned('d'), ...where].join(' and ')} ${order})`
  })
  return `select page.id from (${selects.join(' union all ')}) as page ${order}`
}

/** Whether no index is for the states of the range alone. */
function isAnyState({ indexedState, indexedStatusClass, fresh }: IndexRange): boolean {
  return indexedState == null && indexedStatusClass === undefined && !fresh
}

/**
 * SQL: the ids of the deliveries of the webhook `owner.id`. The row comparisons and the order match the index. With an
 * equality, Postgres can prefer the primary key, and then reads all deliveries for a webhook that has few.
 */
function idsOfWebhook(
  { organization }: OwnerOfPage,
  where: readonly string[],
  filter: DeliveryFilter,
  { take, bound }: PageBounds,
  add: AddValue,
): string {
  const { eventType } = filter
  const ofType = typeof eventType === 'string'
  const columns = `(d.webhook_id, ${ofType ? 'd.event_type, ' : ''}d.id)`
  const [lower, upper] = idBounds(filter, bound).map(
    (id) => `(owner.id, ${ofType ? `${add(eventType)}::text, ` : ''}${add(id)}::uuid)`,
  )
  const all = [
    `${columns} >= ${lower}`,
    `${columns} <= ${upper}`,
    `d.organization_id = ${organization}`,
    ...where,
  ]
  const direction = take > 0 ? 'desc' : 'asc'
  return `(
    select d.id from posthorn.deliveries as d where ${all.join(' and ')}
    order by d.webhook_id ${direction}, d.id ${direction} limit ${add(Math.abs(take))})`
}

/** SQL: whether a delivery `d` has a matching attempt. */
export function hasAttempt(filter: AttemptFilter, add: AddValue): string {
  return `exists (
    select from posthorn.attempts as a where a.delivery_id = d.id and ${attemptMatches(filter, add)})`
}

interface OwnerSql {
  /** The placeholder of the organization. */
  readonly organization: string
  readonly owned: Owned
  readonly add: AddValue
}

/** Selects the ids of a page for each owner. `idsOf` returns `null` if none can match. */
export async function pagesOfOwners(
  sql: Sql,
  { organizationId, column, uuids }: Owners,
  idsOf: (sql: OwnerSql) => string | null,
): Promise<PageOfOwner[]> {
  const { values, add } = createParameters()
  const organization = add(organizationId)
  const owned: Owned = (row) => [
    `${row}.${column} = owner.id`,
    `${row}.organization_id = ${organization}`,
  ]
  const ids = uuids.length > 0 ? idsOf({ organization, owned, add }) : null
  if (ids === null) return []
  const { rows } = await sql.query<PageOfOwner>(
    `select owner.id as owner, array(${ids}) as ids
     from unnest(${add(uuids)}::uuid[]) as owner (id)`,
    values,
  )
  return rows
}
