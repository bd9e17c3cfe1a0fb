import { pageQuery } from '../api/page-query.ts'
import {
  WebhookCatalogueDocument,
  WebhookDefaultsDocument,
  WebhookDetailDocument,
} from '../generated/graphql.ts'

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
