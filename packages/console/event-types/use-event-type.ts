import { useRead } from '../api/use-read.ts'
import { EventTypesOneDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

/** An event type, with its number of subscribed webhooks if the viewer may know that. */
export function useEventType(name: string) {
  const { can, webhookId } = useSession()
  const { data, error, reload } = useRead(EventTypesOneDocument, {
    id: `type_${name}`,
    subscribesTo: name,
    countWebhooks: webhookId === null && can('webhooks:read'),
  })
  const node = data?.node
  return {
    eventType: node?.__typename === 'EventType' ? node : null,
    webhookCount: data?.webhooks?.totalCount ?? null,
    missing: data !== undefined && !node && !error,
    error,
    reload,
  }
}
