import { pageQuery } from '../api/page-query.ts'
import { EventTypesCatalogueDocument, EventTypesOneDocument } from '../generated/graphql.ts'

export const eventTypesQuery = pageQuery(EventTypesCatalogueDocument, () => ({}), ['EventType'])

export const eventTypeQuery = pageQuery(EventTypesOneDocument, ({ params, session }) => ({
  id: `type_${params['name']}`,
  subscribesTo: params['name'] ?? '',
  countWebhooks: session.can('webhooks:read'),
}))
