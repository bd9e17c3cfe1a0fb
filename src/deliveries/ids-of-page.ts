import {
  type AddValue,
  type DeliveryFilter,
  indexRanges,
  rangeConditions,
  sharedConditions,
} from './delivery-filter.ts'

export interface Bounds {
  readonly take: number
  readonly bound: { readonly lt: string } | { readonly gt: string } | undefined
}

/** SQL: the ids of a page. Each index range is read in the order of the page, so no statement sorts all rows. */
export function idsOfPage(
  owned: readonly string[],
  filter: DeliveryFilter,
  { take, bound }: Bounds,
  add: AddValue,
): string {
  const conditions = [...owned, ...sharedConditions(filter, add)]
  if (bound) conditions.push('lt' in bound ? `d.id < ${add(bound.lt)}` : `d.id > ${add(bound.gt)}`)
  const order = `order by id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`
  const ranges = indexRanges(filter).map(
    (range) =>
      `(select d.id from posthorn.deliveries as d
        where ${[...conditions, ...rangeConditions(range)].join(' and ')} ${order})`,
  )
  return `select page.id from (${ranges.join(' union all ')}) as page ${order}`
}

/** The organization, webhooks or events that each have a list of deliveries. */
export interface Owners {
  readonly organizationId: string
  readonly column: 'organization_id' | 'webhook_id' | 'event_id'
  readonly uuids: readonly string[]
}

interface OwnerSql {
  /** The placeholder of the organization. */
  readonly organization: string
  /** The conditions on the deliveries `d` of one `owner`. */
  readonly owned: readonly string[]
  readonly add: AddValue
}

export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

/** A statement that selects the ids of a page for each owner. */
export function pagesOfOwners(
  { organizationId, column, uuids }: Owners,
  idsOf: (sql: OwnerSql) => string,
): Statement {
  const { values, add } = createParameters()
  const organization = add(organizationId)
  const owned = [`d.${column} = owner.id`, `d.organization_id = ${organization}`]
  const ids = idsOf({ organization, owned, add })
  const text = `
    select owner.id as owner, array(${ids}) as ids
    from unnest(${add(uuids)}::uuid[]) as owner (id)`
  return { text, values }
}

export function createParameters(): { readonly values: unknown[]; readonly add: AddValue } {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}
