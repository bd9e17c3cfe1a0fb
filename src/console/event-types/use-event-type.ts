import { useRead } from '../api/use-read.ts'
import { EventTypesOneDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'

/** One type of the catalogue and, for those who may know, how many webhooks subscribe to it. */
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
    // An error may be about the webhooks alone, which a session for one webhook may not count.
    missing: data !== undefined && (node === null || node === undefined) && !error,
    error,
    reload,
  }
}
