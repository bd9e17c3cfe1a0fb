import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  WebhookCatalogueDocument,
  WebhookDefaultsDocument,
  WebhookDetailDocument,
  WebhookListDocument,
  type WebhookOrder,
  type WebhookState,
} from '../generated/graphql.ts'
import { labelFilter } from '../lib/labels.ts'

export const WEBHOOK_FILTERS = ['search', 'state', 'subscribesTo', 'label'] as const

const WEBHOOK_ORDERS: readonly WebhookOrder[] = ['MOST_WAITING', 'NAME']

export const webhooksQuery = pageQuery(
  WebhookListDocument,
  ({ search: address }) => {
    const { search, state, subscribesTo, label } = readFilters(WEBHOOK_FILTERS, address)
    return {
      ...readCursors(address),
      orderBy: WEBHOOK_ORDERS.find((order) => order === address.get('order')) ?? 'ATTENTION_FIRST',
      filter: {
        search,
        states: state === null ? null : [state as WebhookState],
        subscribesTo,
        metadata: labelFilter(label),
      },
    }
  },
  ['Webhook'],
)

export const webhookQuery = pageQuery(WebhookDetailDocument, ({ params }) => ({
  id: params['id'] ?? '',
}))

/** Edits the current settings rather than cached ones. */
export const editWebhookQuery = {
  ...webhookQuery,
  context: { ...webhookQuery.context, requestPolicy: 'network-only' as const },
}

export const webhookCatalogueQuery = pageQuery(WebhookCatalogueDocument, () => ({}))

export const webhookDefaultsQuery = pageQuery(WebhookDefaultsDocument, ({ session }) =>
  session.can('webhooks:read') ? {} : null,
)
