import { pageQuery } from '../api/page-query.ts'
import { optionsOf, readOptions } from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  RecoverWebhookDocument,
  WebhookCatalogueDocument,
  WebhookDefaultsDocument,
  WebhookDetailDocument,
  WebhookListDocument,
  type WebhookOrder,
  type WebhookState,
} from '../generated/graphql.ts'
import { key } from '../language/t.ts'
import { labelFilter } from '../lib/labels.ts'

export const WEBHOOK_FILTERS = ['search', 'state', 'subscribesTo', 'label'] as const

/** The orders of the list, the usual one first. */
export const WEBHOOK_ORDERS = optionsOf<WebhookOrder>({
  ATTENTION_FIRST: key('Trouble first'),
  MOST_WAITING: key('Most waiting'),
  OLDEST_WAITING: key('Oldest waiting'),
  LEAST_SUCCESSFUL: key('Lowest success rate'),
  SLOWEST: key('Slowest, by p95'),
  NAME: key('Name'),
  NEWEST_FIRST: key('Newest first'),
})

export const webhooksQuery = pageQuery(
  WebhookListDocument,
  ({ search: address }) => {
    const { search, state, subscribesTo, label } = readFilters(WEBHOOK_FILTERS, address)
    return {
      ...readCursors(address),
      orderBy: readOptions(address.get('order'), WEBHOOK_ORDERS)[0] ?? 'ATTENTION_FIRST',
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

export const recoverQuery = pageQuery(RecoverWebhookDocument, ({ params }) => ({
  id: params['id'] ?? '',
}))

export const webhookCatalogueQuery = pageQuery(WebhookCatalogueDocument, () => ({}))

export const webhookDefaultsQuery = pageQuery(WebhookDefaultsDocument, ({ session }) =>
  session.can('webhooks:read') ? {} : null,
)
