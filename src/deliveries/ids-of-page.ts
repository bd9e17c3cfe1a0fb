import { boundConditions, type PageBounds, pageOrder } from '../db/page.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { type AttemptFilter, attemptMatches } from './attempts/attempt-filter.ts'
import { idsByAttempt } from './deliveries-by-attempt.ts'
import {
  type DeliveryFilter,
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

/**
 * SQL: the ids of a page of deliveries, or `null` if none can match. Each index range is read in the order of the page,
 * so no statement sorts all rows.
 */
export function idsOfPage(
  owned: Owned,
  filter: DeliveryFilter,
  bounds: PageBounds,
  add: AddValue,
  column: Owners['column'] = 'organization_id',
): string | null {
  const { anyAttempt } = filter
  if (anyAttempt && column !== 'event_id') {
    return idsByAttempt([...owned('a')], { ...filter, anyAttempt }, bounds, add)
  }
  const ranges = indexRanges(filter).map(rangeConditions)
  if (ranges.length === 0) return null
  const conditions = [...owned('d'), ...sharedConditions(filter, add)]
  // An event has few deliveries.
  if (anyAttempt) conditions.push(hasAttempt(anyAttempt, add))
  conditions.push(...boundConditions('d.id', bounds.bound, add))
  const order = pageOrder(bounds, add)
  const selects = ranges.map(
    (range) =>
      `(select d.id from posthorn.deliveries as d where ${[...conditions, ...range].join(' and ')} ${order})`,
  )
  return `select page.id from (${selects.join(' union all ')}) as page ${order}`
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

export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

/** A statement that selects the ids of a page for each owner, or `null` if none can match. */
export function pagesOfOwners(
  { organizationId, column, uuids }: Owners,
  idsOf: (sql: OwnerSql) => string | null,
): Statement | null {
  const { values, add } = createParameters()
  const organization = add(organizationId)
  const owned: Owned = (row) => [
    `${row}.${column} = owner.id`,
    `${row}.organization_id = ${organization}`,
  ]
  const ids = idsOf({ organization, owned, add })
  if (ids === null) return null
  const text = `
    select owner.id as owner, array(${ids}) as ids
    from unnest(${add(uuids)}::uuid[]) as owner (id)`
  return { text, values }
}
