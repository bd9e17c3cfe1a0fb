import { pageQuery } from '../api/page-query.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import {
  RecoverWebhookDocument,
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
      filter: { search, state: state as WebhookState | null, subscribesTo },
    }
  },
  ['Webhook'],
)

export const webhookQuery = pageQuery(WebhookDetailDocument, ({ params }) => ({
  id: params['id'] ?? '',
}))

export const recoverQuery = pageQuery(RecoverWebhookDocument, ({ params }) => ({
  id: params['id'] ?? '',
}))
