import type { Sql } from '../db/client.ts'
import { boundConditions, idBounds, type PageBounds, pageOrder } from '../db/page.ts'
import type { PageOfOwner } from '../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../db/parameters.ts'
import { type AttemptFilter, attemptMatches, pageOfAttempts } from './attempts/attempt-filter.ts'
import {
  columnConditions,
  type DeliveryFilter,
  indexRanges,
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

/** A search by attempt reads at most this many attempts, the newest that match. */
export const MAX_ATTEMPTS_SEARCHED = 2_000

/**
 * SQL: the ids of a page of an organization's deliveries, or `null` if none can match. The filter has no search key. For
 * several webhooks or event types, reads a page of each in the order of an index, and merges them. `organization` is the
 * placeholder of its uuid.
 */
export function pageOfOrganization(
  organization: string,
  filter: Omit<DeliveryFilter, 'key'>,
  bounds: PageBounds,
  add: AddValue,
): string | null {
  const { webhookUuid, eventTypes, anyAttempt } = filter
  // An attempt is for the webhook of its delivery.
  const webhookUuids = filter.webhookUuids ?? anyAttempt?.webhookUuids
  const owned = (row: string) => [`${row}.organization_id = ${organization}`]
  if (webhookUuids && !webhookUuid) {
    const page = idsOfPage(
      (row) => [`${row}.webhook_id = owner.id`, ...owned(row)],
      { ...filter, webhookUuids: null },
      bounds,
      add,
      { column: 'webhook_id', organization },
    )
    return page && merged(`${add([...new Set(webhookUuids)])}::uuid[]`, 'owner (id)', page)
  }
  if (!eventTypes || webhookUuid || anyAttempt) return idsOfPage(owned, filter, bounds, add)
  const page = idsOfPage(
    (row) => [...owned(row), `${row}.event_type = kind.name`],
    { ...filter, eventTypes: null },
    bounds,
    add,
  )
  return page && merged(`${add([...new Set(eventTypes)])}::text[]`, 'kind (name)', page)

  function merged(values: string, each: string, page: string): string {
    return `select page.id from unnest(${values}) as ${each}, lateral (${page}) as page ${pageOrder(bounds, add)}`
  }
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
  const shared = sharedConditions(filter, add)
  // An event has few deliveries.
  if (anyAttempt) shared.push(hasAttempt(anyAttempt, add))
  shared.push(...boundConditions('d.id', bounds.bound, add))
  const order = pageOrder(bounds, add)
  const selects = ranges.map(({ conditions, hasIndex }) => {
    const where = [...shared, ...conditions]
    return owner?.column === 'webhook_id' && !hasIndex
      ? idsOfWebhook(owner, where, filter, bounds, add)
      : `(select d.id from posthorn.deliveries as d where ${[...owned('d'), ...where].join(' and ')} ${order})`
  })
  return `select page.id from (${selects.join(' union all ')}) as page ${order}`
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

/**
 * SQL: the ids of a page of deliveries that have a matching attempt. Attempts are in an index, and their deliveries are
 * looked up in the order of the page, so a page needs no scan of all deliveries. `owned` are conditions on the attempts
 * `a`.
 */
function idsByAttempt(
  owned: readonly string[],
  filter: DeliveryFilter & { readonly anyAttempt: AttemptFilter },
  { take, bound }: PageBounds,
  add: AddValue,
): string {
  const { anyAttempt, webhookUuid } = filter
  const attempts = pageOfAttempts(
    anyAttempt,
    {
      owned: [...owned, ...(webhookUuid ? [`a.webhook_id = ${add(webhookUuid)}`] : [])],
      take: MAX_ATTEMPTS_SEARCHED,
      bound: undefined,
      column: 'delivery_id',
    },
    add,
  )
  const within = boundConditions('delivery_id', bound, add)
  const order = pageOrder({ take }, add)
  return `
    select found.id from (
      select distinct delivery_id as id from (${attempts}) as attempt
      where ${within.join() || 'true'} order by 1 ${take > 0 ? 'desc' : 'asc'}
    ) as found, lateral (
      select from posthorn.deliveries as d
      where ${['d.id = found.id', ...columnConditions(filter, add)].join(' and ')} offset 0
    ) as matching
    ${order}`
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
