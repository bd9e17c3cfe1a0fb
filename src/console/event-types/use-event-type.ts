import { useRead } from '../api/use-read.ts'
import { EventTypesOneDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

/** One event type, with its number of subscribed webhooks if the viewer may know that. */
export function useEventType(name: string) {
  const { can } = useSession()
  const { data, error, reload } = useRead(EventTypesOneDocument, {
    name,
    subscribesTo: name,
    countWebhooks: can('webhooks:read'),
  })
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
