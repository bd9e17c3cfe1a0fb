import { boundConditions, type PageBounds, pageOrder } from '../db/page.ts'
import type { AddValue } from '../db/parameters.ts'
import { type AttemptFilter, pageOfAttempts } from './attempts/attempt-filter.ts'
import { type DeliveryFilter, sharedConditions } from './delivery-filter.ts'
import { deliveryStateSql } from './delivery-state.ts'

/** A search by attempt reads at most this many attempts, the newest that match. */
export const MAX_ATTEMPTS_SEARCHED = 2_000

/**
 * SQL: the ids of a page of deliveries that have a matching attempt. Attempts are in an index, and their deliveries are
 * looked up in the order of the page, so a page needs no scan of all deliveries. `owned` are conditions on the attempts
 * `a`.
 */
export function idsByAttempt(
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

/** SQL: the conditions on the columns of a delivery `d` that its id already found. */
export function columnConditions(filter: DeliveryFilter, add: AddValue): string[] {
  const { states, statusClasses } = filter
  return [
    ...sharedConditions(filter, add),
    ...(states ? [`${deliveryStateSql('d')} = any (${add(states)}::text[])`] : []),
    ...(statusClasses ? [`d.last_status_class = any (${add(statusClasses)}::smallint[])`] : []),
  ]
}
