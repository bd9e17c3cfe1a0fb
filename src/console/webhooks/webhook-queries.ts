import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  RecoverWebhookDocument,
  WebhookCatalogueDocument,
  WebhookDefaultsDocument,
  WebhookDetailDocument,
  WebhookListDocument,
  type WebhookState,
} from '../generated/graphql.ts'

export const WEBHOOK_FILTERS = ['search', 'state', 'subscribesTo'] as const

export const webhooksQuery = pageQuery(
  WebhookListDocument,
  ({ search: address }) => {
    const { search, state, subscribesTo } = readFilters(WEBHOOK_FILTERS, address)
    return {
      ...readCursors(address),
      filter: { search, states: state === null ? null : [state as WebhookState], subscribesTo },
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

export const recoverQuery = pageQuery(RecoverWebhookDocument, ({ params }) => ({
  id: params['id'] ?? '',
}))

export const webhookCatalogueQuery = pageQuery(WebhookCatalogueDocument, () => ({}))

export const webhookDefaultsQuery = pageQuery(WebhookDefaultsDocument, ({ session }) =>
  session.can('webhooks:read') ? {} : null,
)
