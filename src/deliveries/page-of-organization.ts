import { type PageBounds, pageOrder } from '../db/page.ts'
import type { AddValue } from '../db/parameters.ts'
import type { DeliveryFilter } from './delivery-filter.ts'
import { idsOfPage } from './ids-of-page.ts'

/**
 * SQL: the ids of a page of an organization's deliveries, or `null` if none can match. The filter has no search key. For
 * several webhooks or event types, reads a page of each in the order of an index, and merges them.
 */
export function pageOfOrganization(
  organizationId: string,
  filter: Omit<DeliveryFilter, 'key'>,
  bounds: PageBounds,
  add: AddValue,
): string | null {
  const { webhookUuid, eventTypes, anyAttempt } = filter
  // An attempt is for the webhook of its delivery.
  const webhookUuids = filter.webhookUuids ?? anyAttempt?.webhookUuids
  const organization = add(organizationId)
  if (webhookUuids && !webhookUuid) {
    const page = idsOfPage(
      (row) => [`${row}.webhook_id = owner.id`, `${row}.organization_id = ${organization}`],
      { ...filter, webhookUuids: null },
      bounds,
      add,
      { column: 'webhook_id', organization },
    )
    return page && merged(`${add([...new Set(webhookUuids)])}::uuid[]`, 'owner (id)', page)
  }
  const owned = (row: string) => [`${row}.organization_id = ${organization}`]
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
