import { type PageContext, pageQuery } from '../api/page-query.ts'
import { KEY_FILTERS, readTimeRange, TIME_FILTERS } from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { DeliveriesDocument, DeliveryDocument } from '../generated/graphql.ts'
import { deliveryFilter } from './list/delivery-filter.ts'

export const DELIVERY_FILTERS = [
  ...(['webhook', 'state', 'status', 'cause', 'type', 'duration'] as const),
  ...TIME_FILTERS,
  ...KEY_FILTERS,
]

export const deliveriesQuery = pageQuery(
  DeliveriesDocument,
  (page) => {
    const selected = selectedBy(page)
    return selected && { ...selected, withWebhook: page.session.can('webhooks:read') }
  },
  ['Delivery'],
)

/** The page and the filter of an address. Null if they depend on the present time. */
function selectedBy({ search, session }: PageContext) {
  const values = readFilters(DELIVERY_FILTERS, search)
  const attempted = readTimeRange(values)
  if (!attempted || !session.can('deliveries:read')) return null
  return {
    ...readCursors(search),
    filter: deliveryFilter(values, { attempted, onlyWebhookId: session.webhookId }),
  }
}

/** How many attempts of a delivery the page shows at first. */
export const FEW_ATTEMPTS = 20

export const deliveryQuery = pageQuery(DeliveryDocument, ({ params, session }) => ({
  id: params['id'] ?? '',
  attempts: FEW_ATTEMPTS,
  withWebhook: session.can('webhooks:read'),
}))
