import { pageQuery, usePageQuery } from '../api/page-query.ts'
import { EventTypesCatalogueDocument, EventTypesOneDocument } from '../generated/graphql.ts'

export const eventTypesQuery = pageQuery(EventTypesCatalogueDocument, () => ({}), ['EventType'])

export const eventTypeQuery = pageQuery(EventTypesOneDocument, ({ params, session }) => ({
  id: `type_${params['name']}`,
  subscribesTo: params['name'] ?? '',
  countWebhooks: session.can('webhooks:read'),
}))

/** The event type that the address names, with its number of subscribed webhooks if the viewer may know that. */
export function useEventType(name: string) {
  const { data, error, reload } = usePageQuery(eventTypeQuery)
  const node = data?.node
  return {
    eventType: node?.__typename === 'EventType' && node.name === name ? node : null,
    webhookCount: data?.webhooks?.totalCount ?? null,
    // An error may concern only the webhook count, which a session restricted to one webhook cannot read.
    missing: data !== undefined && (node === null || node === undefined) && !error,
    error,
    reload,
  }
}
